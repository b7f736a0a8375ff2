"""The Makefile's care of environments, with a Python that only pretends."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("make", "sh", "mkdir", "cmp", "mv", "rm", "stat", "touch", "cat", "cp", "g++")

# What puts the packages and `coref` into an environment.
FILLED = ["-m pip install", "-m coref_tf.support.checkout"]

# Knows its version, makes an environment with itself in it, and notes what it is asked to do.
FAKE_PYTHON = """#!/bin/sh
case "$*" in
--version) echo "Python VERSION" ;;
-c*) case VERSION in 3.11*) exit 0 ;; *) exit 1 ;; esac ;;
*"venv --clear .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python && cp "$0" .venv/bin/pip ;;
esac
case "$*" in -m*) echo "$*" >> "$LOG" ;; esac
"""


@pytest.fixture
def project(tmp_path):
    """A checkout, in a folder with a space, and a PATH with a compiler but no Python."""
    root = tmp_path / "a checkout"
    root.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    return root


def put_python(folder: Path, name: str, version: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(FAKE_PYTHON.replace("VERSION", version))
    (folder / name).chmod(0o755)


def make(project: Path, **environment: str) -> subprocess.CompletedProcess:
    """Has make see to the dependencies."""
    tools = {"PATH": str(project.parent / "bin"), "LOG": str(project.parent / "log")}
    command = ["make", "build/dependencies"]
    return subprocess.run(
        command, cwd=project, env=tools | environment, capture_output=True, text=True, check=False
    )


def log(project: Path) -> list[str]:
    """What the Pythons were asked to do since the last time."""
    file = project.parent / "log"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return [line.split(" --")[0] for line in lines]


def test_an_environment_is_made_and_filled_once(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    assert make(project).returncode == 0
    assert log(project) == ["-m venv", *FILLED]
    assert make(project).returncode == 0
    assert log(project) == []


def test_dependencies_are_installed_again_when_they_or_the_environment_change(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    make(project)
    log(project)
    later = time.time() + 5
    os.utime(project / "requirements.txt", (later, later))
    make(project)
    assert log(project) == FILLED
    shutil.rmtree(project / ".venv")
    make(project)
    assert log(project) == ["-m venv", *FILLED]
    (project / ".venv" / "bin" / "pip").unlink()  # as when making it was interrupted
    make(project)
    assert log(project) == ["-m venv", *FILLED]


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_active_environment_is_used(project, variable):
    active = project.parent / "my environment"
    put_python(active / "bin", "python", "3.11.2")
    assert make(project, **{variable: str(active)}).returncode == 0
    assert log(project) == FILLED
    assert not (project / ".venv").exists()


def test_python_by_another_name(project):
    put_python(project.parent / "bin", "python3.11", "3.12.0")  # a shim that lies
    put_python(project.parent / "bin", "python3", "3.11.0")
    assert make(project).returncode == 0
    assert log(project) == ["-m venv", *FILLED]


def assert_one_error(finished: subprocess.CompletedProcess, message: str) -> None:
    assert finished.returncode != 0
    errors = [line for line in finished.stderr.splitlines() if not line.startswith("make:")]
    assert errors == [message]


def test_no_python(project):
    put_python(project.parent / "bin", "python3", "3.12.0")
    assert_one_error(
        make(project),
        "error: Python 3.11 was not found; install it with its venv module and run make again",
    )


def test_an_active_environment_with_another_python(project):
    active = project.parent / "other"
    put_python(active / "bin", "python", "3.9.1")
    assert_one_error(
        make(project, VIRTUAL_ENV=str(active)),
        f"error: {active} has Python 3.9.1 where 3.11 is needed; activate another or none",
    )


def test_an_active_environment_that_is_gone(project):
    assert_one_error(
        make(project, VIRTUAL_ENV="/gone"),
        "error: the active environment /gone has no bin/python; activate another or none",
    )


def test_a_second_make_does_nothing():
    """In this checkout, whose kernels are built: the tests would not have come this far."""
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix}
    environment = {name: value for name, value in environment.items() if not name.startswith("MAKE")}
    finished = subprocess.run(
        ["make", "kernels"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert "pip" not in finished.stdout
    assert "-o coref_tf" not in finished.stdout
