"""Builds a slow fixture once for all pytest-xdist workers."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def build_once(tmp_path_factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """Returns the folder of that name; the first process that asks for it fills it with `build`, the others wait."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = base / name
    with open(base / f"{name}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            new = base / f"{name}.new"
            shutil.rmtree(new, ignore_errors=True)  # left by a process that failed
            build(new)
            new.rename(folder)
    return folder
