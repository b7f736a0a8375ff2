"""Remarks about what a command does, shown with `--verbose`, and messages of which only the first are shown."""

import contextlib
import logging
import sys
from collections.abc import Iterator

SHOWN = 3  # the number of messages of a kind that are printed; the rest are only counted

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


class FirstFew:
    """Prints the first few messages of a kind on standard error, and counts the rest.

    Args:
        rest: The message that counts the rest, with {} for the number.

    Example:
        empty = FirstFew("warning: {} more documents have no words")
        for document in documents:
            if not document.num_words:
                empty.print(f"warning: document {document.key} has no words")
        empty.close()
    """

    def __init__(self, rest: str):
        self._rest, self._count = rest, 0

    def print(self, message: str) -> None:
        """Prints a message, unless there were enough of them."""
        self._count += 1
        if self._count <= SHOWN:
            print(message, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Prints how many more messages there were."""
        if self._count > SHOWN:
            print(self._rest.format(f"{self._count - SHOWN:,}"), file=sys.stderr)


class _StandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr, flush=True)
