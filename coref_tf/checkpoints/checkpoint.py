"""Checkpoints: everything a trained model needs, in one HDF5 file that is whole or not there.

The file's user block, its first 512 bytes, carries the SHA-256 of the rest, so that damage is noticed before
anything is believed.
"""

import dataclasses
import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from coref_tf.config import MODEL_KEYS, PART_KEYS, Experiment
from coref_tf.encoder.encoder_file import PACKED
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write
from coref_tf.support.hdf5 import open_hdf5
from coref_tf.support.resources import bundled_models, resources_folder
from coref_tf.support.typed_settings import plain

_MAGIC = b"coref_tf checkpoint 1\n"
_USER_BLOCK = 512

# What checkpoints that are older than a setting were made with.
_OLDER = {"mentions": "learned", "pair_features": ["speaker", "genre", "distance"]}


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Args:
        settings: of the experiment, see `model_settings`; those of checkpoints that are older than a setting lack it.
        characters: the character vocabulary, without the unknown one.
        variables: name -> value of each variable of the model.
        state: whatever else the writer wants back, in JSON's terms.
        has_encoder: whether the file holds the model's contextual encoder, too, as packed models do.
    """

    settings: Mapping[str, Any]
    characters: list[str]
    variables: Mapping[str, np.ndarray]
    state: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    has_encoder: bool = False


def best_checkpoint_path(experiment: Experiment) -> Path:
    """Where the experiment's best model is kept."""
    return experiment.log_dir / "best.h5"


def model_path(experiment: Experiment) -> Path:
    """Where the experiment's model is: its best, or else the one of its name that came with the package."""
    best = best_checkpoint_path(experiment)
    return best if best.is_file() else bundled_models().get(experiment.name, best)


def model_settings(experiment: Experiment) -> dict[str, Any]:
    """The settings that a checkpoint keeps, in JSON's terms: all, so that the model can be used again by itself.

    Paths of what comes with the package are relative to where that is, so that they hold on another machine.
    """
    return plain(experiment, _kept_path)


def _kept_path(path: Path) -> str:
    resources = resources_folder().resolve()
    whole = path.resolve()
    return (whole.relative_to(resources) if whole.is_relative_to(resources) else whole).as_posix()


def write_checkpoint(
    path: str | os.PathLike, checkpoint: Checkpoint, add: Callable[[h5py.File], None] | None = None
) -> None:
    """Writes `path` in one go: a crash or a full disk leaves what was there.

    Args:
        path: the file.
        checkpoint: what it is to hold.
        add: writes what else is to stand in the file.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=_USER_BLOCK) as file:
        if add:
            add(file)
        for name in ("settings", "characters", "state"):
            file.attrs[name] = json.dumps(getattr(checkpoint, name))
        group = file.create_group("variables")
        for name, value in checkpoint.variables.items():
            group.create_dataset(name, data=value)
    body = buffer.getbuffer()[_USER_BLOCK:]
    header = _MAGIC + hashlib.sha256(body).hexdigest().encode()
    with atomic_write(path, "wb") as file:
        file.write(header.ljust(_USER_BLOCK, b"\n"))
        file.write(body)


def change_checkpoint(path: str | os.PathLike, **parts: Any) -> None:
    """Writes a checkpoint again with other parts, such as `state`; all else, an encoder in it too, stays as it is."""
    checkpoint = read_checkpoint(path)
    if not checkpoint.has_encoder:
        write_checkpoint(path, dataclasses.replace(checkpoint, **parts))
        return
    with open_hdf5(path) as source:
        write_checkpoint(
            path, dataclasses.replace(checkpoint, **parts), lambda file: source.copy(PACKED, file)
        )


def read_checkpoint(path: str | os.PathLike) -> Checkpoint:
    """Reads `path`; a file that is missing, damaged or something else is a one-line error."""
    if not Path(path).is_file():
        raise CorefError(
            f"{path}: no such checkpoint; train the experiment first, or name one with --checkpoint"
        )
    content = Path(path).read_bytes()
    if not content.startswith(_MAGIC):
        raise CorefError(f"{path}: not a checkpoint of this program")
    digest = content[len(_MAGIC) : len(_MAGIC) + 64].decode("ascii", "replace")
    if hashlib.sha256(memoryview(content)[_USER_BLOCK:]).hexdigest() != digest:
        raise CorefError(f"{path}: damaged or cut short (its checksum is wrong); use another checkpoint")
    try:
        with open_hdf5(io.BytesIO(content)) as file:
            return _read(file)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, RecursionError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise CorefError(f"{path}: not a whole checkpoint ({reason}); use another checkpoint") from None


def _read(file: h5py.File) -> Checkpoint:
    attributes = {}
    for name, kind in {"settings": dict, "characters": list, "state": dict}.items():
        attributes[name] = json.loads(file.attrs[name])
        if not isinstance(attributes[name], kind):
            raise ValueError(f"its {name} are no {kind.__name__}")
    if not all(isinstance(character, str) and len(character) == 1 for character in attributes["characters"]):
        raise ValueError("its characters are not single characters")
    variables: dict[str, np.ndarray] = {}

    def keep(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset):
            variables[name] = item[()]

    file["variables"].visititems(keep)
    return Checkpoint(variables=variables, has_encoder=PACKED in file, **attributes)


def check_settings(checkpoint: Checkpoint, experiment: Experiment, path: str | os.PathLike) -> None:
    """Raises a CorefError that names the first setting in which experiment and checkpoint differ.

    Only what the variables depend on counts.
    """
    difference = first_difference(checkpoint, experiment)
    if difference:
        key, saved, value = difference
        raise CorefError(
            f"{path}: was made with {key} = {json.dumps(saved)}, experiment {experiment.name} has"
            f" {json.dumps(value)}; change the setting back, or use another experiment"
        )


def first_difference(checkpoint: Checkpoint, experiment: Experiment) -> tuple[str, Any, Any] | None:
    """The first setting that the checkpoint's variables don't fit: its name, what was saved, what is wanted."""
    for key in dict.fromkeys((*MODEL_KEYS, *PART_KEYS)):
        wanted = _model_part(getattr(experiment, key))
        default = _OLDER.get(key, Experiment.__dataclass_fields__[key].default)
        missing = None if default is dataclasses.MISSING else _model_part(default)
        saved = _like(checkpoint.settings.get(key, missing), wanted)
        if saved != wanted:
            return key, saved, wanted
    return None


def _model_part(value: Any) -> Any:
    """Of a setting that is made of others, those that variables depend on; other settings as they are."""
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if field.metadata.get("of_model")]
        return {name: _model_part(getattr(value, name)) for name in fields}
    if isinstance(value, tuple):
        return [_model_part(each) for each in value]
    return value


def _like(saved: Any, wanted: Any) -> Any:
    """Of what was saved the parts that `wanted` has, as far as that is known."""
    if isinstance(saved, list) and isinstance(wanted, list):
        patterns = [*wanted, *[wanted[-1] if wanted else None] * len(saved)]
        return [_like(each, pattern) for each, pattern in zip(saved, patterns, strict=False)]
    if isinstance(wanted, dict) and isinstance(saved, dict):
        return {key: _like(saved.get(key), wanted[key]) for key in wanted}
    if isinstance(wanted, dict) and set(wanted) == {"size"}:
        return {"size": saved}  # of word vectors older checkpoints have the sizes alone
    return saved
