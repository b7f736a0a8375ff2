"""Makes `coref` and `import coref_tf` work in an environment; `make` runs it with the Python of that environment.

The package stays where it is, so that a change to it counts at once.
"""

import sys
import sysconfig
from pathlib import Path

from coref_tf.support.environment import ROOT

# A path may have spaces, and be longer than what may follow a #!, so that the shell starts Python.
_COMMAND = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
# PYTHON_ARGCOMPLETE_OK
from coref_tf.commands.main import run

run()
"""


def link_checkout(packages: Path, scripts: Path) -> None:
    """Writes a .pth file that names the checkout, and the command."""
    (packages / "coref_tf_checkout.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    command = scripts / "coref"
    command.write_text(_COMMAND.format(python=sys.executable), encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    paths = sysconfig.get_paths()
    link_checkout(Path(paths["purelib"]), Path(paths["scripts"]))
