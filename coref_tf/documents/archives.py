"""Reads zip archives within a size limit, and reports damage in one line."""

import contextlib
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from coref_tf.documents.sources import UnpackedBytes
from coref_tf.support.errors import CorefError


class Archive:
    """A zip archive whose files are read one by one. Their total size may not exceed `COREF_MAX_UNPACKED`.

    Args:
        file: The archive, opened in binary mode.
        path: Its path, for error messages.
    """

    def __init__(self, file: IO[bytes], path: str | os.PathLike):
        self._path, self._unpacked = path, UnpackedBytes(path)
        with unpacking(path):
            self._archive = zipfile.ZipFile(file)
            self.names = frozenset(self._archive.namelist())

    def read(self, name: str) -> bytes:
        """Returns the content of a file in the archive."""
        self._unpacked.add(self._archive.getinfo(name).file_size)  # zipfile never reads more than this
        with unpacking(self._path):
            return self._archive.read(name)

    def check_total_size(self) -> None:
        """Raises an error if the total size of the files exceeds the limit, for libraries that unpack all of them."""
        self._unpacked.add(sum(entry.file_size for entry in self._archive.infolist()))


@contextlib.contextmanager
def unpacking(path: str | os.PathLike) -> Iterator[None]:
    """Converts any exception that the zip module raises for a damaged archive to a one-line error."""
    try:
        yield
    except CorefError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
        EOFError,
        OSError,
        ValueError,
    ) as error:
        raise CorefError(f"{path}: cannot be unpacked: {error}; expected {_a_zip_archive(path)}") from None
    except (NotImplementedError, RuntimeError) as error:  # an unsupported compression method, or a password
        raise CorefError(
            f"{path}: cannot be unpacked: {error}; expected {_a_zip_archive(path)} without a password"
        ) from None


def _a_zip_archive(path: str | os.PathLike) -> str:
    extension = os.path.splitext(path)[1].lower()
    return "a zip archive" if extension in ("", ".zip") else f"a zip archive, which every {extension} file is"
