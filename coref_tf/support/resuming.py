"""Writing a file that takes long, so that the same command goes on where it was stopped."""

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

# How often what is done is made safe: that much work is lost when the power goes.
SECONDS_BETWEEN_MARKS = 5.0


class PartialFile:
    """What is written so far: `file`, open in binary mode, `done`, how many pieces it has, and `end`, its last byte
    when it was opened.
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
        """Counts a piece that was written as a whole."""
        self.done += 1
        self._bytes = self.file.tell()
        if time.monotonic() - self._marked >= SECONDS_BETWEEN_MARKS:
            self.mark()

    def mark(self) -> None:
        """Makes the pieces that are done safe, and notes how many they are; part of another may follow them."""
        self.file.flush()
        os.fsync(self.file.fileno())
        write_json(self._progress, {"job": self._job, "done": self.done, "bytes": self._bytes})
        self._marked = time.monotonic()


@contextlib.contextmanager
def resumable_write(path: str | os.PathLike, job: Any) -> Iterator[PartialFile]:
    """Opens `path`.partial, which becomes `path` when the block succeeds.

    When the block is left otherwise, even by kill -9, the pieces stay, and the next call with an equal `job` goes on
    after them. With another job it begins anew.

    Args:
        path: the file to write.
        job: whatever the pieces depend on, in JSON's terms.

    Example:
        with resumable_write("numbers.txt", {"up to": 10}) as output:
            for number in range(output.done, 10):
                output.file.write(b"%d\\n" % number)
                output.add()
    """
    path = Path(path)
    partial, progress = (path.with_name(f"{path.name}.{kind}") for kind in ("partial", "progress"))
    job = json.loads(json.dumps(job))  # as it is read back
    for name in (path, progress):
        remove_leftovers(name)
    with naming_full_disk(path), open(partial, "a+b") as file:
        _lock(file, partial, path)
        done, size = _read_progress(progress, job)
        if size > os.fstat(file.fileno()).st_size:
            done, size = 0, 0
        if not done:
            progress.unlink(missing_ok=True)  # what another job noted is not true of what this one writes
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
    # Either it is locked, or whoever had it has finished since we opened it: the file has its final name now.
    raise CorefError(f"{path}: another command is writing it; wait for that one, or choose another name")


def _read_progress(progress: Path, job: Any) -> tuple[int, int]:
    """How many pieces of this job are there, and their bytes."""
    try:
        noted = json.loads(progress.read_text(encoding="utf-8"))
        return (noted["done"], noted["bytes"]) if noted["job"] == job else (0, 0)
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return 0, 0
