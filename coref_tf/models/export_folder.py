"""The folder of an export, with versions DIR/1, DIR/2, ... as TensorFlow Serving expects them."""

import dataclasses
import os
from pathlib import Path

from coref_tf.support.errors import CorefError

MODEL_FILE = "saved_model.pb"


@dataclasses.dataclass(frozen=True)
class ExportFolder:
    """A model that `coref export` wrote.

    Args:
        path: The path that the user gave: the folder of an export, or one of its versions.
        version: The folder of the SavedModel to load, the newest version of the export.
    """

    path: Path
    version: Path

    @classmethod
    def find(cls, path: Path) -> "ExportFolder":
        """Finds the newest version of an export, or the given version; raises a CorefError if there is none."""
        return cls(path, path if (path / MODEL_FILE).is_file() else newest_version(path)[1])


def find_versions(folder: Path) -> dict[int, Path]:
    """Returns the folders that are named by a number and contain a SavedModel, by number."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            # Unlike Path, os.path returns False on errors, so that an unreadable folder does not hide the others.
            if name.isascii() and name.isdecimal() and os.path.isfile(folder / name / MODEL_FILE):
                found[int(name)] = folder / name
    return found


def newest_version(folder: Path) -> tuple[int, Path]:
    """Returns the newest version; raises a CorefError with the reason if there is none."""
    expected = f"expected an export: folders named 1, 2, ... with a {MODEL_FILE} each"
    if not folder.exists():
        raise CorefError(f"{folder} does not exist; {expected}")
    if not folder.is_dir():
        raise CorefError(f"{folder} is not a folder; {expected}")
    if (folder / MODEL_FILE).exists():
        raise CorefError(
            f"{folder} is itself a SavedModel; expected its parent folder, which contains numbered versions"
        )
    versions = find_versions(folder)
    if not versions:
        what = "contains no model versions" if any(folder.iterdir()) else "is empty"
        raise CorefError(f"{folder} {what}; {expected}")
    return max(versions.items())
