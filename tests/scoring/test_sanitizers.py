"""The scorer's C++ under the address, undefined-behaviour and thread sanitizers."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++, which is not on this machine")
@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
def test_scorer(sanitizers, tmp_path):
    program = tmp_path / "scorer_test"
    flags = f"-std=c++17 -O1 -pthread -fsanitize={sanitizers} -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS"
    source = ROOT / "tests" / "scoring" / "scorer_test.cc"
    command = [
        "g++",
        *flags.split(),
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{ROOT / 'kernels'}",
        source,
        "-o",
        program,
    ]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "scorer: ok\n", "")
