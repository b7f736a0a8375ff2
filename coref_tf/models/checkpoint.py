"""Checkpoints: everything that a trained model needs, in one HDF5 file that is written atomically.

The user block of the file, its first 512 bytes, contains the SHA-256 of the rest, so that damage is detected before
anything else is read.
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

from coref_tf.config import Experiment
from coref_tf.encoder.encoder_file import PACKED
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write
from coref_tf.support.hdf5 import open_hdf5
from coref_tf.support.resources import resources_folder
from coref_tf.support.typed_settings import plain

_MAGIC = b"coref_tf checkpoint 1\n"
_USER_BLOCK = 512


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint.

    Args:
        settings: The settings of the experiment, see `model_settings`; older checkpoints lack newer settings.
        characters: The character vocabulary, without the unknown character.
        variables: The value of each variable of the model, by name.
        state: Other data that the writer wants to store, as JSON values.
        encoder: For a packed model, the group of the file that holds its contextual encoder. The content of the file
            stays in memory as long as this group does.
    """

    settings: Mapping[str, Any]
    characters: list[str]
    variables: Mapping[str, np.ndarray]
    state: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    encoder: h5py.Group | None = None


def best_checkpoint_path(experiment: Experiment) -> Path:
    """Returns the path of the experiment's best model."""
    return experiment.log_dir / "best.h5"


def model_settings(experiment: Experiment) -> dict[str, Any]:
    """Returns the settings that a checkpoint stores, as JSON values: all of them, so that it is self-contained.

    Paths of the package's resources are relative to their folder, so that they are valid on other machines.
    """
    return plain(experiment, _kept_path)


def _kept_path(path: Path) -> str:
    resources = resources_folder().resolve()
    whole = path.resolve()
    return (whole.relative_to(resources) if whole.is_relative_to(resources) else whole).as_posix()


def write_checkpoint(
    path: str | os.PathLike, checkpoint: Checkpoint, write_encoder: Callable[[h5py.File], None] | None = None
) -> None:
    """Writes `path` atomically: a crash or a full disk leaves the previous file.

    Args:
        path: The file.
        checkpoint: The content; its encoder is copied.
        write_encoder: A function that writes another encoder into the file, before the rest of the content.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=_USER_BLOCK) as file:
        if write_encoder:
            write_encoder(file)
        elif checkpoint.encoder is not None:
            checkpoint.encoder.file.copy(checkpoint.encoder, file, PACKED)
        for name in ("settings", "characters", "state"):
            file.attrs[name] = json.dumps(getattr(checkpoint, name))
        group = file.create_group("variables")
        for name, value in checkpoint.variables.items():
            group.create_dataset(name, data=value)
    body = buffer.getbuffer()[_USER_BLOCK:]
    with atomic_write(path, "wb") as file:
        file.write(_header(body))
        file.write(body)


def _header(body: memoryview) -> bytes:
    """Returns the user block, which contains the checksum of the rest."""
    return (_MAGIC + hashlib.sha256(body).hexdigest().encode()).ljust(_USER_BLOCK, b"\n")


def change_checkpoint(path: str | os.PathLike, **parts: Any) -> None:
    """Rewrites a checkpoint with some parts replaced, such as `state`; the rest, including the encoder, stays."""
    write_checkpoint(path, dataclasses.replace(read_checkpoint(path), **parts))


def read_checkpoint(path: str | os.PathLike) -> Checkpoint:
    """Reads `path` once; a missing, damaged or invalid file is a one-line error."""
    if not Path(path).is_file():
        raise CorefError(
            f"{path}: no such checkpoint; train the experiment first, or name one with --checkpoint"
        )
    content = Path(path).read_bytes()
    if not content.startswith(_MAGIC):
        raise CorefError(
            f"{path}: not a coref_tf checkpoint; expected a .h5 file written by `coref train` or `coref finetune`"
        )
    if content[:_USER_BLOCK] != _header(memoryview(content)[_USER_BLOCK:]):
        raise CorefError(f"{path}: damaged or truncated (its checksum is wrong); use another checkpoint")
    try:
        return _read(open_hdf5(content))
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, RecursionError, MemoryError) as error:
        reason = " ".join(str(error).split())[:200]
        raise CorefError(f"{path}: not a valid checkpoint ({reason}); use another checkpoint") from None


def _read(file: h5py.File) -> Checkpoint:
    attributes: dict[str, Any] = {}
    for name, kind in {"settings": dict, "characters": list, "state": dict}.items():
        attributes[name] = json.loads(file.attrs[name])
        if not isinstance(attributes[name], kind):
            raise ValueError(f"its {name} are not a {kind.__name__}")
    if not all(isinstance(character, str) and len(character) == 1 for character in attributes["characters"]):
        raise ValueError("its characters are not single characters")
    variables: dict[str, np.ndarray] = {}

    def keep(name: str, item: h5py.Dataset | h5py.Group) -> None:
        if isinstance(item, h5py.Dataset):
            variables[name] = item[()]

    file["variables"].visititems(keep)
    encoder = file.get(PACKED)
    if encoder is not None and not isinstance(encoder, h5py.Group):
        raise ValueError(f"its {PACKED} is not a group")
    return Checkpoint(variables=variables, encoder=encoder, **attributes)
