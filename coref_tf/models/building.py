"""Builds Keras models, and assigns the variables of checkpoints to them, which are checked first."""

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.encoder.context_words import load_context_words
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.model import CorefModel
from coref_tf.models.checkpoint import Checkpoint
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError


def build_model(
    experiment: Experiment, num_characters: int, backend: str = "custom", encoder: EncoderFile | None = None
) -> CorefModel:
    """A model with initial weights; its contextual encoder, if it has one, has the pretrained weights.

    Args:
        experiment: the settings.
        num_characters: size of the character vocabulary, unknown included.
        backend: of the ops, "custom" or "portable".
        encoder: the encoder's file, if it is open already; by default, the one that the experiment names is opened.
    """
    context = None
    if experiment.context:
        file = encoder or EncoderFile(experiment.context.encoder)
        context = load_context_words(experiment.context, file, backend)
    return CorefModel(experiment, num_characters, backend, context)


def build_trained_model(trained: TrainedModel, backend: str = "custom") -> CorefModel:
    """The model of a checkpoint; see `TrainedModel.build`."""
    with _assigned_later(trained.checkpoint, trained.path):
        model = build_model(trained.settings, len(trained.characters), backend, trained.encoder)
    assign_variables(model.own_variables, trained.checkpoint, trained.path)
    return model


def assign_variables(
    variables: Iterable[tf.Variable],
    checkpoint: Checkpoint,
    path: str | os.PathLike,
    names: Sequence[str] | None = None,
) -> None:
    """Assigns a checkpoint's values to variables.

    Args:
        variables: of a model, or of an optimizer.
        checkpoint: the content of the checkpoint.
        path: its file.
        names: of the variables in the checkpoint; by default, their own.
    """
    pairs = []
    for number, variable in enumerate(variables):
        name = names[number] if names else variable.name.removesuffix(":0")
        pairs.append((variable, _checked(checkpoint, name, variable, path)))
    for variable, value in pairs:
        variable.assign(value)


def _checked(checkpoint: Checkpoint, name: str, variable: tf.Variable, path: str | os.PathLike) -> np.ndarray:
    mend = "use another checkpoint"
    if name not in checkpoint.variables:
        raise CorefError(f"{path}: lacks variable {name}, expected with shape {list(variable.shape)}; {mend}")
    value = checkpoint.variables[name]
    if list(value.shape) != list(variable.shape):
        raise CorefError(
            f"{path}: variable {name} has shape {list(value.shape)}; expected {list(variable.shape)}; {mend}"
        )
    if value.dtype.kind != np.dtype(variable.dtype.as_numpy_dtype).kind:
        raise CorefError(
            f"{path}: variable {name} has numbers of type {value.dtype}; expected {variable.dtype.name}; {mend}"
        )
    if not np.isfinite(value).all():
        raise CorefError(f"{path}: variable {name} has numbers that are not finite; {mend}")
    return value.astype(variable.dtype.as_numpy_dtype)  # packed models have half precision


@contextlib.contextmanager
def _assigned_later(checkpoint: Checkpoint, path: str | os.PathLike) -> Iterator[None]:
    """While entered, variables are created for the values of a checkpoint, or of an encoder's file.

    Their initial values are zeros, since drawing random ones takes seconds. And variables that come to more numbers
    than the checkpoint has are refused before they are created: the settings may be somebody else's, and those of a
    small file must not make a model that fills the memory.
    """
    left = sum(value.size for value in checkpoint.variables.values())

    def create(next_creator: Any, **options: Any) -> tf.Variable:
        nonlocal left
        shape = options.get("shape")
        if shape is None:  # Keras's own counters, which are no part of a checkpoint
            return next_creator(**options)
        # What an encoder has in a file of its own has been compared with that file's settings.
        if not tf.get_current_name_scope().startswith("context_encoder"):
            left -= math.prod(shape)
        if left < 0:
            raise CorefError(
                f"{path}: its settings are of a larger model than its variables; use another checkpoint"
            )
        return next_creator(**(options | {"initial_value": lambda: tf.zeros(shape, options["dtype"])}))

    with tf.variable_creator_scope(create):
        yield
