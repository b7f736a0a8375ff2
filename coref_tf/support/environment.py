"""Finds the Python that has the dependencies, so that commands work without activating an environment.

Every command imports this module first, so it uses only the standard library. `make` runs it as a program, with the
Python of an environment, to make `coref` and `import coref_tf` available there. The environment links to the package
in the checkout instead of copying it, so that code changes take effect immediately.
"""

import importlib.metadata
import os
import re
import shlex
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The shell starts Python because the path may contain spaces or exceed the length limit of a #! line.
_COMMAND = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
# PYTHON_ARGCOMPLETE_OK
from coref_tf.commands.main import run

run()
"""


def missing_dependencies() -> list[str]:
    """Returns the distributions in requirements.txt that this Python needs and lacks."""
    requirements = ROOT / "requirements.txt"
    if not requirements.exists():  # an installed wheel: pip has installed its dependencies
        return []
    missing = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        name = re.split(r"[^\w.-]", line)[0]  # a version, a range or a comment may follow the name
        if name and _is_for_this_python(line):
            try:
                importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                missing.append(name)
    return missing


def _is_for_this_python(line: str) -> bool:
    """Returns whether a requirement applies to this Python, according to its `python_version` marker, if it has one."""
    marker = re.search(r'; *python_version (<|>=) "3\.(\d+)"', line)
    return not marker or (sys.version_info[:2] < (3, int(marker[2]))) == (marker[1] == "<")


def use_project_environment() -> None:
    """Reruns the command with the project's .venv if this interpreter lacks the dependencies."""
    missing = missing_dependencies()
    if not missing:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # silences TensorFlow's startup messages
        return
    python = ROOT / ".venv" / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        os.execv(python, [str(python), *sys.orig_argv[1:]])
    sys.exit(
        f"error: {sys.executable} lacks {', '.join(missing)}; run `make` in {ROOT} to install the dependencies"
    )


def invocation() -> str:
    """Returns the command line of this process, as a user would type it again."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        words = ["python", "-m", "coref_tf"]
    else:
        words = ["python", sys.argv[0]] if program.suffix == ".py" else [program.name]
    return shlex.join([*words, *sys.argv[1:]])


def link_checkout(packages: Path, scripts: Path) -> None:
    """Writes a .pth file that points to the checkout, and the `coref` script."""
    (packages / "coref_tf_checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    command = scripts / "coref"
    command.write_text(_COMMAND.format(python=sys.executable), encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    paths = sysconfig.get_paths()
    link_checkout(Path(paths["purelib"]), Path(paths["scripts"]))
