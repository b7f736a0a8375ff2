"""Atomic file writes, and checks of the files that a command is going to write."""

import contextlib
import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from coref_tf.support.errors import CorefError

STANDARD_OUTPUT = "-"
# Folders of special files, which are written to directly instead of being replaced.
_DEVICES = ("/dev/", "/proc/")
# Names of open file descriptors of this process.
_DESCRIPTOR = re.compile(r"/dev/fd/(\d+)|/proc/self/fd/(\d+)")
_STANDARD = {"-": 1, "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike, mode: str = "w") -> Iterator[IO]:
    """Opens a temporary file next to `path` and renames it to `path` when the block succeeds.

    If the block fails, `path` keeps its content and the temporary file is removed. A symbolic link is kept, and the
    file that it points to is replaced. "-" is standard output; standard output, devices, pipes and anything under /dev
    and /proc are written to directly.

    Example:
        with atomic_write("clusters.jsonlines") as file:
            file.write("...")
    """
    with naming_full_disk(path):
        yield from _atomic_write(path, mode)


def _atomic_write(path: str | os.PathLike, mode: str) -> Iterator[IO]:
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "")
    if not is_replaceable(path):
        with (
            open(_direct(path), mode.replace("+", ""), encoding=encoding, newline=newline) as file,
            _seekable(file) if "+" in mode else contextlib.nullcontext(file) as opened,
        ):
            yield opened
        return
    path = Path(os.path.realpath(path))
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
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


@contextlib.contextmanager
def naming_full_disk(path: str | os.PathLike) -> Iterator[None]:
    """Adds the file name to disk-full errors, which do not include one."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            error.filename = "standard output" if os.fspath(path) == STANDARD_OUTPUT else readable(path)
        raise


def is_replaceable(path: str | os.PathLike) -> bool:
    """Returns whether `path` is or can become a regular file: not "-", a device, a pipe, or a path in /dev or /proc."""
    if os.fspath(path) == STANDARD_OUTPUT or os.path.abspath(path).startswith(_DEVICES):
        return False
    path = Path(os.path.realpath(path))
    return not str(path).startswith(_DEVICES) and (path.is_file() or not path.exists())


def remove_leftovers(path: Path) -> None:
    """Removes temporary files left behind by writers of `path` that were killed.

    A running writer holds a lock on its temporary file, which is released when its process ends.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        if not leftover.name.removeprefix(f".{path.name}.").removesuffix(".tmp").isdecimal():
            continue
        with contextlib.suppress(OSError), open(leftover, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            leftover.unlink()


def check_outputs(
    outputs: Iterable[str | os.PathLike | None], inputs: Iterable[str | os.PathLike | None] = ()
) -> None:
    """Raises an error, before anything is opened, if an output cannot be written or is also an input.

    Args:
        outputs: the files that a command is going to write; "-" is standard output, and None is ignored.
        inputs: the files that it reads; "-" is standard input.
    """
    wanted = [output for output in outputs if output is not None]
    read = [path for path in inputs if path is not None]
    for number, output in enumerate(wanted):
        name = readable(output)
        if any(_same(_identity(output, 1), _identity(path, 0)) for path in read):
            raise CorefError(f"{name}: is an input of this command; expected a different output file")
        if any(_same(_identity(output, 1), _identity(other, 1)) for other in wanted[:number]):
            raise CorefError(f"{name}: is given for two outputs; expected a different file for each")
        folder = os.path.dirname(os.path.realpath(output))
        if os.path.isdir(output):
            raise CorefError(f"{name}: is a folder; expected the name of a file")
        if is_replaceable(output) and not os.path.isdir(folder):
            raise CorefError(
                f"{name}: there is no folder {readable(folder)}; create it, or choose another output"
            )
        if is_replaceable(output) and not os.access(folder, os.W_OK):
            raise CorefError(f"{name}: the folder {readable(folder)} is not writable; choose another output")


def check_ending(output: str | os.PathLike | None, *endings: str) -> None:
    """Raises an error if the name of an output has none of the extensions; devices and pipes may have any name.

    Example:
        check_ending(arguments.json, ".json")
    """
    if output is None or not is_replaceable(output) or os.fspath(output).lower().endswith(endings):
        return
    *first, last = endings
    expected = f"{', '.join(first)} or {last}" if first else last
    raise CorefError(f"{readable(output)}: expected an output whose name ends in {expected}")


@contextlib.contextmanager
def printing_beside(*outputs: str | os.PathLike | None) -> Iterator[None]:
    """Redirects printed output to standard error during the block if one of the outputs is standard output."""
    with contextlib.ExitStack() as stack:
        if any(output is not None and _STANDARD.get(os.fspath(output)) == 1 for output in outputs):
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


def readable(path: str | os.PathLike) -> str:
    """Returns a file name as text; bytes that are not UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def shortened(path: str | os.PathLike, folder: str | os.PathLike = ".") -> Path:
    """Returns a path relative to `folder`, by default the working directory, if it is inside; otherwise, unchanged."""
    whole, inside = Path(os.path.abspath(path)), Path(os.path.abspath(folder))
    return whole.relative_to(inside) if whole.is_relative_to(inside) else Path(path)


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Writes a value as human-readable JSON; lone surrogates, which occur in some file names, are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    with atomic_write(path, "wb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def sha256(path: str | os.PathLike) -> str:
    """Returns the SHA-256 digest of a file, without reading the whole file into memory."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(2**20):
            digest.update(part)
    return digest.hexdigest()


def _create_locked(temporary: Path) -> int:
    """Creates and locks a temporary file; tries again if another process removed it as a leftover before the lock."""
    while True:
        file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(temporary)):
                return file
        os.close(file)


def _direct(path: str | os.PathLike) -> str | int:
    """Returns what to open to write to a device; for a file descriptor that is already open, a duplicate."""
    name = os.fspath(path)
    match = _DESCRIPTOR.fullmatch(name)
    number = int(match[1] or match[2]) if match else _STANDARD.get(name)
    if number is None:
        return name
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        # Opening the file again by name would truncate it and write from its start.
        return os.dup(number)
    except OSError:
        what = "standard output" if number == 1 else name
        raise CorefError(f"{what} is closed; expected an open output") from None


@contextlib.contextmanager
def _seekable(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yields a seekable temporary file and copies it to `file`, which need not be seekable, when the block succeeds."""
    with tempfile.TemporaryFile() as whole:
        yield whole
        whole.seek(0)
        shutil.copyfileobj(whole, file)


def _identity(path: str | os.PathLike, standard: int) -> tuple | None:
    """Returns a key that two names of the same file share, or None if it is not a regular file and may be used twice.

    Args:
        path: the name; "-" is the open file descriptor `standard`.
        standard: 0 or 1.
    """
    try:
        status = os.fstat(standard) if os.fspath(path) == "-" else os.stat(path)
    except OSError:
        return None if os.fspath(path) == "-" else (os.path.realpath(path),)
    if os.fspath(path) == "-" and standard == 1 and not stat.S_ISREG(status.st_mode):
        return ("-",)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _same(identity: tuple | None, other: tuple | None) -> bool:
    return identity is not None and identity == other
