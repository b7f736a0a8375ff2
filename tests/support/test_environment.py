"""Commands find the Python that has the dependencies without an active environment."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from coref_tf.support import environment

SCRIPT = """
from coref_tf.support.environment import use_project_environment

use_project_environment()
import sys

print(sys.prefix, *sys.argv[1:])
"""


@pytest.fixture
def project(tmp_path):
    """A project in a folder whose name has a space, which needs a distribution that isn't installed yet."""
    root = tmp_path / "some project"
    (root / "coref_tf" / "support").mkdir(parents=True)
    (root / "coref_tf" / "__init__.py").touch()
    (root / "coref_tf" / "support" / "__init__.py").touch()
    shutil.copy(environment.__file__, root / "coref_tf" / "support")
    (root / "requirements.txt").write_text("# needs\nnowhere-to-be-found==1.0  # made up\n")
    (root / "script.py").write_text(SCRIPT)
    return root


def run(project, *arguments):
    """Runs the base interpreter, without an active environment."""
    python = sys._base_executable
    return subprocess.run(
        [python, *arguments], cwd=project.parent, capture_output=True, text=True, check=False
    )


def install(project, environment_folder):
    venv.create(environment_folder, with_pip=False)
    (packages,) = environment_folder.glob("lib/python*/site-packages")
    metadata = packages / "nowhere_to_be_found-1.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: nowhere-to-be-found\nVersion: 1.0\n")


def test_scripts_run_again_in_the_environment_of_the_project(project):
    install(project, project / ".venv")
    finished = run(project, "some project/script.py", "an argument", "--flag")
    assert finished.stdout.strip() == f"{project / '.venv'} an argument --flag", finished.stderr


def test_modules_run_again_in_the_environment_of_the_project(project):
    install(project, project / ".venv")
    (project / "coref_tf" / "tool.py").write_text(SCRIPT)
    command = [sys._base_executable, "-m", "coref_tf.tool", "x"]
    finished = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert finished.stdout.strip() == f"{project / '.venv'} x", finished.stderr


@pytest.mark.parametrize("environment_made", [False, True])
def test_missing_dependencies_are_a_one_line_error(project, environment_made):
    if environment_made:
        venv.create(project / ".venv", with_pip=False)
    finished = run(project, "some project/script.py")
    assert finished.returncode == 1
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1
    assert "lacks nowhere-to-be-found; run `make` in" in finished.stderr


def test_this_interpreter_lacks_nothing():
    assert environment.missing_dependencies() == []
    assert Path(environment.ROOT / "requirements.txt").exists()
