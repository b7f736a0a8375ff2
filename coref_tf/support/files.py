"""Writing files so that nothing is ever lost or half written."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike, mode: str = "w") -> Iterator[IO]:
    """Opens a temporary neighbour of `path` and renames it onto `path` when the block succeeds.

    When the block fails, `path` keeps what it had and the temporary file is removed. A device or a pipe, such as
    /dev/stdout, is written to directly.

    Example:
        with atomic_write("clusters.jsonlines") as file:
            file.write("...")
    """
    path = Path(path)
    encoding, newline = (None, None) if "b" in mode else ("utf-8", "")
    if path.exists() and not path.is_file():
        with open(path, mode, encoding=encoding, newline=newline) as file:
            yield file
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: str | os.PathLike, value: Any) -> None:
    """Writes a value as JSON that people can read."""
    with atomic_write(path) as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")
