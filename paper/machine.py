"""Describes the machine that a step runs on."""

import functools
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path


@functools.cache
def describe_machine() -> str:
    """Describes processor, cores, memory, GPUs and versions in one line.

    Example:
        describe_machine()      # "AMD EPYC 7B13, 2 cores, 24 GiB; no GPU; Python 3.11.7, TensorFlow 2.15.1"
    """
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    versions = f"Python {platform.python_version()}, TensorFlow {importlib.metadata.version('tensorflow')}"
    return f"{_processor()}, {cores} cores, {gib:.0f} GiB; {_gpus()}; {versions}"


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


def _gpus() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return "no GPU"
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    names = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")
    return ", ".join(name for name in names if name) or "no GPU"
