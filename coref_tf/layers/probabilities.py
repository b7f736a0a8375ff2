"""How probable each span's link is, and its place in the cluster that the links make."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.tiles import compute_in_tiles

# How many spans have probabilities computed at a time.
SPANS_PER_TILE = 512


class Probabilities(NamedTuple):
    """Two probabilities of each kept span's decision: a link to any mention of a cluster gives the same place there.
    Of a span that has no link both are that of the dummy.
    """

    links: tf.Tensor  # float32 [spans], of the best antecedent alone
    places: tf.Tensor  # float32 [spans], of all antecedents in its cluster together

    @classmethod
    def from_scores(
        cls, antecedents: Antecedents, temperature: float = 1.0, offset: float = 0.0
    ) -> "Probabilities":
        """Those of softmax(scores / temperature), with `offset` added to the dummy's.

        In tiles, since a second table of all pairs is more memory than the rest has left.

        Args:
            antecedents: of each span.
            temperature: above 0.
            offset: of the dummy.

        Example:
            Probabilities.from_scores(model(inputs).antecedents, *calibration).places
        """
        # [spans]
        columns, best = antecedents.best()
        first = cluster_roots(best)
        # A graph makes this of a division by a constant; done here, op by op gives the same bits.
        inverse = np.float32(1) / np.float32(temperature)

        def of_tile(begin: tf.Tensor, end: tf.Tensor, scores: tf.Tensor) -> tf.Tensor:
            # [spans of the tile, 1 + antecedents]
            logits = scores[begin:end] * inverse
            logits = tf.concat([logits[:, :1] + offset, logits[:, 1:]], axis=1)
            shares = tf.nn.softmax(logits)
            links = tf.gather(shares, columns[begin:end, tf.newaxis], batch_dims=1)
            # Padding points at the first span, and has no share.
            together = tf.gather(first, antecedents.indices[begin:end]) == first[begin:end, tf.newaxis]
            together = tf.reduce_sum(tf.where(together, shares[:, 1:], 0.0), axis=1, keepdims=True)
            together = tf.minimum(together, 1.0)  # a sum of many may be a rounding above
            linked = best[begin:end, tf.newaxis] >= 0
            return tf.concat([links, tf.where(linked, together, links)], axis=1)

        shape = tf.shape(antecedents.scores)[0], 2
        both = compute_in_tiles(of_tile, antecedents.scores, shape, SPANS_PER_TILE)
        return cls(*tf.unstack(both, 2, axis=1))


def cluster_roots(antecedents: tf.Tensor) -> tf.Tensor:
    """The first span of each span's cluster, int32 [spans], from the antecedents, -1 being none.

    Pointer jumping: in each round every span looks where the span it points to points to, so that a chain of n
    spans takes log2(n) rounds.

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
