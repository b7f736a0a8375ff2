"""Opens a model, given its name or path, as a TrainedModel."""

import os
from collections.abc import Sequence
from pathlib import Path

from coref_tf.config import Experiment, ExperimentsFile
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.models.calibration import Calibration
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, read_checkpoint
from coref_tf.models.export_folder import ExportFolder
from coref_tf.models.saved_settings import check_encoder, check_settings, experiment_of_checkpoint
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError
from coref_tf.support.files import shortened
from coref_tf.support.resources import bundled_models
from coref_tf.support.typed_settings import nearest

_ENDING = ".h5"
Conf = str | os.PathLike | ExperimentsFile | None


def open_model(
    name_or_path: str | os.PathLike,
    changes: Sequence[str] = (),
    conf: Conf = None,
    checkpoint: str | os.PathLike | None = None,
) -> TrainedModel | ExportFolder:
    """Finds and reads a model. The file is read and hashed once; TensorFlow is not imported.

    A name refers to a trained experiment in the experiments file or, failing that, to a bundled model. Anything else is
    the path of a checkpoint, a packed model or the folder of an export. To use a path that looks like a name, put a
    folder before it, as in ./best.

    Args:
        name_or_path: The model.
        changes: Settings as "key=value" that override those of the model. A change that is incompatible with its
            variables is an error.
        conf: The experiments file, or its path. Defaults to experiments.conf in the working directory or, failing that,
            the package's own.
        checkpoint: A checkpoint to use instead of the best one of the named experiment.

    Returns:
        A TrainedModel, or the ExportFolder of an export, which contains its settings.

    Example:
        open_model("english").settings.language     # "en"
        open_model("logs/best/latest.h5")
    """
    path, experiment = find_model(name_or_path, changes, conf, checkpoint)
    if path.is_dir():
        return ExportFolder.find(path)
    content = read_checkpoint(path)
    return _trained_model(path, experiment_of_checkpoint(content, path, changes, experiment), content)


def open_trained_model(
    name_or_path: str | os.PathLike,
    changes: Sequence[str] = (),
    conf: Conf = None,
    checkpoint: str | os.PathLike | None = None,
) -> TrainedModel:
    """Opens a model like `open_model`, but rejects exports, whose graph cannot be changed."""
    model = open_model(name_or_path, changes, conf, checkpoint)
    if isinstance(model, ExportFolder):
        raise CorefError(
            f"{model.path}: an export; expected a trained experiment, a bundled model or a checkpoint"
        )
    return model


def open_experiment(experiment: Experiment, checkpoint: str | os.PathLike | None = None) -> TrainedModel:
    """Opens the best model of an experiment, or another checkpoint of it, with exactly the experiment's settings.

    `open_model` takes the settings of the training run from the checkpoint; here, the given settings must match it.
    """
    path = Path(checkpoint or best_checkpoint_path(experiment))
    content = read_checkpoint(path)
    check_settings(content, experiment, path)
    return _trained_model(path, experiment, content)


def find_model(
    name_or_path: str | os.PathLike,
    changes: Sequence[str] = (),
    conf: Conf = None,
    checkpoint: str | os.PathLike | None = None,
) -> tuple[Path, Experiment | None]:
    """Returns the path of a model, and the experiment of that name in the experiments file; see `open_model`."""
    name = os.fspath(name_or_path)
    if os.path.dirname(name) or (name.endswith(_ENDING) and checkpoint is None):
        if not os.path.exists(name):
            raise CorefError(
                f"{name}: no such file; expected a checkpoint, a packed model or the folder of an export"
            )
        return Path(name), None
    experiments = conf if isinstance(conf, ExperimentsFile) else ExperimentsFile(conf)
    bundled = bundled_models()
    experiment = experiments.experiment(name, changes) if name in experiments.names else None
    if checkpoint is not None:
        # Raises the error that names the unknown setting or experiment.
        return Path(checkpoint), experiment or experiments.experiment(name, changes)
    if experiment and (best_checkpoint_path(experiment).is_file() or name not in bundled):
        return best_checkpoint_path(experiment), experiment
    if name in bundled:
        return bundled[name], experiment
    if os.path.exists(name):
        return Path(name), None
    meant = nearest(name, [*experiments.names, *bundled])
    available = f"bundled models: {', '.join(bundled)}" if bundled else "this package has no bundled models"
    raise CorefError(
        f"no model {name}{meant}; {available}; you can also give the path of a model, or a trained experiment of"
        f" {shortened(experiments.path)}"
    )


def _trained_model(path: Path, experiment: Experiment, content: Checkpoint) -> TrainedModel:
    calibration = Calibration.from_state(content.state, path)
    encoder = None
    if experiment.context:
        packed = content.encoder if experiment.context.encoder == path else None
        encoder = EncoderFile(experiment.context.encoder, packed)
    check_encoder(content, experiment, encoder.identity if encoder else None, path)
    return TrainedModel(path, experiment, content, calibration, encoder)
