"""Resumable file writes: an interrupted command continues where it stopped."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from coref_tf.support.errors import CorefError
from coref_tf.support.files import naming_full_disk, remove_leftovers, write_json

# Seconds between two syncs to disk: the most work that a power failure can lose.
SECONDS_BETWEEN_MARKS = 5.0


class PartialFile:
    """A partially written file.

    Attributes:
        file: the file, open in binary mode.
        done: how many pieces it contains.
        end: its last byte when it was opened; empty for a new file.
    """

    def __init__(self, file: IO[bytes], progress: Path, job: Any, done: int):
        self.file = file
        self.done = done
        self._progress, self._job = progress, job
        self._bytes = file.seek(0, os.SEEK_END)
        file.seek(max(0, self._bytes - 1))
        self.end = file.read()
        self._marked = time.monotonic()

    def add(self) -> None:
        """Counts a piece that has been written completely."""
        self.done += 1
        self._bytes = self.file.tell()
        if time.monotonic() - self._marked >= SECONDS_BETWEEN_MARKS:
            self.mark()

    def begin_anew(self) -> None:
        """Discards the pieces of an earlier run."""
        self._progress.unlink(missing_ok=True)
        self.file.truncate(0)
        self.file.seek(0)
        self.done, self._bytes, self.end = 0, 0, b""

    def mark(self) -> None:
        """Syncs the completed pieces to disk and records their number; part of the next piece may follow them."""
        self.file.flush()
        os.fsync(self.file.fileno())
        write_json(self._progress, {"job": self._job, "done": self.done, "bytes": self._bytes})
        self._marked = time.monotonic()


@contextlib.contextmanager
def resumable_write(path: str | os.PathLike, job: Any) -> Iterator[PartialFile]:
    """Opens `path`.partial, which becomes `path` when the block succeeds.

    If the block does not succeed, even because of kill -9, the completed pieces are kept, and the next call with an
    equal `job` resumes after them. A call with another job starts from the beginning.

    Args:
        path: the file to write.
        job: everything that the pieces depend on, as a JSON value.

    Example:
        with resumable_write("numbers.txt", {"up to": 10}) as output:
            for number in range(output.done, 10):
                output.file.write(b"%d\\n" % number)
                output.add()
    """
    path = Path(path)
    partial, progress = (path.with_name(f"{path.name}.{kind}") for kind in ("partial", "progress"))
    job = json.loads(json.dumps(job))  # normalized as when it is read back
    for name in (path, progress):
        remove_leftovers(name)
    with naming_full_disk(path), open(partial, "a+b") as file:
        _lock(file, partial, path)
        done, size = _read_progress(progress, job)
        if size > os.fstat(file.fileno()).st_size:
            done, size = 0, 0
        if not done:
            progress.unlink(missing_ok=True)  # a record of another job would not match what this one writes
        file.truncate(size)
        output = PartialFile(file, progress, job, done)
        try:
            yield output
            file.flush()
            os.fsync(file.fileno())
            os.replace(partial, path)
        except BaseException:
            if output.done:
                output.mark()
            else:
                partial.unlink()
            raise
    progress.unlink(missing_ok=True)


def _lock(file: IO[bytes], partial: Path, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), partial.stat()):
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    # Either it is locked, or its writer has finished since we opened it and the file has its final name now.
    raise CorefError(f"{path}: another command is writing this file; wait for it, or choose another name")


def _read_progress(progress: Path, job: Any) -> tuple[int, int]:
    """Returns how many completed pieces of this job there are, and their size in bytes."""
    try:
        noted = json.loads(progress.read_text(encoding="utf-8"))
        return (noted["done"], noted["bytes"]) if noted["job"] == job else (0, 0)
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return 0, 0
