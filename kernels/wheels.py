"""Builds the wheel for one Python, and tests it in an empty environment; `make wheels` calls it for each.

    python kernels/wheels.py python3.13

The sources are the archive in build/wheels; pip installs the build requirements in pyproject.toml.
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from coref_tf.support.lanes import lane_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "wheels"
TEXT = "Ana said she was late."


def main(python: str) -> int:
    """Builds dist/coref_tf-*.whl for a Python."""
    (source,) = FOLDER.glob("*.tar.gz")
    version = run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    environment = FOLDER / version
    run(python, "-m", "venv", "--clear", environment)
    pip = (environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "-w", FOLDER / f"{version}-wheel", source)
    (wheel,) = (FOLDER / f"{version}-wheel").glob("*.whl")
    run(*pip, "install", f"{wheel}[train]", "-c", ROOT / lane_of(version).constraints)
    try_out(environment / "bin" / "coref", FOLDER / f"{version}-work")
    (ROOT / "dist").mkdir(exist_ok=True)
    wheel.replace(ROOT / "dist" / wheel.name)
    print(f"dist/{wheel.name}: built and tested with Python {version}, {lane_of(version)}")
    return 0


def try_out(coref: Path, work: Path) -> None:
    """Tests the installed command in an empty folder: the environment, a step of training, and resolving a text."""
    work.mkdir()
    found = run(coref, "doctor", cwd=work)
    if "lane: TensorFlow" not in found:
        raise SystemExit(f"error: coref doctor does not report the lane:\n{found}")
    run(coref, "train", "best", "--max-steps", "1", "lstm_size=8", "ffnn_size=8", cwd=work)
    clusters = run(coref, "predict", "--text", TEXT, cwd=work)
    if not re.match(r"text: 6 words, ", clusters):
        raise SystemExit(f"error: expected the clusters of {TEXT!r}. Received: {clusters!r}")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Returns the output of a command; exits with its output if it fails."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"error: {' '.join(map(str, command))}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
