"""Word vectors in text files, in the format of GloVe or word2vec (with a header line); plain, gzip or zip."""

import gzip
import io
import itertools
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from coref_tf.support.errors import CorefError, InputError

LONGEST_LINE = 1 << 20
UNPACKED_AT_ONCE = 1 << 18
LARGEST_NUMBER = 3.4e38  # the limit of float32
GZIP_MAGIC, ZIP_MAGIC = b"\x1f\x8b", b"PK"

# Exceptions that the standard library raises for truncated, damaged or unsupported archives.
ARCHIVE_ERRORS = (
    EOFError,
    LookupError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def read_text_vectors(path: str | os.PathLike, size: int | None = None) -> Iterator[tuple[str, list[float]]]:
    """Yields each word and its vector, line by line.

    A line consists of a word and `size` numbers, counted from the right, so that words may contain spaces.
    Without `size`, the header line, or else the first line, determines it.

    Raises:
        InputError: if a line is malformed, with its number. The whole file is checked along the way.

    Example:
        for word, vector in read_text_vectors("glove.840B.300d.zip", size=300):
            ...
    """
    lines = _numbered_lines(path, size)
    number, first = next(lines, (1, b""))
    header = _read_header(path, first, size)
    if header:
        size = header[1]
    else:
        size = _check_first_line(path, first, size)
        lines = itertools.chain([(number, first)], lines)
    count = 0
    for number, line in lines:
        yield _read_line(path, number, line, size)
        count += 1
    if header and header[0] != count:
        raise InputError(
            path, number, f"the file ends after {count} words; expected {header[0]}, as in its header"
        )


def _numbered_lines(path: str | os.PathLike, size: int | None) -> Iterator[tuple[int, bytes]]:
    """Yields the lines without line breaks, numbered from 1."""
    number = 0
    with open(path, "rb") as raw:
        try:
            file = _unpacked(path, raw, size)
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise InputError(
                        path, number, f"a line of {LONGEST_LINE} bytes or more; expected text vectors"
                    )
                if number == 1:
                    line = line.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
                yield number, line.rstrip(b" \t\r\n")
        except CorefError:
            raise
        except ARCHIVE_ERRORS as error:
            raise InputError(
                path,
                number + 1,
                f"cannot be read any further ({error}); expected text, or an intact .gz or .zip file",
            ) from error


def _unpacked(path: str | os.PathLike, raw: io.BufferedReader, size: int | None) -> io.BufferedReader:
    """Opens the decompressed text of the file, which is closed with it."""
    magic = raw.peek(2)[:2]
    if magic == GZIP_MAGIC:
        return io.BufferedReader(gzip.GzipFile(fileobj=raw), UNPACKED_AT_ONCE)
    if magic == ZIP_MAGIC:
        archive = zipfile.ZipFile(raw)
        member = archive.open(_choose_member(path, archive, size))
        return io.BufferedReader(member, UNPACKED_AT_ONCE)  # type: ignore[arg-type]  # it has readinto
    return raw


def _choose_member(path: str | os.PathLike, archive: zipfile.ZipFile, size: int | None) -> zipfile.ZipInfo:
    """Returns the only file of the archive, or the one with the size in its name, as in glove.6B.50d.txt."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > 1 and size:
        members = [member for member in members if re.search(rf"(?<!\d){size}d(?![a-z0-9])", member.filename)]
    if len(members) != 1:
        names = ", ".join(sorted(Path(member.filename).name for member in archive.infolist())) or "nothing"
        wanted = f"one file of {size}d vectors" if size else "one file, or a size that selects one"
        raise InputError(path, 1, f"the archive contains {names}; expected {wanted}")
    return members[0]


def _read_header(path: str | os.PathLike, line: bytes, size: int | None) -> tuple[int, int] | None:
    """Returns the numbers of words and dimensions in a word2vec header, or None if the line is a vector."""
    if not re.fullmatch(rb"\d{1,12} \d{1,6}", line):
        return None
    count, dimensions = map(int, line.split())
    if size == 1 and dimensions != 1:  # a number as a word, with its one-dimensional vector
        return None
    if size not in (None, dimensions) or dimensions == 0:
        raise InputError(
            path, 1, f"the header specifies vector size {dimensions}; expected {size or 'a positive number'}"
        )
    return count, dimensions


def _check_first_line(path: str | os.PathLike, line: bytes, size: int | None) -> int:
    """Returns the vector size, after checking that it is the requested one, if any."""
    if not line:
        raise InputError(path, 1, "no vectors; expected a word and its numbers on each line")
    fields = line.split()[1:]
    found = sum(1 for _ in itertools.takewhile(_is_number, reversed(fields)))
    if found == 0:
        raise InputError(
            path, 1, f"no numbers at the end of {_excerpt(line)}; expected a word and its numbers"
        )
    if size is not None and found != size:
        raise InputError(path, 1, f"a word and {found} numbers; expected {size}, the vector size")
    return found


def _read_line(path: str | os.PathLike, number: int, line: bytes, size: int) -> tuple[str, list[float]]:
    fields = line.rsplit(None, size)
    if len(fields) <= size:
        found = sum(map(_is_number, fields))
        raise InputError(
            path, number, f"{_excerpt(line)} has {found} numbers; expected a word and {size} numbers"
        )
    word = fields.pop(0)
    try:
        vector = list(map(float, fields))
        # The sum also reveals numbers that are not finite; float() would accept 1_000.
        sound = sum(map(abs, vector)) < LARGEST_NUMBER and line.find(b"_", len(word)) < 0
    except ValueError:
        sound = False
    if not sound:
        bad = next((field for field in fields if not _is_number(field)), fields[0])
        raise InputError(
            path, number, f"{_excerpt(bad)} is not a finite number; expected a word and {size} numbers"
        )
    if re.search(rb"\s[-+]?\d*\.\d{3,}\Z|\s[-+]?\d+(\.\d*)?[eE][-+]?\d+\Z", word):
        raise InputError(
            path,
            number,
            f"more than {size} numbers after {_excerpt(word)}; expected a word and {size} numbers",
        )
    try:
        return word.decode(), vector
    except UnicodeDecodeError:
        raise InputError(
            path, number, f"the word {_excerpt(word)} is not UTF-8; expected UTF-8 text"
        ) from None


def _is_number(field: bytes) -> bool:
    try:
        return abs(float(field)) < LARGEST_NUMBER and b"_" not in field
    except ValueError:
        return False


def _excerpt(text: bytes) -> str:
    """Returns a part of a line for a message: printable, quoted and truncated."""
    shown = ascii(text.decode("utf-8", "backslashreplace"))
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
