"""Writing files so that nothing is ever lost or half written."""

import contextlib
import fcntl
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from coref_tf.support.errors import CorefError

STANDARD_OUTPUT = "-"
# What is there is no file to be replaced: writing goes straight to whatever it stands for.
_DEVICES = ("/dev/", "/proc/")


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike, mode: str = "w") -> Iterator[IO]:
    """Opens a temporary neighbour of `path` and renames it onto `path` when the block succeeds.

    When the block fails, `path` keeps what it had and the temporary file is removed. A link stays one: what it
    points to is replaced. "-" is the process's standard output; that, devices, pipes and whatever is under /dev
    and /proc are written to directly.

    Example:
        with atomic_write("clusters.jsonlines") as file:
            file.write("...")
    """
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "")
    if not is_replaceable(path):
        with open(_direct(path), mode, encoding=encoding, newline=newline) as file:
            yield file
        return
    path = Path(os.path.realpath(path))
    remove_leftovers(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(_create_locked(temporary), mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def is_replaceable(path: str | os.PathLike) -> bool:
    """Whether this is a file, or may become one; "-", devices, pipes, and what is under /dev or /proc are none."""
    if os.fspath(path) == STANDARD_OUTPUT or os.path.abspath(path).startswith(_DEVICES):
        return False
    path = Path(os.path.realpath(path))
    return not str(path).startswith(_DEVICES) and (path.is_file() or not path.exists())


def remove_leftovers(path: Path) -> None:
    """Removes temporary files that writers of `path` left behind when they were killed.

    A living writer holds a lock on its own, which ends with its process.
    """
    for leftover in path.parent.glob(f".{_literal(path.name)}.*.tmp"):
        with contextlib.suppress(OSError), open(leftover, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leftover.unlink()


def check_outputs(outputs: Iterable[str | os.PathLike], inputs: Iterable[str | os.PathLike] = ()) -> None:
    """Refuses, before anything is opened, an output that can't be written or that is one of the inputs.

    Args:
        outputs: the files that a command is going to write; "-" is standard output.
        inputs: the files that it reads.
    """
    files = [os.path.realpath(path) for path in inputs if os.fspath(path) != "-"]
    taken: set[str] = set()
    for output in outputs:
        if not is_replaceable(output):
            continue
        path = os.path.realpath(output)
        if any(_same(path, file) for file in files):
            raise CorefError(
                f"{output}: is an input of this command; expected an output that is another file"
            )
        if path in taken:
            raise CorefError(f"{output}: is named for two outputs; expected a file for each")
        taken.add(path)
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            raise CorefError(f"{output}: there is no folder {folder}; make it, or name another output")


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Writes a value as JSON that people can read."""
    with atomic_write(path) as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def _create_locked(temporary: Path) -> int:
    """A new file that is locked; one that was taken for a leftover before it was is made again."""
    while True:
        file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(temporary)):
                return file
        os.close(file)


def _direct(path: str | os.PathLike) -> str | int:
    """What to open for writing to a device; of standard output a copy, which may be closed."""
    standard = {STANDARD_OUTPUT, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}
    if os.fspath(path) not in standard:
        return os.fspath(path)
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        # Opened anew by its name, a file would be cut to nothing and written from its start.
        return os.dup(1)
    except OSError:
        raise CorefError("standard output is closed; expected somewhere to write to") from None


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return path == other


def _literal(name: str) -> str:
    """A name as a pattern of `glob` that only it fits."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)
