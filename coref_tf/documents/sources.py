"""Opens, decompresses and decodes the files that documents are read from; reports problems by line."""

import contextlib
import gzip
import logging
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, cast

from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import readable

STANDARD_INPUT = "-"
MOST_LINE_BYTES = 256 * 2**20
# The maximum decompressed size of a file, in bytes.
UNPACKED_VARIABLE, MOST_UNPACKED_BYTES = "COREF_MAX_UNPACKED", 2**30
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
        _logger.warning("%s (left unchanged; `coref documents lint` lists all such lines)", error)


class UnpackedBytes:
    """Counts the decompressed bytes of a file, up to the limit."""

    def __init__(self, path: str | os.PathLike):
        given = os.environ.get(UNPACKED_VARIABLE) or str(MOST_UNPACKED_BYTES)
        if not (given.isascii() and given.isdecimal() and len(given) < 19):
            raise CorefError(f"{UNPACKED_VARIABLE} is {given!r:.40}; expected a number of bytes")
        self.path, self.limit, self.count = path, int(given), 0

    def add(self, count: int) -> None:
        """Counts bytes; raises an error if they exceed the limit."""
        self.count += count
        if self.count > self.limit:
            raise CorefError(
                f"{self.path}: unpacks to more than {self.limit:,} bytes; if this is intended, increase"
                f" {UNPACKED_VARIABLE}, or unpack the file first"
            )


class SourceFile:
    """A file that is read line by line or at once, with limits on the lengths of lines and the decompressed size.

    Args:
        file: The file, opened in binary mode.
        path: Its path, for error messages.
        unpacked: Counts the decompressed bytes; None if the file is not compressed.
    """

    def __init__(self, file: IO[bytes], path: str | os.PathLike, unpacked: UnpackedBytes | None = None):
        self._file, self._path, self._unpacked = file, path, unpacked

    def __iter__(self) -> Iterator[bytes]:
        number = 0
        while line := self._file.readline(MOST_LINE_BYTES + 1):
            number += 1
            if len(line) > MOST_LINE_BYTES:
                message = f"a line of more than {MOST_LINE_BYTES:,} bytes; expected shorter ones"
                raise InputError(self._path, number, message)
            if self._unpacked:
                self._unpacked.add(len(line))
            yield line

    def read(self) -> bytes:
        """Returns the complete content."""
        if not self._unpacked:
            return self._file.read()
        content = self._file.read(self._unpacked.limit + 1)
        self._unpacked.add(len(content))
        return content


@contextlib.contextmanager
def open_source(path: str | os.PathLike) -> Iterator[SourceFile]:
    """Opens a file for reading; "-" is standard input, and a .gz file is decompressed on the fly."""
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise CorefError("standard input is closed; expected documents on it")
        yield SourceFile(sys.stdin.buffer, path)
    elif os.fspath(path).lower().endswith(".gz"):
        try:
            with gzip.open(path, "rb") as file:
                yield SourceFile(cast("IO[bytes]", file), path, UnpackedBytes(path))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise CorefError(f"{path}: cannot be unpacked: {error}; expected a complete gzip file") from None
    else:
        with open(path, "rb") as file:
            yield SourceFile(file, path)


def read_lines(path: str | os.PathLike, report: Report) -> list[str] | None:
    """Returns the decoded lines of a file, or None if a problem was reported."""
    with open_source(path) as file:
        return decode_lines(file, path, report)


def decode_lines(lines: Iterable[bytes], path: str | os.PathLike, report: Report) -> list[str] | None:
    """Returns the text of all lines of a file, or None if a problem was reported."""
    decoded = [decode_line(raw, path, number, report) for number, raw in enumerate(lines, start=1)]
    texts = [line for line in decoded if line is not None]
    return texts if len(texts) == len(decoded) else None


def decode_line(raw: bytes, path: str | os.PathLike, number: int, report: Report) -> str | None:
    """Returns the text of line `number`, without the byte order mark of the first line.

    Reports a line that is not text, and returns None.
    """
    line = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        wrong = line[error.start : error.end]
        message = (
            f"byte {error.start + 1}, {wrong!r}, is not UTF-8; expected UTF-8 text;"
            " `iconv -f latin1 -t utf-8` converts Latin-1 text"
        )
        report(InputError(path, number, message), True)
        return None
    if "\0" in text:
        report(InputError(path, number, "a NUL byte; expected UTF-8 text"), True)
        return None
    return text


def document_name(path: str | os.PathLike) -> str:
    """Returns the name of a document without one of its own: the file name, without folder and extensions."""
    if os.fspath(path) == STANDARD_INPUT:
        return "text"
    name = Path(path).name
    stem = Path(name[:-3] if name.lower().endswith(".gz") else name).stem
    return readable(stem)
