"""How the Makefile finds Python and makes environments, tested with a fake Python."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coref_tf.support.lanes import PYTHONS

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("make", "sh", "mkdir", "cmp", "mv", "rm", "stat", "touch", "cat", "cp", "g++")

# The calls that install the packages and `coref` in an environment.
INSTALLATION = ["-m pip install", "-m coref_tf.support.environment"]

# Prints its version, makes environments that contain a copy of itself, and logs the modules it is asked to run.
FAKE_PYTHON = """#!/bin/sh
case "$*" in
--version) echo "Python VERSION" ;;
-c*constraints*) case VERSION in 3.1[23]*) echo constraints-2.21.txt ;; *) echo constraints.txt ;; esac ;;
-c*lanes*) echo "a TensorFlow" ;;
-c*sys.argv*) shift 2; for version; do case VERSION in $version.*) exit 0 ;; esac; done; exit 1 ;;
*"venv --clear"*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$0" "$4/bin/pip" ;;
esac
case "$*" in -m*) echo "$*" >> "$LOG" ;; esac
"""


@pytest.fixture
def project(tmp_path):
    """A checkout in a folder whose name has a space, and beside it `bin`, a PATH with a compiler but no Python."""
    root = tmp_path / "a checkout"
    root.mkdir()
    for name in ("Makefile", *(path.name for path in ROOT.glob("*.txt"))):
        shutil.copy(ROOT / name, root)
    (root / "kernels").mkdir()
    shutil.copy(ROOT / "kernels" / "environment.sh", root / "kernels")
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    return root


def put_python(folder: Path, name: str, version: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(FAKE_PYTHON.replace("VERSION", version))
    (folder / name).chmod(0o755)


def make(project: Path, *variables: str, **environment: str) -> subprocess.CompletedProcess:
    """Runs `make build/dependencies`."""
    tools = {"PATH": str(project.parent / "bin"), "LOG": str(project.parent / "log"), "HOME": str(project)}
    command = ["make", "build/dependencies", *variables]
    return subprocess.run(
        command, cwd=project, env=tools | environment, capture_output=True, text=True, check=False
    )


def new_calls(project: Path) -> list[str]:
    """Returns the calls that the fake Pythons logged since the last call of this function."""
    file = project.parent / "log"
    lines = file.read_text().splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return [line.split(" --")[0] for line in lines]


def test_an_environment_is_made_once(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    assert make(project).returncode == 0
    assert new_calls(project) == ["-m venv", *INSTALLATION]
    assert make(project).returncode == 0
    assert new_calls(project) == []


def test_dependencies_are_installed_again_when_they_or_the_environment_change(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    make(project)
    new_calls(project)
    later = time.time() + 5
    os.utime(project / "requirements.txt", (later, later))
    make(project)
    assert new_calls(project) == INSTALLATION
    shutil.rmtree(project / ".venv")
    make(project)
    assert new_calls(project) == ["-m venv", *INSTALLATION]
    (project / ".venv" / "bin" / "pip").unlink()  # as after an interruption
    make(project)
    assert new_calls(project) == ["-m venv", *INSTALLATION]


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_active_environment_is_used(project, variable):
    active = project.parent / "my environment"
    put_python(active / "bin", "python", "3.11.2")
    assert make(project, **{variable: str(active)}).returncode == 0
    assert new_calls(project) == INSTALLATION
    assert not (project / ".venv").exists()


def test_a_python_of_the_wrong_version_is_skipped(project):
    put_python(project.parent / "bin", "python3.11", "3.12.0")  # a misleading shim
    put_python(project.parent / "bin", "python3", "3.11.0")
    assert make(project).returncode == 0
    assert new_calls(project) == ["-m venv", *INSTALLATION]


def assert_one_error(finished: subprocess.CompletedProcess, message: str) -> None:
    assert finished.returncode != 0
    errors = [line for line in finished.stderr.splitlines() if not line.startswith("make:")]
    assert errors == [message]


NONE_FOUND = "error: no Python 3.11, 3.13, 3.12 or 3.10 was found; install one with its venv module"
WITH_UV = "uv venv --seed --python 3.11 .venv"


def test_without_a_suitable_python_the_error_says_how_to_get_one(project):
    assert_one_error(make(project), f"{NONE_FOUND}, and run make again")
    put_python(project.parent / "bin", "python3", "3.9.0")
    pip = f"python3 -m pip install uv && python3 -m {WITH_UV}"
    assert_one_error(make(project), f"{NONE_FOUND}, or run `{pip}`, and run make again")
    put_python(project.parent / "bin", "uv", "0.9")
    assert_one_error(make(project), f"{NONE_FOUND}, or run `{WITH_UV}`, and run make again")


def test_python_3_11_is_preferred_then_the_newest(project):
    """Make uses the first Python of PYTHONS that exists, and prints its lane."""
    for version in reversed(PYTHONS):
        put_python(project.parent / "bin", f"python{version}", f"{version}.1")
        made = make(project)
        assert f"python{version} -m venv .venv\n" in made.stdout, made.stderr
        assert f".venv/bin/python is Python {version}.1, the lane of a TensorFlow\n" in made.stdout
        assert '-c "$(".venv/bin/python" -c' in made.stdout
        shutil.rmtree(project / ".venv")


def test_pythons_of_pyenv_and_uv_are_found(project):
    put_python(project / ".local/share/uv/python/cpython-3.12.9-linux/bin", "python3.12", "3.12.9")
    assert "/bin/python3.12 -m venv .venv" in make(project).stdout
    shutil.rmtree(project / ".venv")
    put_python(project / ".pyenv/versions/3.13.2/bin", "python3.13", "3.13.2")
    assert "/.pyenv/versions/3.13.2/bin/python3.13 -m venv .venv" in make(project).stdout
    shutil.rmtree(project / ".venv")
    for _ in range(2):  # chosen by name, once to make the environment and once when it exists
        made = make(project, "PYTHON=python3.12")
        assert made.returncode == 0, made.stderr
    assert (project / ".venv").exists()
    assert_one_error(
        make(project, "PYTHON=python3.10"),
        "error: PYTHON=python3.10 is not Python 3.11, 3.13, 3.12 or 3.10 with a venv module",
    )


def test_each_lane_has_its_constraints_file(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    put_python(project.parent / "bin", "python3.13", "3.13.0")
    for python, lock in (("python3.11", "constraints.txt"), ("python3.13", "constraints-2.21.txt")):
        make(project, f"PYTHON={python}", f"ENVIRONMENT={python}")
        installed = (project.parent / "log").read_text().splitlines()[1]
        assert installed.endswith(f"-r requirements-dev.txt -c {lock}")
        new_calls(project)


def test_the_make_variable_python_chooses_the_python(project):
    put_python(project.parent / "bin", "python3.11", "3.11.9")
    put_python(project.parent / "bin", "python3.13", "3.13.0")
    put_python(project.parent / "bin", "python3.9", "3.9.1")
    assert_one_error(
        make(project, "PYTHON=python3.9"),
        "error: PYTHON=python3.9 is not Python 3.11, 3.13, 3.12 or 3.10 with a venv module",
    )
    assert "python3.13 -m venv .venv\n" in make(project, "PYTHON=python3.13").stdout
    assert make(project).returncode == 0  # uses the existing environment
    assert_one_error(
        make(project, "PYTHON=python3.11"),
        "error: .venv has Python 3.13.0, and PYTHON=python3.11 is Python 3.11.9; remove it, or keep both:"
        " `make PYTHON=python3.11 ENVIRONMENT=.venv-2`",
    )
    assert make(project, "PYTHON=python3.11", "ENVIRONMENT=.venv-2").returncode == 0
    assert_one_error(
        make(project, "PYTHON=python3.11", VIRTUAL_ENV=str(project / ".venv")),
        f"error: {project}/.venv has Python 3.13.0, and PYTHON=python3.11 is Python 3.11.9; deactivate it, or"
        " omit PYTHON",
    )
    shutil.rmtree(project / ".venv")
    assert "python3.11 -m venv .venv\n" in make(project, PYTHON="python3.13").stdout  # not a make variable


def test_an_active_environment_with_an_unsupported_python_is_refused(project):
    active = project.parent / "other"
    put_python(active / "bin", "python", "3.9.1")
    needed = "3.11, 3.13, 3.12 or 3.10 is needed"
    assert_one_error(
        make(project, VIRTUAL_ENV=str(active)),
        f"error: {active} has Python 3.9.1 where {needed}; activate another or none",
    )


def test_an_active_environment_that_does_not_exist_is_refused(project):
    assert_one_error(
        make(project, VIRTUAL_ENV="/gone"),
        "error: the active environment /gone has no bin/python; activate another or none",
    )


def test_make_with_built_kernels_builds_nothing():
    """Runs in this checkout, where the kernels have been built, because the tests need them."""
    environment = os.environ | {"VIRTUAL_ENV": sys.prefix}
    environment = {name: value for name, value in environment.items() if not name.startswith("MAKE")}
    finished = subprocess.run(
        ["make", "kernels"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert "pip" not in finished.stdout
    assert "-o coref_tf" not in finished.stdout
