"""A lock on a folder, held by one process at a time."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

from coref_tf.support.environment import invocation
from coref_tf.support.errors import CorefError
from coref_tf.support.files import write_json

HOLDER = "running.json"


@contextlib.contextmanager
def locked_folder(folder: str | os.PathLike) -> Iterator[None]:
    """Locks a folder for the duration of the block, creating it if necessary.

    The operating system releases the lock when the process ends, however it ends. A file next to the lock names the
    holder; it has no meaning without the lock.

    Example:
        with locked_folder("logs/best"):
            ...
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorefError(
                f"{folder}: another run is using this folder{_holder(folder)}; wait for it, or choose another log_root"
            ) from None
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        write_json(folder / HOLDER, {"pid": os.getpid(), "since": since, "command": invocation()})
        try:
            yield
        finally:
            (folder / HOLDER).unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _holder(folder: Path) -> str:
    try:
        holder = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        return f" (process {holder['pid']} since {holder['since']}: {holder['command']})"
    except (OSError, ValueError, LookupError, TypeError):
        return ""  # the holder has the lock, but has not written its name yet
