"""Turns the settings in a checkpoint into the Experiment that its model is used with."""

import dataclasses
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coref_tf.config import MODEL_KEYS, PART_KEYS, USE_KEYS, Experiment, make_experiment, read_changes
from coref_tf.models.checkpoint import Checkpoint
from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import merge_settings
from coref_tf.support.resources import resources_folder
from coref_tf.support.typed_settings import plain

# The values that apply to checkpoints that are older than the setting.
_BEFORE = {"mentions": "learned", "pair_features": ["speaker", "genre", "distance"]}


def experiment_of_checkpoint(
    checkpoint: Checkpoint,
    path: str | os.PathLike,
    changes: Sequence[str] = (),
    given: Experiment | None = None,
) -> Experiment:
    """Returns the experiment that a checkpoint was trained with.

    Args:
        checkpoint: The content of the checkpoint.
        path: The file of the checkpoint.
        changes: Settings as "key=value" that override those of the checkpoint, such as mention_ratio=0.3 or the path of
            the word vectors. A change that is incompatible with the variables is an error.
        given: An experiment whose corpora and folders to use; by default, those of the training run.
    """
    values = _saved_values(checkpoint, path, given)
    changed = read_changes(changes)
    where = f"{path}: its settings"
    try:
        experiment = make_experiment(merge_settings(values, changed), where, resources_folder())
    except CorefError as error:
        raise CorefError(str(error) if where in str(error) else f"{where}: {error}") from None
    difference = first_difference(checkpoint, experiment)
    if difference and difference[0] in changed:
        key, saved, value = difference
        raise CorefError(
            f"{path}: was trained with {key} = {json.dumps(saved)}. Received: {json.dumps(value)}; omit {key}, or use"
            " another checkpoint"
        )
    check_settings(checkpoint, experiment, path)  # an older checkpoint has fewer settings
    if checkpoint.encoder is not None and experiment.context and not _names_files(changed, "context"):
        context = dataclasses.replace(experiment.context, encoder=Path(path))
        experiment = dataclasses.replace(experiment, context=context)
    return _with_located_files(experiment, path, given, changed)


def check_settings(checkpoint: Checkpoint, experiment: Experiment, path: str | os.PathLike) -> None:
    """Raises a CorefError that names the first setting in which experiment and checkpoint differ.

    Only settings that determine the variables of the model are compared.
    """
    difference = first_difference(checkpoint, experiment)
    if difference:
        key, saved, value = difference
        raise CorefError(
            f"{path}: was trained with {key} = {json.dumps(saved)}, experiment {experiment.name} has"
            f" {json.dumps(value)}; change the setting back, or use another experiment"
        )


def check_encoder(
    checkpoint: Checkpoint, experiment: Experiment, identity: str | None, path: str | os.PathLike
) -> None:
    """Raises a CorefError if the contextual encoder is not the one that the checkpoint was trained with.

    Args:
        checkpoint: The content of the checkpoint.
        experiment: The settings.
        identity: The identity of the experiment's encoder; None if there is no encoder.
        path: The file of the checkpoint.
    """
    saved = checkpoint.state.get("encoder")
    if saved != identity:
        file = experiment.context.encoder if experiment.context else "none"
        raise CorefError(
            f"{path}: was trained with a different encoder than {file} (its identity is {str(saved)[:12]}, not"
            f" {str(identity)[:12]}); replace it with the encoder of the training run"
        )


def first_difference(checkpoint: Checkpoint, experiment: Experiment) -> tuple[str, Any, Any] | None:
    """Returns the first setting that is incompatible with the variables: its name, saved and requested value."""
    for key in dict.fromkeys((*MODEL_KEYS, *PART_KEYS)):
        wanted = _model_part(getattr(experiment, key))
        default = _BEFORE.get(key, Experiment.__dataclass_fields__[key].default)
        missing = None if default is dataclasses.MISSING else _model_part(default)
        saved = _comparable(checkpoint.settings.get(key, missing), wanted)
        if saved != wanted:
            return key, saved, wanted
    return None


def _model_part(value: Any) -> Any:
    """Returns the parts of a compound setting that variables depend on; other settings unchanged."""
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if field.metadata.get("of_model")]
        return {name: _model_part(getattr(value, name)) for name in fields}
    if isinstance(value, tuple):
        return [_model_part(each) for each in value]
    return value


def _comparable(saved: Any, wanted: Any) -> Any:
    """Returns the parts of a saved value that `wanted` has, as far as they are known."""
    if isinstance(saved, list) and isinstance(wanted, list):
        patterns = [*wanted, *[wanted[-1] if wanted else None] * len(saved)]
        return [_comparable(each, pattern) for each, pattern in zip(saved, patterns, strict=False)]
    if isinstance(wanted, dict) and isinstance(saved, dict):
        return {key: _comparable(saved.get(key), wanted[key]) for key in wanted}
    if isinstance(wanted, dict) and set(wanted) == {"size"}:
        return {"size": saved}  # older checkpoints store only the sizes of word vectors
    return saved


def _saved_values(
    checkpoint: Checkpoint, path: str | os.PathLike, given: Experiment | None
) -> dict[str, Any]:
    """Returns the checkpoint's settings; the given experiment provides those that an older checkpoint lacks."""
    saved = dict(checkpoint.settings)
    sizes = saved.get("embeddings", [])
    if isinstance(sizes, list) and all(isinstance(size, int) for size in sizes):
        saved.pop("embeddings", None)  # older checkpoints store only the sizes of word vectors
    if given is None:
        if "embeddings" not in saved:
            raise CorefError(
                f"{path}: an older checkpoint, which lacks the paths of its word vectors; name its experiment, too"
            )
        return saved
    kept = {*MODEL_KEYS, *USE_KEYS, *PART_KEYS} & set(saved)
    return plain(given) | {key: saved[key] for key in kept}


def _with_located_files(
    experiment: Experiment, path: str | os.PathLike, given: Experiment | None, changed: Mapping[str, Any]
) -> Experiment:
    """Returns the experiment with the current locations of the files in its settings.

    It searches for a file at its original path, next to the checkpoint, and in the folders of the files of `given`.
    """
    folders = [Path(path).resolve().parent]
    if given:
        folders += [file.parent for key in PART_KEYS for file in _files(getattr(given, key))]

    def find(file: Path) -> Path:
        for place in (file, *(folder / file.name for folder in folders)):
            if place.exists():
                return place
        raise CorefError(
            f"{path}: was trained with {file}, which does not exist; put it there, or next to the checkpoint"
        )

    keys = [key for key in PART_KEYS if not _names_files(changed, key)]
    return dataclasses.replace(
        experiment, **{key: _with_files(getattr(experiment, key), find) for key in keys}
    )


def _names_files(changed: Mapping[str, Any], key: str) -> bool:
    """Returns whether the user gives the files of this setting; a change of `context` may omit its file."""
    return key in changed and (key != "context" or "encoder" in (changed[key] or {}))


def _files(value: Any) -> list[Path]:
    found: list[Path] = []

    def collect(file: Path) -> Path:
        found.append(file)
        return file

    _with_files(value, collect)
    return found


def _with_files(value: Any, find: Callable[[Path], Path]) -> Any:
    if isinstance(value, tuple):
        return tuple(_with_files(each, find) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{key: _with_files(part, find) for key, part in parts.items()})
    return find(value) if isinstance(value, Path) else value
