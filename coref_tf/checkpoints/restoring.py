"""From a checkpoint into a model's variables, checked before anything is put there."""

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import tensorflow as tf

from coref_tf.checkpoints.checkpoint import Checkpoint
from coref_tf.model import CorefModel
from coref_tf.support.errors import CorefError


def assign_variables(
    variables: Iterable[tf.Variable],
    checkpoint: Checkpoint,
    path: str | os.PathLike,
    names: Sequence[str] | None = None,
) -> None:
    """Gives variables the values that a checkpoint has for them.

    Args:
        variables: of a model, or of an optimizer.
        checkpoint: what was read.
        path: where from.
        names: of the variables in the checkpoint; when left out, their own.
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


def check_encoder(model: CorefModel, checkpoint: Checkpoint, path: str | os.PathLike) -> None:
    """Refuses a contextual encoder that isn't the one a model was trained with, wherever its file is."""
    saved = checkpoint.state.get("encoder")
    if saved != model.encoder_identity:
        raise CorefError(
            f"{path}: was trained with another encoder than {model.experiment.context.encoder} (its identity is"
            f" {str(saved)[:12]}, not {str(model.encoder_identity)[:12]}); put the one it was trained with there"
        )


@contextlib.contextmanager
def no_more_variables_than(checkpoint: Checkpoint, path: str | os.PathLike) -> Iterator[None]:
    """While entered, variables are refused, before they are made, that come to more numbers than a checkpoint has.

    Its settings may be somebody else's: those of a small file must not make a model that fills the memory.
    """
    left = sum(value.size for value in checkpoint.variables.values())

    def create(next_creator, **options):
        nonlocal left
        # Keras's own counters come without a shape, and are no part of a checkpoint; nor is what an encoder has in
        # a file of its own, which has been compared with its settings.
        of_file = tf.get_current_name_scope().startswith("context_encoder")
        counts = options.get("shape") is not None and not of_file
        left -= math.prod(options["shape"]) if counts else 0
        if left < 0:
            raise CorefError(
                f"{path}: its settings are of a larger model than its variables; use another checkpoint"
            )
        return next_creator(**options)

    with tf.variable_creator_scope(create):
        yield
