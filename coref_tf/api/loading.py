"""`coref_tf.load`: creates a Resolver from the names of models."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from coref_tf.support.errors import CorefError
from coref_tf.support.resources import DEFAULT_MODEL
from coref_tf.support.startup import starting

if TYPE_CHECKING:  # NumPy, h5py, spaCy and TensorFlow are imported only when a model is loaded
    from coref_tf.api.resolver import Resolver
    from coref_tf.models.export_folder import ExportFolder


def load(
    *models: str | os.PathLike,
    conf: str | os.PathLike | None = None,
    max_memory: int | None = None,
    min_probability: float = 0.0,
    precision: float | None = None,
    cores: int | None = None,
) -> Resolver:
    """Loads a trained model.

    Args:
        models: the name of a trained experiment or of a bundled model, the path of a checkpoint, or the folder of an
            export; by default, the bundled model "english". Several models form an ensemble, whose scores are averaged.
        conf: the experiments file; by default, the one in the working directory, if it exists, or the package's.
        max_memory: the memory limit of the process, in bytes; a document that may need more is an error.
        min_probability: links with a lower place probability are removed before clusters are decoded; 0 keeps all.
        precision: sets `min_probability` to the lowest value at which at least this share of the links is correct,
            as measured on the dev set with 90% confidence.
        cores: the number of cores to use; by default, all that are available to the process. TensorFlow accepts
            this number only once, before its first computation.

    Returns:
        A Resolver: call it with a text, or use its `pipe` for many texts.

    Example:
        resolver = coref_tf.load()
        for cluster in resolver("Ana said she was late."):
            print([mention.text for mention in cluster])       # ["Ana", "she"]
    """
    from coref_tf.api.resolver import Resolver
    from coref_tf.models.calibration import check_probability
    from coref_tf.models.export_folder import ExportFolder
    from coref_tf.models.open_model import open_model
    from coref_tf.models.trained_model import TrainedModel, cautious_probability, precision_threshold

    check_probability(min_probability)
    if precision is not None and min_probability:
        raise CorefError(
            "min_probability and precision both set the minimum probability; expected at most one of them"
        )
    opened = [open_model(name, conf=conf) for name in models or (DEFAULT_MODEL,)]
    trained = [model for model in opened if isinstance(model, TrainedModel)]
    exports = [model for model in opened if isinstance(model, ExportFolder)]
    if exports and len(opened) > 1:
        raise CorefError(
            f"{exports[0].path}: an export cannot be combined with other models; load it alone, or export the ensemble"
        )
    if cores is not None:
        use_cores(cores)
    if exports:
        return _load_export(exports[0], min_probability, precision)
    if precision is not None:
        min_probability = precision_threshold(check_probability(precision), trained)
    with starting():
        from coref_tf.inference.predictor import Predictor

        predictor = Predictor.from_models(trained, max_memory, min_probability)
    predictor.cores = cores or predictor.cores
    settings = trained[0].settings
    return Resolver(predictor, settings.language, settings.default_genre, cautious_probability(trained))


def _load_export(export: ExportFolder, min_probability: float, precision: float | None) -> Resolver:
    from coref_tf.api.resolver import Resolver
    from coref_tf.models.calibration import check_probability

    with starting():
        from coref_tf.export.about import export_cautious_probability, export_threshold
        from coref_tf.export.exported_model import ExportedModel

        if precision is not None:
            min_probability = export_threshold(check_probability(precision), export.version)
        cautious = export_cautious_probability(export.version)
        return Resolver(ExportedModel(export.version, min_probability), cautious_probability=cautious)


def use_cores(cores: int) -> None:
    """Sets the number of TensorFlow threads, which cannot be changed after TensorFlow has computed something."""
    if type(cores) is not int or cores < 1:
        raise CorefError(f"cores must be a positive integer. Received: {cores!r:.80}")
    with starting():
        import tensorflow as tf
    try:
        tf.config.threading.set_intra_op_parallelism_threads(cores)
        tf.config.threading.set_inter_op_parallelism_threads(cores)
    except RuntimeError:
        raise CorefError(
            f"cores = {cores}: TensorFlow already runs in this process with another number of threads; set cores when"
            " you load the first model"
        ) from None
