"""The versions of a model on disk: DIR/1, DIR/2 and so on, as TensorFlow Serving expects them."""

import os
from pathlib import Path

from coref_tf.support.errors import CorefError

_MODEL_FILE = "saved_model.pb"


def find_versions(folder: Path) -> dict[int, Path]:
    """The folders named by a number that hold a SavedModel, by number."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.isascii() and name.isdecimal() and (folder / name / _MODEL_FILE).is_file():
                found[int(name)] = folder / name
    return found


def newest_version(folder: Path) -> tuple[int, Path]:
    """The version to begin with; a CorefError says why there is none."""
    expected = f"expected an export: folders named 1, 2, ... with a {_MODEL_FILE} each"
    if not folder.exists():
        raise CorefError(f"{folder} doesn't exist; {expected}")
    if not folder.is_dir():
        raise CorefError(f"{folder} is no folder; {expected}")
    if (folder / _MODEL_FILE).exists():
        raise CorefError(
            f"{folder} is itself a SavedModel; expected the folder above, whose versions have numbers"
        )
    versions = find_versions(folder)
    if not versions:
        what = "holds no version of a model" if any(folder.iterdir()) else "is empty"
        raise CorefError(f"{folder} {what}; {expected}")
    return max(versions.items())


def fingerprint(version: Path) -> tuple:
    """What changes when a file of a version does."""
    files = []
    for folder, _, names in os.walk(version):
        for name in names:
            status = os.stat(os.path.join(folder, name))
            files.append((os.path.join(folder, name), status.st_size, status.st_mtime_ns))
    return tuple(sorted(files))
