"""The folder of an export: its versions DIR/1, DIR/2 and so on, as TensorFlow Serving expects them."""

import dataclasses
import os
from pathlib import Path

from coref_tf.support.errors import CorefError

MODEL_FILE = "saved_model.pb"


@dataclasses.dataclass(frozen=True)
class ExportFolder:
    """A model that `coref export` wrote.

    Args:
        path: what the user named: the folder of an export, or one of its versions.
        version: the folder of the SavedModel to load, the newest version of the export.
    """

    path: Path
    version: Path

    @classmethod
    def find(cls, path: Path) -> "ExportFolder":
        """The newest version of an export, or the version that is named; a CorefError if there is none."""
        return cls(path, path if (path / MODEL_FILE).is_file() else newest_version(path)[1])


def find_versions(folder: Path) -> dict[int, Path]:
    """The folders named by a number that hold a SavedModel, by number."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            # os.path says no where Path would raise an error: one folder that can't be read is not to hide the others.
            if name.isascii() and name.isdecimal() and os.path.isfile(folder / name / MODEL_FILE):
                found[int(name)] = folder / name
    return found


def newest_version(folder: Path) -> tuple[int, Path]:
    """The version to begin with; a CorefError says why there is none."""
    expected = f"expected an export: folders named 1, 2, ... with a {MODEL_FILE} each"
    if not folder.exists():
        raise CorefError(f"{folder} doesn't exist; {expected}")
    if not folder.is_dir():
        raise CorefError(f"{folder} is no folder; {expected}")
    if (folder / MODEL_FILE).exists():
        raise CorefError(
            f"{folder} is itself a SavedModel; expected the folder above, whose versions have numbers"
        )
    versions = find_versions(folder)
    if not versions:
        what = "holds no version of a model" if any(folder.iterdir()) else "is empty"
        raise CorefError(f"{folder} {what}; {expected}")
    return max(versions.items())
