"""Packs a trained model and its contextual encoder into one small file for distribution.

A packed model is a regular checkpoint, with a SHA-256 of its whole content. Its matrices are in half precision. It also
contains the contextual encoder, which a frozen model otherwise reads from a file of its own, in fewer bits and without
the blocks that the model does not use. Word vectors remain in their own files.
"""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from coref_tf.config import USE_KEYS, read_changes
from coref_tf.encoder.encoder_config import DTYPES
from coref_tf.encoder.encoder_file import PACKED, fill_encoder
from coref_tf.models.checkpoint import Checkpoint, write_checkpoint
from coref_tf.models.saved_settings import experiment_of_checkpoint
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import merge_settings

WEIGHTS = ("float32", "float16")
# Smaller variables hardly affect the size of the file, and keep their precision.
SMALLEST = 1 << 14
# The keys of a checkpoint's state that remain meaningful after training; packing adds ABOUT.
_STATE = ("encoder", "calibration", "dial", "singletons", "run")
ABOUT = "about"
_TUNED = "context_encoder/"


@dataclasses.dataclass(frozen=True)
class PackOptions:
    """The options of packing.

    Args:
        encoder_weights: The precision of the encoder's matrices: "float32", "float16" or "int8".
        weights: The precision of the model's own weights: "float32" or "float16".
        about: Metadata of the file, such as its name, licence and training data.
        changes: Settings as "key=value", such as max_antecedents, that the packed model uses instead of those of the
            training run.
    """

    encoder_weights: str = "int8"
    weights: str = "float16"
    about: Mapping[str, str] = dataclasses.field(default_factory=dict)
    changes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name, value, known in (
            ("encoder_weights", self.encoder_weights, DTYPES),
            ("weights", self.weights, WEIGHTS),
        ):
            if value not in known:
                raise CorefError(f"{name} must be one of {', '.join(known)}. Received: {value}")


def pack_model(
    model: TrainedModel, output: str | os.PathLike, options: PackOptions | None = None
) -> dict[str, Any]:
    """Writes a model and its encoder as one file.

    Args:
        model: A trained model, opened with `open_trained_model`.
        output: The file to write.
        options: The options of packing.

    Returns:
        The number of weights of the model, as "weights", and of its encoder, as "encoder".

    Example:
        pack_model(open_trained_model("contextual"), "data/models/english.h5")
    """
    options = options or PackOptions()
    checkpoint = model.checkpoint
    # Raises an error that names an incompatible change.
    experiment_of_checkpoint(checkpoint, model.path, options.changes, model.settings)
    changed = read_changes(options.changes)
    settings = merge_settings(
        _without_places(checkpoint.settings), {k: changed[k] for k in USE_KEYS if k in changed}
    )
    state = {name: checkpoint.state[name] for name in _STATE if name in checkpoint.state}
    state[ABOUT] = dict(options.about)
    own = {name: value for name, value in checkpoint.variables.items() if not name.startswith(_TUNED)}
    variables = {name: _kept(name, value, options.weights) for name, value in own.items()}
    sizes = {"weights": sum(value.size for value in own.values()), "encoder": 0}

    def add_encoder(file: h5py.File) -> None:
        # The identity of the encoder is known only after it is written; the state is written after that.
        found = _add_encoder(file, model, options.encoder_weights)
        sizes["encoder"], state["encoder"] = found["weights"], found["identity"]

    if model.encoder:
        settings["context"] |= {"tuned_layers": 0}  # the fine-tuned weights are now part of the encoder
    packed = Checkpoint(settings, checkpoint.characters, variables, state)
    write_checkpoint(output, packed, add_encoder if model.encoder else None)
    return sizes


def _add_encoder(file: h5py.File, model: TrainedModel, dtype: str) -> dict[str, Any]:
    """Writes the encoder as the model uses it, with the fine-tuned weights of its layers."""
    context, encoder = model.settings.context, model.encoder
    if context is None or encoder is None:
        raise ValueError(f"{model.path} must be a model with a contextual encoder")
    config = dataclasses.replace(encoder.config, num_layers=max(context.layers))
    is_tuned = any(name.startswith(_TUNED) for name in model.variables)
    if not is_tuned and encoder.dtype == dtype and encoder.config == config:
        return encoder.copy_to(file)  # keeps its identity, which identifies cached contextual vectors

    def tensor(name: str) -> np.ndarray:
        learned = model.variables.get(f"{_TUNED}{name}")
        return encoder.tensor(name) if learned is None else learned

    group = file.create_group(PACKED)
    return fill_encoder(group, config, encoder.vocabulary, tensor, encoder.provenance, dtype)


def _kept(name: str, value: np.ndarray, weights: str) -> np.ndarray:
    if weights == "float32" or value.dtype != np.float32 or value.size < SMALLEST:
        return value
    if np.abs(value).max() > np.finfo(np.float16).max:
        raise CorefError(f"{name}: values too large for float16; store the weights in float32")
    return value.astype(np.float16)


def _without_places(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings without folders of the machine where the model was trained.

    Files of the package are given relative to it. Other files are reduced to their names, by which they are found next
    to the model.
    """

    def named(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: named(each) for key, each in value.items()}
        if isinstance(value, list):
            return [named(each) for each in value]
        return Path(value).name if isinstance(value, str) and value.startswith("/") else value

    return named(settings)
