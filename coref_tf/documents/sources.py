"""Where documents are read from: a file, a compressed one, or standard input."""

import contextlib
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coref_tf.support.errors import CorefError
from coref_tf.support.files import readable

STANDARD_INPUT = "-"


@contextlib.contextmanager
def open_source(path: str | os.PathLike) -> Iterator[IO[bytes]]:
    """Opens what is to be read, in binary mode; "-" is standard input, and .gz is unpacked on the way."""
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


def name_of(path: str | os.PathLike) -> str:
    """What a document is called that has no name but its file's: without folder and endings, in Unicode."""
    if os.fspath(path) == STANDARD_INPUT:
        return "text"
    name = Path(path).name
    stem = Path(name[:-3] if name.lower().endswith(".gz") else name).stem
    return readable(stem)
