"""Finds the Python that has the dependencies, so that commands work with nothing activated.

Imported first by every command; uses the standard library alone.
"""

import importlib.metadata
import os
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def missing_dependencies() -> list[str]:
    """The distributions of requirements.txt for this Python that it lacks."""
    requirements = ROOT / "requirements.txt"
    if not requirements.exists():  # an installed wheel: pip has seen to them
        return []
    missing = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        name = re.split(r"[^\w.-]", line)[0]  # what follows is a version, a range or a comment
        if name and _is_for_this_python(line):
            try:
                importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                missing.append(name)
    return missing


def _is_for_this_python(line: str) -> bool:
    """Whether a requirement's marker, if it has one, lets this Python have it; they are all of one kind."""
    marker = re.search(r'; *python_version (<|>=) "3\.(\d+)"', line)
    return not marker or (sys.version_info[:2] < (3, int(marker[2]))) == (marker[1] == "<")


def use_project_environment() -> None:
    """Runs the command again under the project's .venv when this interpreter lacks the dependencies."""
    missing = missing_dependencies()
    if not missing:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow's start-up chatter
        return
    python = ROOT / ".venv" / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        os.execv(python, [str(python), *sys.orig_argv[1:]])
    sys.exit(
        f"error: {sys.executable} lacks {', '.join(missing)}; run `make` in {ROOT} to install what is missing"
    )


def invocation() -> str:
    """The command line of this process, as a user would type it again."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        words = ["python", "-m", "coref_tf"]
    else:
        words = ["python", sys.argv[0]] if program.suffix == ".py" else [program.name]
    return shlex.join([*words, *sys.argv[1:]])
