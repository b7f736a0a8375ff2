"""From the names of models to a Resolver."""

import os
from collections.abc import Sequence
from pathlib import Path

from coref_tf.api.resolver import Resolver
from coref_tf.checkpoints.checkpoint import model_path
from coref_tf.checkpoints.finding import find_model
from coref_tf.checkpoints.trained import checkpoint_experiment
from coref_tf.config import Experiment
from coref_tf.inference.calibration import check_probability
from coref_tf.inference.dial import threshold_for
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import DEFAULT_MODEL
from coref_tf.support.starting import starting


def load(
    names: Sequence[str | os.PathLike],
    conf: str | os.PathLike | None = None,
    max_memory: int | None = None,
    min_probability: float = 0.0,
    precision: float | None = None,
    cores: int | None = None,
) -> Resolver:
    """The model that a name stands for, or the ensemble of several; see `coref_tf.load`."""
    check_probability(min_probability)
    if precision is not None and min_probability:
        raise CorefError("min_probability and precision both turn the dial; expected one of them")
    found = [find_model(name, conf) for name in names or (DEFAULT_MODEL,)]
    exports = [model for model in found if isinstance(model, Path) and model.is_dir()]
    if exports and len(found) > 1:
        raise CorefError(
            f"{exports[0]}: an export is whole by itself; expected it alone, or an ensemble that was exported as one"
        )
    if cores is not None:
        use_cores(cores)
    if exports:
        with starting():
            from coref_tf.export.about import export_threshold
            from coref_tf.export.exported_model import ExportedModel, version_of

            if precision is not None:
                min_probability = export_threshold(check_probability(precision), version_of(exports[0]))
            return Resolver(ExportedModel(exports[0], min_probability))
    experiments = [experiment_of(model) for model in found]
    checkpoints = [model if isinstance(model, Path) else None for model in found]
    if precision is not None:
        min_probability, _ = threshold_for(check_probability(precision), experiments, checkpoints[0])
    with starting():
        from coref_tf.inference.predictor import Predictor

        predictor = Predictor.load(
            experiments, max_memory=max_memory, checkpoints=checkpoints, min_probability=min_probability
        )
    predictor.cores = cores or predictor.cores
    return Resolver(predictor, experiments[0].language, experiments[0].default_genre)


def use_cores(cores: int) -> None:
    """Has TensorFlow compute with so many threads; they can't be changed once it has begun."""
    if type(cores) is not int or cores < 1:
        raise CorefError(f"cores must be a whole number from 1. Received: {cores!r:.80}")
    with starting():
        import tensorflow as tf
    try:
        tf.config.threading.set_intra_op_parallelism_threads(cores)
        tf.config.threading.set_inter_op_parallelism_threads(cores)
    except RuntimeError:
        raise CorefError(
            f"cores = {cores}: TensorFlow computes in this process already, with other threads; expected it to be said"
            " with the first model that is loaded"
        ) from None


def experiment_of(model: Experiment | Path) -> Experiment:
    """A trained model's experiment, with the settings that its checkpoint holds."""
    if isinstance(model, Experiment):
        return checkpoint_experiment(model_path(model), given=model)
    return checkpoint_experiment(model)
