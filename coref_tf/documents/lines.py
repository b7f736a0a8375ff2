"""Lines of text files, decoded and checked."""

import os

from coref_tf.documents.reporting import Report
from coref_tf.support.errors import InputError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def decode_line(raw: bytes, path: str | os.PathLike, number: int, report: Report) -> str | None:
    """The text of line `number`, without the byte order mark of a file's first line.

    A line that isn't text is reported and gives None.
    """
    line = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        wrong = line[error.start : error.end]
        report(
            InputError(path, number, f"byte {error.start + 1}, {wrong!r}, is not UTF-8; expected UTF-8 text"),
            True,
        )
        return None
    if "\0" in text:
        report(InputError(path, number, "a NUL byte; expected UTF-8 text"), True)
        return None
    return text
