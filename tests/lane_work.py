"""Trains and exports a model on one lane, and resumes and reads it on another.

    python tests/lane_work.py make FOLDER         trains for 3 steps and exports the model
    python tests/lane_work.py read FOLDER OUT     predicts, resumes the training, and writes the results as JSON

tests/test_across_lanes.py compares the results of the lanes.
"""

import contextlib
import itertools
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from random_documents import REFERENCE, small_experiment

from coref_tf.config import Experiment
from coref_tf.documents import read_documents
from coref_tf.export.building import ExportOptions
from coref_tf.export.writing import export
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.training.fit import fit

BEGUN, WHOLE = 3, 6


def experiment_in(folder: Path) -> Experiment:
    """Returns a small experiment with everything that a checkpoint restores: averages, a schedule, dropout."""
    return small_experiment(
        log_root=folder, moving_average=0.9, decay_frequency=2, decay_rate=0.9, learning_rate=0.01
    )


def make(folder: Path) -> None:
    """Writes a training run of 3 steps to FOLDER/small and a portable export of its best model to FOLDER/export."""
    experiment = experiment_in(folder)
    with _eagerly():
        fit(experiment, max_steps=BEGUN)
    export([open_experiment(experiment)], folder / "export", ExportOptions(portable=True))


def read(folder: Path) -> dict[str, Any]:
    """Returns the best model's predictions for two documents, and the weights after 3 more steps."""
    predictor = Predictor.from_models([open_experiment(experiment_in(folder))])
    documents = itertools.islice(read_documents(REFERENCE / "docs.jsonlines"), 2)
    predictions = [predictor.predict(document, details=True) for document in documents]
    with tempfile.TemporaryDirectory() as scratch, _eagerly():
        shutil.copytree(folder / "small", Path(scratch) / "small")
        outcome = fit(experiment_in(Path(scratch)), max_steps=WHOLE)
        variables = read_checkpoint(Path(scratch) / "small" / "latest.h5").variables
    return {
        "clusters": [prediction.clusters for prediction in predictions],
        "details": [prediction.details() for prediction in predictions],
        "step": outcome.state.step,
        "best": outcome.state.best_f1,
        "variables": {
            name: value.tolist() for name, value in variables.items() if not name.startswith("optimizer/")
        },
    }


@contextlib.contextmanager
def _eagerly():
    """Runs tf.functions eagerly, since tracing a graph takes long."""
    import tensorflow as tf  # after coref_tf, which selects the version of Keras

    tf.config.run_functions_eagerly(True)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        Path(sys.argv[3]).write_text(json.dumps(read(Path(sys.argv[2]))), encoding="utf-8")
