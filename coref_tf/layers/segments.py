"""Things of different lengths laid end to end."""

import tensorflow as tf

from coref_tf.deprecated import TensorLike


def owners(lengths: TensorLike) -> tf.Tensor:
    """Which thing each place belongs to, int32 [sum of lengths].

    The same as repeating each thing's number, but tf.repeat makes a table [things, longest] on its way: one word of
    a million letters among a thousand others would take gigabytes.

    Args:
        lengths: int32 [things].

    Example:
        owners([2, 0, 3])   # [0, 0, 2, 2, 2]
    """
    ends = tf.cumsum(lengths)
    return tf.searchsorted(ends, tf.range(tf.reduce_sum(lengths)), side="right")
