"""The folder of versions that a model is served from."""

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from coref_tf.api.loading import experiment_of
from coref_tf.config import Experiment
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export


@contextlib.contextmanager
def served_folder(model: Experiment | Path) -> Iterator[Path]:
    """An export as it is; of any other model an export in a temporary folder, which is needed until it is loaded."""
    if isinstance(model, Path) and model.is_dir():
        yield model
        return
    experiment = experiment_of(model)
    print(
        f"{experiment.name} is no export: it is made one, for this server alone", file=sys.stderr, flush=True
    )
    with tempfile.TemporaryDirectory(prefix="coref-serve-") as folder:
        export([experiment], Path(folder), ExportOptions(), model if isinstance(model, Path) else None)
        yield Path(folder)
