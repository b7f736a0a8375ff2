"""Finds and checks the two libraries that `make` builds from kernels/, and loads the one without TensorFlow.

`_coref_ops.so` holds the TensorFlow ops, `_native.so` the plain C++ algorithms for NumPy. Both carry a record
of how they were built, which is read from the file before anything of it runs: a library that is missing,
stale or damaged gives one line that says which, why, and the command that mends it, instead of a crash.
"""

import functools
import hashlib
import importlib
import json
import os
import re
import shlex
import struct
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from coref_tf.support.errors import CorefError

PACKAGE = Path(__file__).resolve().parent.parent
OPS_LIBRARY = PACKAGE / "_coref_ops.so"
NATIVE_LIBRARY = PACKAGE / "_native.so"

_RECORD = re.compile(rb"<coref_tf-build>(\{.*?\})</coref_tf-build>")


@functools.cache
def algorithms() -> ModuleType:
    """Loads coref_tf._native, the plain C++ algorithms; a CorefError says what is wrong with it."""
    check_library(NATIVE_LIBRARY, python=sysconfig.get_python_version())
    try:
        return importlib.import_module("coref_tf._native")
    except ImportError as error:
        raise unusable(NATIVE_LIBRARY, f"can't be loaded: {error}") from None


def check_library(path: Path, **expected: str | int) -> None:
    """Refuses a library that is missing, damaged, built for something else or older than its sources."""
    record = read_record(path)
    for key, value in expected.items():
        if record.get(key) != value:
            built_for, running = f"{_WORDS[key]} {record.get(key)}", f"{_WORDS[key]} {value}"
            raise unusable(path, f"is stale: it was built for {built_for}, and this is {running}")
    if _is_checkout():  # an installed package has no sources to be older than
        for name, digest in record["sources"].items():
            if source_digest(PACKAGE.parent / "kernels" / name) != digest:
                raise unusable(path, f"is stale: kernels/{name} has changed since it was built")


def read_record(path: Path) -> dict:
    """What a library says of its build: versions, ABI flag, compiler and the digests of its sources."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise unusable(path, "is missing: it has not been built") from None
    _check_whole(path, content)
    record = _RECORD.search(content)
    if record is None:
        raise unusable(path, "was not built by this project's Makefile: it carries no build record")
    return json.loads(record[1])


def source_digest(path: Path) -> str:
    """The digest of a source file, as the build record holds it; empty for a missing file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


_WORDS = {"tensorflow": "TensorFlow", "abi": "C++11 ABI flag", "python": "Python"}


def _check_whole(path: Path, content: bytes) -> None:
    """Refuses what is no 64-bit ELF file, or is cut short: loading that can kill the process.

    The section headers are the last thing in a library that a linker wrote, so every cut loses some of them.
    """
    if content[:5] != b"\x7fELF\x02":
        raise unusable(path, "is not a shared library")
    if len(content) >= 64:
        (sections,) = struct.unpack_from("<Q", content, 40)
        size, count = struct.unpack_from("<HH", content, 58)
        if len(content) >= sections + size * count:
            return
    raise unusable(path, f"is damaged: it is cut short after {len(content)} bytes")


def _is_checkout() -> bool:
    return (PACKAGE.parent / "kernels" / "link.py").exists()


def unusable(path: Path, why: str) -> CorefError:
    """The error for a library that can't be used: which, why, and the command that mends it."""
    return CorefError(f"{path} {why}; {how_to_mend()}")


def how_to_mend() -> str:
    """The command that builds the libraries anew with this Python, which plain make may not take."""
    if not _is_checkout():
        return "install coref_tf again"
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX") or PACKAGE.parent / ".venv"
    plain = sys.prefix == sys.base_prefix or Path(active).resolve() == Path(sys.prefix).resolve()
    make = "make" if plain else f"make ENVIRONMENT={shlex.quote(sys.prefix)}"
    return f"run `{make}` in {PACKAGE.parent}"
