"""The one way to open a model: a name or a path in, a TrainedModel out."""

import difflib
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
from coref_tf.support.resources import bundled_models

Conf = str | os.PathLike | ExperimentsFile | None


def open_model(
    name_or_path: str | os.PathLike,
    changes: Sequence[str] = (),
    conf: Conf = None,
    checkpoint: str | os.PathLike | None = None,
) -> TrainedModel | ExportFolder:
    """Finds and reads a model. A file is read and hashed once; TensorFlow is not needed.

    A name is that of a trained experiment of the experiments file, or else that of a bundled model. Anything else is
    the path of a checkpoint, of a packed model or of the folder of an export. A folder before it, as in ./best, makes
    a path of what reads like a name.

    Args:
        name_or_path: the model.
        changes: settings "key=value" that differ. One that the model's variables don't fit is an error that names it.
        conf: the experiments file, or its path; by default that of the working directory, or else the package's.
        checkpoint: another checkpoint than the best one of the named experiment.

    Returns:
        A TrainedModel, or the ExportFolder of an export, which holds its settings itself.

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
    """The same where an export is of no use, since its graph can't be changed any more."""
    model = open_model(name_or_path, changes, conf, checkpoint)
    if isinstance(model, ExportFolder):
        raise CorefError(
            f"{model.path}: an export; expected a trained experiment, a bundled model or a checkpoint"
        )
    return model


def open_experiment(experiment: Experiment, checkpoint: str | os.PathLike | None = None) -> TrainedModel:
    """The best model of an experiment, or another checkpoint of it, with exactly the experiment's settings.

    `open_model` takes the settings of the training from the checkpoint; here they must fit it.
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
    """Where a model is, and the experiment of that name in the experiments file; see `open_model`."""
    name = os.fspath(name_or_path)
    if os.path.dirname(name):
        return Path(name), None
    experiments = conf if isinstance(conf, ExperimentsFile) else ExperimentsFile(conf)
    bundled = bundled_models()
    experiment = experiments.experiment(name, changes) if name in experiments.names else None
    if checkpoint is not None:
        # Names the setting or the experiment that is unknown.
        return Path(checkpoint), experiment or experiments.experiment(name, changes)
    if experiment and (best_checkpoint_path(experiment).is_file() or name not in bundled):
        return best_checkpoint_path(experiment), experiment
    if name in bundled:
        return bundled[name], experiment
    if os.path.exists(name):
        return Path(name), None
    close = difflib.get_close_matches(name, [*experiments.names, *bundled], n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    available = f"bundled models: {', '.join(bundled)}" if bundled else "no model came with this package"
    raise CorefError(
        f"{name}: neither an experiment of {experiments.path}{meant} nor a checkpoint or exported folder; {available};"
        " `coref train best` trains one"
    )


def _trained_model(path: Path, experiment: Experiment, content: Checkpoint) -> TrainedModel:
    calibration = Calibration.from_state(content.state, path)
    encoder = None
    if experiment.context:
        packed = content.encoder if experiment.context.encoder == path else None
        encoder = EncoderFile(experiment.context.encoder, packed)
    check_encoder(content, experiment, encoder.identity if encoder else None, path)
    return TrainedModel(path, experiment, content, calibration, encoder)
