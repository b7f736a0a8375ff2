"""The folder of versions that a model is served from."""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.models.export_folder import ExportFolder
from coref_tf.models.trained_model import TrainedModel


@contextlib.contextmanager
def served_folder(model: TrainedModel | ExportFolder) -> Iterator[Path]:
    """An export as it is; of any other model an export in a temporary folder, which is needed until it is loaded."""
    if isinstance(model, ExportFolder):
        yield model.path
        return
    print(f"{model.name} is no export: it is made one, for this server alone", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="coref-serve-") as folder:
        export([model], Path(folder), ExportOptions())
        yield Path(folder)
