"""Who hears of a problem in a file: reading stops at it, lint goes on."""

import logging
from collections.abc import Callable

from coref_tf.support.errors import InputError

# Called with each problem and whether it is fatal; returns if reading shall go on.
Report = Callable[[InputError, bool], None]

_logger = logging.getLogger("coref_tf.documents")
_shown = set()


def refuse(error: InputError, fatal: bool = True) -> None:
    """Raises a fatal problem; of the others, shows the first of each file, once."""
    if fatal:
        raise error
    if str(error.path) not in _shown:
        _shown.add(str(error.path))
        _logger.warning("%s (read as it stands; `coref documents lint` shows all such lines)", error)
