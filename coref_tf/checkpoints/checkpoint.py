"""Checkpoints: everything a trained model needs, in one HDF5 file that is whole or not there.

The file's user block, its first 512 bytes, carries the SHA-256 of the rest, so that damage is noticed before
anything is believed.
"""

import dataclasses
import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from coref_tf.config import MODEL_KEYS, Experiment
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write

_MAGIC = b"coref_tf checkpoint 1\n"
_USER_BLOCK = 512

# What checkpoints that are older than a setting were made with.
_OLDER = {"mentions": "learned", "pair_features": ["speaker", "genre", "distance"]}


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Args:
        settings: the model-defining settings, see `model_settings`.
        characters: the character vocabulary, without the unknown one.
        variables: name -> value of each variable of the model.
        state: whatever else the writer wants back, in JSON's terms.
    """

    settings: Mapping[str, Any]
    characters: list[str]
    variables: Mapping[str, np.ndarray]
    state: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def best_checkpoint_path(experiment: Experiment) -> Path:
    """Where the experiment's best model is kept."""
    return experiment.log_dir / "best.h5"


def model_settings(experiment: Experiment) -> dict[str, Any]:
    """The settings that a checkpoint's variables depend on, in JSON's terms."""
    settings = {key: getattr(experiment, key) for key in MODEL_KEYS}
    settings["embeddings"] = [vectors.size for vectors in experiment.embeddings]
    return json.loads(json.dumps(settings))


def write_checkpoint(path: str | os.PathLike, checkpoint: Checkpoint) -> None:
    """Writes `path` in one go: a crash or a full disk leaves what was there."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=_USER_BLOCK) as file:
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
    if hashlib.sha256(content[_USER_BLOCK:]).hexdigest() != digest:
        raise CorefError(f"{path}: damaged or cut short (its checksum is wrong); use another checkpoint")
    with h5py.File(io.BytesIO(content), "r") as file:
        attributes = {name: json.loads(file.attrs[name]) for name in ("settings", "characters", "state")}
        variables: dict[str, np.ndarray] = {}

        def keep(name: str, item: h5py.Dataset | h5py.Group) -> None:
            if isinstance(item, h5py.Dataset):
                variables[name] = item[()]

        file["variables"].visititems(keep)
    return Checkpoint(variables=variables, **attributes)


def check_settings(checkpoint: Checkpoint, experiment: Experiment, path: str | os.PathLike) -> None:
    """Raises a CorefError that names the first setting in which experiment and checkpoint differ."""
    for key, value in model_settings(experiment).items():
        saved = checkpoint.settings.get(key, _OLDER.get(key))
        if saved != value:
            raise CorefError(
                f"{path}: was made with {key} = {json.dumps(saved)}, experiment {experiment.name} has"
                f" {json.dumps(value)}; change the setting back, or use another experiment"
            )
