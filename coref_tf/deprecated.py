"""The only place that uses TensorFlow and Keras features that are due to be renamed or removed.

These are Keras 2 itself, experimental symbols, and the legacy optimizers, which tensorflow-addons wraps.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from coref_tf.support.lanes import check_keras

# The model imports this module before any code that uses Keras.
check_keras(tf)

do_not_convert = tf.autograph.experimental.do_not_convert
GenericFunction = tf.types.experimental.GenericFunction
# A tensor, or anything that TensorFlow converts to one: a NumPy array, a number, nested lists of numbers.
TensorLike = tf.types.experimental.TensorLike


def stateless_dropout(values: tf.Tensor, rate: float, seed: tf.Tensor) -> tf.Tensor:
    """Applies dropout with a mask that depends only on the seed, int32 [2]."""
    return tf.nn.experimental.stateless_dropout(values, rate, seed)


def fold_in(seed: tf.Tensor, number: int) -> tf.Tensor:
    """Derives a new seed, int32 [2], from a seed and a number."""
    return tf.random.experimental.stateless_fold_in(seed, number)


def older_optimizers() -> Any:
    """Returns the module of Keras's legacy optimizers."""
    return tf.keras.optimizers.legacy


def is_older(optimizer: Any) -> bool:
    """Returns whether the optimizer is a legacy one."""
    return isinstance(optimizer, older_optimizers().Optimizer)


def build_optimizer(optimizer: Any, variables: Sequence[tf.Variable]) -> None:
    """Creates the optimizer's own variables, which otherwise exist only after the first step."""
    if is_older(optimizer):
        optimizer._create_all_weights(variables)
        _ = optimizer.iterations
    else:
        optimizer.build(variables)


def optimizer_variables(optimizer: Any) -> list[tf.Variable]:
    """Returns the optimizer's own variables; a legacy wrapper's `weights` includes those of the wrapped optimizer."""
    return list(optimizer.weights if is_older(optimizer) else optimizer.variables)


def apply_gradients(optimizer: Any, pairs: Sequence[tuple[tf.Tensor, tf.Variable]]) -> None:
    """Applies gradients that have already been reduced across replicas."""
    if is_older(optimizer):
        optimizer.apply_gradients(pairs, experimental_aggregate_gradients=False)
    else:
        optimizer.apply_gradients(pairs, skip_gradients_aggregation=True)
