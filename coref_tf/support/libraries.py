"""Finds and checks the two libraries that `make` builds from kernels/, and loads the one without TensorFlow.

`_coref_ops.so` contains the TensorFlow ops, `_native.so` the plain C++ algorithms for NumPy. Both contain a record of
how they were built, which is read from the file before any of its code runs. A missing, stale or damaged library is
therefore reported in one line, with the reason and the command that fixes it, instead of crashing.
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
    """Loads coref_tf._native, the plain C++ algorithms, or raises a CorefError that says what is wrong with it."""
    check_library(NATIVE_LIBRARY, python=sysconfig.get_python_version())
    try:
        return importlib.import_module("coref_tf._native")
    except ImportError as error:
        raise unusable(NATIVE_LIBRARY, f"can't be loaded: {error}") from None


def check_library(path: Path, **expected: str | int) -> None:
    """Raises an error if a library is missing, damaged, built for another environment, or older than its sources."""
    record = read_record(path)
    for key, value in expected.items():
        if record.get(key) != value:
            built_for, running = f"{_WORDS[key]} {record.get(key)}", f"{_WORDS[key]} {value}"
            raise unusable(path, f"is stale: it was built for {built_for}, but this is {running}")
    if _is_checkout():  # an installed package has no sources to compare with
        for name, digest in record["sources"].items():
            if source_digest(PACKAGE.parent / "kernels" / name) != digest:
                raise unusable(path, f"is stale: kernels/{name} has changed since it was built")


def read_record(path: Path) -> dict:
    """Returns the build record of a library: versions, ABI flag, compiler and the digests of its sources."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise unusable(path, "is missing: it has not been built") from None
    _check_complete(path, content)
    record = _RECORD.search(content)
    if record is None:
        raise unusable(path, "was not built by this project's Makefile: it carries no build record")
    return json.loads(record[1])


def source_digest(path: Path) -> str:
    """Returns the digest of a source file as the build record stores it, or "" if the file is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


_WORDS = {"tensorflow": "TensorFlow", "abi": "C++11 ABI flag", "python": "Python"}


def _check_complete(path: Path, content: bytes) -> None:
    """Raises an error if the file is not a 64-bit ELF file or is truncated: loading it could crash the process.

    Linkers write the section headers at the end of a library, so a truncated file has lost at least some of them.
    """
    if content[:5] != b"\x7fELF\x02":
        raise unusable(path, "is not a shared library")
    if len(content) >= 64:
        (sections,) = struct.unpack_from("<Q", content, 40)
        size, count = struct.unpack_from("<HH", content, 58)
        if len(content) >= sections + size * count:
            return
    raise unusable(path, f"is damaged: it is truncated after {len(content)} bytes")


def _is_checkout() -> bool:
    return (PACKAGE.parent / "kernels" / "link.py").exists()


def unusable(path: Path, why: str) -> CorefError:
    """Returns the error for an unusable library: which one, why, and the command that fixes it."""
    return CorefError(f"{path} {why}; {how_to_fix()}")


def how_to_fix() -> str:
    """Returns the command that rebuilds the libraries with this Python, which plain `make` might not choose."""
    if not _is_checkout():
        return "reinstall coref_tf"
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX") or PACKAGE.parent / ".venv"
    plain = sys.prefix == sys.base_prefix or Path(active).resolve() == Path(sys.prefix).resolve()
    make = "make" if plain else f"make ENVIRONMENT={shlex.quote(sys.prefix)}"
    return f"run `{make}` in {PACKAGE.parent}"
