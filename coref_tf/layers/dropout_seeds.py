"""What every use of dropout in the model draws from."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.layers.dropout import fold


class DropoutSeeds(NamedTuple):
    """A seed for each use of dropout, int32 [2] in training; None, which leaves dropout out, in prediction."""

    embeddings: tf.Tensor | None  # word vectors and character features, x
    encoder: tf.Tensor | None  # whatever the sentence encoder drops
    heads: tf.Tensor | None  # FFNN_alpha
    widths: tf.Tensor | None  # a span's width, the same in its mention score and in g
    mentions: tf.Tensor | None  # FFNN_m
    pairs: tf.Tensor | None  # pair features and FFNN_a

    @classmethod
    def of(cls, seed: tf.Tensor | None) -> "DropoutSeeds":
        """The seeds of one step, made from the document's; None in prediction."""
        return cls(**{use: fold(seed, number) for use, number in _NUMBERS.items()})


# What is folded into the document's seed for each use. A new use takes a number of its own: the others keep theirs,
# so that a run is the same as it was.
_NUMBERS = {"embeddings": 0, "encoder": 1, "heads": 2, "widths": 3, "mentions": 4, "pairs": 5}
