"""The experiment that a trained model is used with: its checkpoint holds the settings it was made with."""

import dataclasses
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coref_tf.checkpoints.checkpoint import (
    Checkpoint,
    check_settings,
    first_difference,
    model_path,
    read_checkpoint,
)
from coref_tf.config import (
    MODEL_KEYS,
    PART_KEYS,
    USE_KEYS,
    Experiment,
    load_experiment,
    make_experiment,
    read_changes,
)
from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import merge_settings
from coref_tf.support.resources import resources_folder
from coref_tf.support.typed_settings import plain


def trained_experiment(
    name: str | None,
    conf: str | os.PathLike | None = None,
    changes: Sequence[str] = (),
    checkpoint: str | os.PathLike | None = None,
) -> Experiment:
    """The experiment of a trained model, as the model was made: of the file come its corpora and folders alone.

    Args:
        name: of the experiment; None where a checkpoint is all that is named.
        conf: the experiments file.
        changes: settings "key=value". One that the model's variables don't fit is an error that names it.
        checkpoint: another than the experiment's best.

    Example:
        trained_experiment("best", changes=["log_root=logs/x"])
    """
    if name is None:
        return checkpoint_experiment(checkpoint, changes)
    given = load_experiment(name, conf, changes)
    return checkpoint_experiment(checkpoint or model_path(given), changes, given)


def checkpoint_experiment(
    path: str | os.PathLike, changes: Sequence[str] = (), given: Experiment | None = None
) -> Experiment:
    """The experiment that a checkpoint was made with.

    Args:
        path: the checkpoint.
        changes: settings "key=value" that differ, such as mention_ratio=0.3 or where the word vectors are.
        given: an experiment whose corpora and folders are used; when left out, those of the training.

    Example:
        checkpoint_experiment("logs/best/best.h5").lstm_size   # 200
    """
    checkpoint = read_checkpoint(path)
    values = _settings(checkpoint, path, given)
    said = read_changes(changes)
    experiment = make_experiment(merge_settings(values, said), f"{path}: its settings", resources_folder())
    difference = first_difference(checkpoint, experiment)
    if difference and difference[0] in said:
        key, saved, value = difference
        raise CorefError(
            f"{path}: was made with {key} = {json.dumps(saved)}, and you say {json.dumps(value)}; leave {key} out, or"
            " use another checkpoint"
        )
    check_settings(checkpoint, experiment, path)  # of an older checkpoint, which holds less
    if checkpoint.has_encoder and experiment.context and not _names_files(said, "context"):
        context = dataclasses.replace(experiment.context, encoder=Path(path))
        experiment = dataclasses.replace(experiment, context=context)
    return _located(experiment, path, given, said)


def _settings(checkpoint: Checkpoint, path: str | os.PathLike, given: Experiment | None) -> dict[str, Any]:
    """What the checkpoint says; where it is older than a setting, what the given experiment says."""
    saved = dict(checkpoint.settings)
    if all(isinstance(size, int) for size in saved.get("embeddings", ())):
        saved.pop("embeddings", None)  # of word vectors older checkpoints have the sizes alone
    if given is None:
        if "embeddings" not in saved:
            raise CorefError(
                f"{path}: an older checkpoint, which doesn't say where its word vectors are; name its experiment, too"
            )
        return saved
    kept = {*MODEL_KEYS, *USE_KEYS, *PART_KEYS} & set(saved)
    return plain(given) | {key: saved[key] for key in kept}


def _located(
    experiment: Experiment, path: str | os.PathLike, given: Experiment | None, said: dict[str, Any]
) -> Experiment:
    """Files that the model needs, where they are now: where they were, beside the checkpoint, or where `given` has one
    of the same name.
    """
    others = [Path(path).resolve().parent]
    if given:
        others += [file.parent for key in PART_KEYS for file in _files(getattr(given, key))]

    def find(file: Path) -> Path:
        for place in (file, *(folder / file.name for folder in others)):
            if place.exists():
                return place
        raise CorefError(
            f"{path}: was made with {file}, which isn't there; put it there, or beside the checkpoint"
        )

    keys = [key for key in PART_KEYS if not _names_files(said, key)]
    return dataclasses.replace(
        experiment, **{key: _with_files(getattr(experiment, key), find) for key in keys}
    )


def _names_files(said: dict[str, Any], key: str) -> bool:
    """Whether the user says where files of this setting are: of `context` a part alone may be said."""
    return key in said and (key != "context" or "encoder" in (said[key] or {}))


def _files(value: Any) -> list[Path]:
    found: list[Path] = []
    _with_files(value, lambda file: found.append(file) or file)
    return found


def _with_files(value: Any, find: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_with_files(each, find) for each in value)
    if dataclasses.is_dataclass(value):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{key: _with_files(part, find) for key, part in parts.items()})
    return find(value) if isinstance(value, Path) else value
