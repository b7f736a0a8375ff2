"""Computes the probabilities of each span's link and of its place in the resulting cluster."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.tiles import compute_in_tiles

# For how many spans probabilities are computed at a time.
SPANS_PER_TILE = 512


class Probabilities(NamedTuple):
    """Two probabilities for the decision of each kept span: that of its link, and that of its place.

    A link to any mention of a cluster gives the span the same place. For a span without a link, both are the
    probability of the dummy.
    """

    links: tf.Tensor  # float32 [spans], the probability of the best antecedent alone
    places: tf.Tensor  # float32 [spans], the total probability of all antecedents in its cluster

    @classmethod
    def from_scores(
        cls, antecedents: Antecedents, temperature: float = 1.0, offset: float = 0.0
    ) -> "Probabilities":
        """Computes them from softmax(scores / temperature), with `offset` added to the score of the dummy.

        This works in tiles, because a second table of all pairs would exceed the memory limit.

        Args:
            antecedents: The antecedents of each span.
            temperature: The temperature, above 0.
            offset: The offset of the dummy.

        Example:
            Probabilities.from_scores(model(inputs).antecedents, *calibration).places
        """
        # [spans]
        columns, best = antecedents.best()
        first = cluster_roots(best)
        # A graph turns division by a constant into this; doing it here makes eager execution bit-identical.
        inverse = np.float32(1) / np.float32(temperature)

        def of_tile(begin: tf.Tensor, end: tf.Tensor, scores: tf.Tensor) -> tf.Tensor:
            # [spans of the tile, 1 + antecedents]
            logits = scores[begin:end] * inverse
            logits = tf.concat([logits[:, :1] + offset, logits[:, 1:]], axis=1)
            probabilities = tf.nn.softmax(logits)
            links = tf.gather(probabilities, columns[begin:end, tf.newaxis], batch_dims=1)
            # Padding points to the first span and has no probability.
            together = tf.gather(first, antecedents.indices[begin:end]) == first[begin:end, tf.newaxis]
            together = tf.reduce_sum(tf.where(together, probabilities[:, 1:], 0.0), axis=1, keepdims=True)
            together = tf.minimum(together, 1.0)  # rounding may push the sum above 1
            linked = best[begin:end, tf.newaxis] >= 0
            return tf.concat([links, tf.where(linked, together, links)], axis=1)

        shape = tf.shape(antecedents.scores)[0], 2
        both = compute_in_tiles(of_tile, antecedents.scores, shape, SPANS_PER_TILE)
        return cls(*tf.unstack(both, 2, axis=1))


def cluster_roots(antecedents: tf.Tensor) -> tf.Tensor:
    """Returns the first span of each span's cluster, int32 [spans], given the antecedents, with -1 for none.

    Uses pointer jumping: in each round, every span follows the pointer of the span that it points to, so that a chain
    of n spans takes log2(n) rounds.

    Example:
        cluster_roots(tf.constant([-1, 0, -1, 1]))   # [0, 0, 2, 0]
    """
    spans = tf.range(tf.size(antecedents))
    pointers = tf.where(antecedents < 0, spans, antecedents)
    return tf.while_loop(
        lambda pointers: tf.reduce_any(tf.gather(pointers, pointers) != pointers),
        lambda pointers: [tf.gather(pointers, pointers)],
        [pointers],
    )[0]
