"""Dropout whose masks depend on a seed alone, so that every step of training can be repeated exactly.

A layer takes `seed`, int32 [2], in training and None in prediction, and folds a number of its own into it for
each use.
"""

import tensorflow as tf


def dropout(values, rate, seed, salt=0):
    """Sets a share `rate` of `values` to zero and scales up the rest; leaves all alone where `seed` is None."""
    if seed is None:
        return values
    return tf.nn.experimental.stateless_dropout(values, rate, fold(seed, salt))


def fold(seed, salt):
    """A seed of its own for use number `salt`; None stays None."""
    return None if seed is None else tf.random.experimental.stateless_fold_in(seed, salt)
