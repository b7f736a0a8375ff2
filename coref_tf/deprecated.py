"""What TensorFlow and Keras mean to rename or take away, each in one place: here.

That is Keras 2 itself, what is still called experimental, and the older optimizers, which tensorflow-addons wraps.
"""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from coref_tf.support.lanes import check_keras

# The model imports this before all that is made of Keras.
check_keras(tf)

do_not_convert = tf.autograph.experimental.do_not_convert
GenericFunction = tf.types.experimental.GenericFunction
# A tensor, or what TensorFlow makes one of: a NumPy array, a number, nested lists of numbers.
TensorLike = tf.types.experimental.TensorLike


def stateless_dropout(values: tf.Tensor, rate: float, seed: tf.Tensor) -> tf.Tensor:
    """Dropout whose mask depends on the seed, int32 [2], alone."""
    return tf.nn.experimental.stateless_dropout(values, rate, seed)


def fold_in(seed: tf.Tensor, number: int) -> tf.Tensor:
    """Another seed, int32 [2], for each number."""
    return tf.random.experimental.stateless_fold_in(seed, number)


def older_optimizers() -> Any:
    """The module of Keras's older optimizers."""
    return tf.keras.optimizers.legacy


def is_older(optimizer: Any) -> bool:
    """Whether it is one of them."""
    return isinstance(optimizer, older_optimizers().Optimizer)


def build_optimizer(optimizer: Any, variables: Sequence[tf.Variable]) -> None:
    """Makes the optimizer's own variables, which otherwise are there after the first step."""
    if is_older(optimizer):
        optimizer._create_all_weights(variables)
        _ = optimizer.iterations
    else:
        optimizer.build(variables)


def optimizer_variables(optimizer: Any) -> list[tf.Variable]:
    """The optimizer's own variables; an older one's `weights` has those of the one that it wraps, too."""
    return list(optimizer.weights if is_older(optimizer) else optimizer.variables)


def apply_gradients(optimizer: Any, pairs: Sequence[tuple[tf.Tensor, tf.Variable]]) -> None:
    """Applies gradients that all replicas have already."""
    if is_older(optimizer):
        optimizer.apply_gradients(pairs, experimental_aggregate_gradients=False)
    else:
        optimizer.apply_gradients(pairs, skip_gradients_aggregation=True)
