"""Remarks about what a command does, shown with `--verbose`."""

import contextlib
import logging
import sys
from collections.abc import Iterator

_logger = logging.getLogger("coref_tf.remarks")


def remark(text: str) -> None:
    """Logs a remark with the logger `coref_tf.remarks`, at level INFO."""
    _logger.info(text)


@contextlib.contextmanager
def shown_remarks(show: bool = True) -> Iterator[None]:
    """Prints remarks on standard error during the block, if `show` is set."""
    if not show:
        yield
        return
    handler, level = _StandardError(), _logger.level
    _logger.addHandler(handler)
    _logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        _logger.removeHandler(handler)
        _logger.setLevel(level)


class _StandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr, flush=True)
