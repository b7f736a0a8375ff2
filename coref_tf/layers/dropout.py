"""Dropout with masks that depend only on a seed, so that every training step is reproducible.

A layer receives `seed`, int32 [2], in training and None in prediction. For each use, it folds a different number into
the seed.
"""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.deprecated import fold_in, stateless_dropout

# The number that is folded into the document's seed for each use. A new use takes a new number; existing numbers never
# change, so that runs remain reproducible.
_NUMBERS = {"embeddings": 0, "encoder": 1, "heads": 2, "widths": 3, "mentions": 4, "pairs": 5}


class DropoutSeeds(NamedTuple):
    """A seed for each use of dropout: int32 [2] in training; None, which disables dropout, in prediction."""

    embeddings: tf.Tensor | None  # word vectors and character features, x
    encoder: tf.Tensor | None  # all dropout inside the sentence encoder
    heads: tf.Tensor | None  # FFNN_alpha
    widths: tf.Tensor | None  # the width feature, with the same mask in the mention score and in g
    mentions: tf.Tensor | None  # FFNN_m
    pairs: tf.Tensor | None  # pair features and FFNN_a

    @classmethod
    def split(cls, seed: tf.Tensor | None) -> "DropoutSeeds":
        """Derives the seeds of one step from the document's seed; all are None in prediction."""
        return cls(**{use: fold(seed, number) for use, number in _NUMBERS.items()})


def dropout(values: tf.Tensor, rate: float, seed: tf.Tensor | None, salt: int = 0) -> tf.Tensor:
    """Sets a fraction `rate` of `values` to zero and scales up the rest; returns `values` if `seed` is None."""
    if seed is None:
        return values
    return stateless_dropout(values, rate, fold(seed, salt))


def fold(seed: tf.Tensor | None, salt: int) -> tf.Tensor | None:
    """Derives the seed for use number `salt`; None stays None."""
    return None if seed is None else fold_in(seed, salt)


def keyed_dropout(
    values: tf.Tensor, rate: float, seed: tf.Tensor | None, salt: int, first: tf.Tensor, second: tf.Tensor
) -> tf.Tensor:
    """Applies dropout to tiles: the mask of a row depends only on the seed and on two numbers that identify the row.

    The two numbers are the two spans of a pair, or the two ends of a span. The masks are bit-identical to those of
    kernels/shared/dropout.h.

    Args:
        values: float32 [..., size].
        rate: The dropout rate.
        seed: int32 [2], or None.
        salt: The number of this use of the seed.
        first: int32, broadcastable to [...].
        second: int32, broadcastable to [...].
    """
    if seed is None:
        return values
    share = np.float32(rate)
    seed = tf.bitcast(tf.convert_to_tensor(seed, tf.int32), tf.uint32)
    key = _mix_bits(seed[0] + _multiple(tf.constant(salt)))
    for number in (seed[1], tf.bitcast(first, tf.uint32), tf.bitcast(second, tf.uint32)):
        key = _mix_bits(tf.bitwise.bitwise_xor(key, number))
    # [..., size]
    bits = _mix_bits(key[..., tf.newaxis] + _multiple(tf.range(tf.shape(values)[-1])))
    return tf.where(bits >= tf.constant(int(float(share) * 2**32), tf.uint32), values / (1 - share), 0)


def _multiple(number: tf.Tensor) -> tf.Tensor:
    """Multiplies by 2^32 divided by the golden ratio, which spreads numbers evenly; uint32."""
    return tf.cast(number, tf.uint32) * tf.constant(0x9E3779B9, tf.uint32)


def _mix_bits(bits: tf.Tensor) -> tf.Tensor:
    """Maps distinct numbers to distinct numbers that look random, uint32."""
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
        bits = tf.bitwise.bitwise_xor(bits, tf.bitwise.right_shift(bits, tf.constant(shift, tf.uint32)))
        bits *= tf.constant(factor, tf.uint32)
    return tf.bitwise.bitwise_xor(bits, tf.bitwise.right_shift(bits, tf.constant(16, tf.uint32)))
