"""Builds Keras models, and assigns the variables of checkpoints to them after checking them."""

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
    """Builds a model with initial weights; its contextual encoder, if it has one, has pretrained weights.

    Args:
        experiment: The settings.
        num_characters: The size of the character vocabulary, including the unknown character.
        backend: The backend of the ops, "custom" or "portable".
        encoder: The encoder file, if it is already open; by default, the one that the experiment names is opened.
    """
    context = None
    if experiment.context:
        file = encoder or EncoderFile(experiment.context.encoder)
        context = load_context_words(experiment.context, file, backend)
    return CorefModel(experiment, num_characters, backend, context)


def build_trained_model(trained: TrainedModel, backend: str = "custom") -> CorefModel:
    """Builds the model of a checkpoint; see `TrainedModel.build`."""
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
    """Assigns the values in a checkpoint to variables.

    Args:
        variables: The variables of a model or an optimizer.
        checkpoint: The content of the checkpoint.
        path: The file of the checkpoint.
        names: The names of the variables in the checkpoint; by default, their own names.
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
            f"{path}: variable {name} has values of type {value.dtype}; expected {variable.dtype.name}; {mend}"
        )
    if not np.isfinite(value).all():
        raise CorefError(f"{path}: variable {name} has values that are not finite; {mend}")
    return value.astype(variable.dtype.as_numpy_dtype)  # packed models are in half precision


@contextlib.contextmanager
def _assigned_later(checkpoint: Checkpoint, path: str | os.PathLike) -> Iterator[None]:
    """While entered, creates variables for the values of a checkpoint or an encoder file.

    Their initial values are zeros, because drawing random ones takes seconds. Variables with more values in total than
    the checkpoint has are rejected before they are created: the settings are untrusted, and those in a small file must
    not create a model that fills the memory.
    """
    left = sum(value.size for value in checkpoint.variables.values())

    def create(next_creator: Any, **options: Any) -> tf.Variable:
        nonlocal left
        shape = options.get("shape")
        if shape is None:  # counters of Keras, which are not part of a checkpoint
            return next_creator(**options)
        # The weights of an encoder in a separate file have already been checked against the settings of that file.
        if not tf.get_current_name_scope().startswith("context_encoder"):
            left -= math.prod(shape)
        if left < 0:
            raise CorefError(
                f"{path}: its settings describe a larger model than its variables; use another checkpoint"
            )
        return next_creator(**(options | {"initial_value": lambda: tf.zeros(shape, options["dtype"])}))

    with tf.variable_creator_scope(create):
        yield
