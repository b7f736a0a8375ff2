"""`make` installs the command `coref` and the checkout's package in the environment."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from coref_tf.support.environment import link_checkout

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_and_the_package_work_from_anywhere(tmp_path, monkeypatch):
    """Uses a new environment in a folder whose name has a space."""
    environment = tmp_path / "an environment"
    venv.create(environment, with_pip=False)
    (packages,) = environment.glob("lib/python*/site-packages")
    monkeypatch.setattr(sys, "executable", str(environment / "bin" / "python"))
    link_checkout(packages, environment / "bin")
    command = [environment / "bin" / "coref", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("coref_tf "), done.stderr
    code = "import coref_tf; print(coref_tf.__file__)"
    done = subprocess.run(
        [environment / "bin" / "python", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == str(ROOT / "coref_tf" / "__init__.py"), done.stderr


def test_shell_completion(tmp_path):
    """Asks for completions as a shell does when Tab is pressed; they arrive on file descriptor 8."""
    for line, expected in {"coref doc": "doctor", "coref predict --di": "--dialogue"}.items():
        asked = {
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_IFS": "\n",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        }
        answer = tmp_path / "answer"
        subprocess.run(
            ["bash", "-c", '"$0" -m coref_tf 8> "$1" 9> /dev/null', sys.executable, answer],
            cwd=ROOT,
            env=os.environ | asked,
            check=False,
        )
        assert expected in answer.read_text().split(), line
