"""Files that documents are read from: opened, unpacked and decoded, with their problems reported by line."""

import contextlib
import gzip
import logging
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import readable

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# Receives each problem and whether it is fatal. If it returns, reading continues.
Report = Callable[[InputError, bool], None]

_logger = logging.getLogger("coref_tf.documents")
_warned_paths: set[str] = set()


def refuse(error: InputError, fatal: bool = True) -> None:
    """Raises a fatal problem; logs the first other problem of each file."""
    if fatal:
        raise error
    if str(error.path) not in _warned_paths:
        _warned_paths.add(str(error.path))
        _logger.warning("%s (read as it stands; `coref documents lint` shows all such lines)", error)


@contextlib.contextmanager
def open_source(path: str | os.PathLike) -> Iterator[IO[bytes]]:
    """Opens a file in binary mode; "-" is standard input, and a .gz file is decompressed as it is read."""
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise CorefError("standard input is closed; expected documents there")
        yield sys.stdin.buffer
    elif os.fspath(path).lower().endswith(".gz"):
        try:
            with gzip.open(path, "rb") as file:
                yield file
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise CorefError(f"{path}: can't be unpacked: {error}; expected a whole gzip file") from None
    else:
        with open(path, "rb") as file:
            yield file


def read_lines(path: str | os.PathLike, report: Report) -> list[str] | None:
    """Returns the decoded lines of a whole file; None if one of them was reported."""
    with open_source(path) as file:
        lines = [decode_line(raw, path, number, report) for number, raw in enumerate(file, start=1)]
    decoded = [line for line in lines if line is not None]
    return decoded if len(decoded) == len(lines) else None


def decode_line(raw: bytes, path: str | os.PathLike, number: int, report: Report) -> str | None:
    """Returns the text of line `number`, without the byte order mark of a file's first line.

    A line that isn't text is reported, and the result is None.
    """
    line = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        wrong = line[error.start : error.end]
        message = f"byte {error.start + 1}, {wrong!r}, is not UTF-8; expected UTF-8 text"
        report(InputError(path, number, message), True)
        return None
    if "\0" in text:
        report(InputError(path, number, "a NUL byte; expected UTF-8 text"), True)
        return None
    return text


def document_name(path: str | os.PathLike) -> str:
    """Returns the name of a document that has none of its own: its file's, without folder and endings."""
    if os.fspath(path) == STANDARD_INPUT:
        return "text"
    name = Path(path).name
    stem = Path(name[:-3] if name.lower().endswith(".gz") else name).stem
    return readable(stem)
