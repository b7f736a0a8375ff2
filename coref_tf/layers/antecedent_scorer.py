"""Which earlier span a span refers back to (section 4, "Scoring Architecture")."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf import ops
from coref_tf.layers.dropout import fold
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import PairFeatures
from coref_tf.layers.tiles import compute_in_tiles

# How many spans have their pairs scored at a time. Fewer make the products small, more make the tiles large:
# with the paper's sizes a tile of 16 holds about 4,000 pairs in some 50 MB.
SPANS_PER_TILE = 16


class Antecedents(NamedTuple):
    """The antecedents considered for each kept span, and their scores."""

    indices: tf.Tensor  # int32 [spans, antecedents], into the kept spans; padding is 0
    lengths: tf.Tensor  # int32 [spans], how many of them are real
    scores: tf.Tensor  # float32 [spans, 1 + antecedents], s(i, j), the dummy first; padding is -inf


class _PairValues(NamedTuple):
    """What the pairs are computed from; everything that depends on one span alone, once per span."""

    g: tf.Tensor  # [spans, span size]
    mention_scores: tf.Tensor  # [spans]
    targets: tf.Tensor  # [spans, units], W_target g
    antecedents: tf.Tensor  # [spans, units], W_antecedent g
    product_kernel: tf.Tensor  # [span size, units]
    phi: tuple  # in training (table of phi, W_features), in prediction (their product,), without features ()
    ffnn: tuple  # the other weights of FFNN_a


class AntecedentScorer(tf.keras.layers.Layer):
    """s(i, j) = s_m(i) + s_m(j) + s_a(i, j), with 0 for the dummy antecedent.

        s_a(i, j) = w_a . FFNN_a([g_i, g_j, g_i * g_j, phi(i, j)])

    With `strategy="coarse"` the antecedents are not the nearest ones but those with the best coarse score
    s_m(i) + s_m(j) + g_i W_c g_j, whose bilinear term is then part of s, so that it learns.

    The pairs are never all in memory: they are scored in tiles of some spans with all their antecedents, and
    the gradient scores each tile again. The first layer is applied to g_i and g_j once per span; to g_i * g_j as

        (g_i * g_j) W = g_j (diag(g_i) W)

    so that the spans of a tile, whose nearest antecedents overlap almost wholly, share one matrix product.

    Args:
        span_size: of g.
        features: the PairFeatures that define phi; None leaves phi out.
        max_antecedents: K.
        depth: hidden layers of FFNN_a.
        units: size of each.
        dropout_rate: of each.
        strategy: "nearest" or "coarse".
        backend: of the ops, "custom" or "portable".
    """

    def __init__(
        self,
        span_size,
        features: PairFeatures | None,
        max_antecedents,
        depth,
        units,
        dropout_rate=0.0,
        strategy="nearest",
        backend="custom",
        **kwargs,
    ):
        super().__init__(**kwargs)
        if strategy not in ("nearest", "coarse"):
            raise ValueError(f"strategy must be nearest or coarse. Received: {strategy!r}")
        self.features = features
        self.span_size = span_size
        self.max_antecedents = max_antecedents
        self.strategy = strategy
        self.backend = backend
        parts = {"target": span_size, "antecedent": span_size, "product": span_size}
        parts["features"] = features.size if features else 0
        with tf.name_scope(self.name):
            self.ffnn = FeedForward(parts, depth, units, dropout_rate, name="ffnn")
            if strategy == "coarse":
                self.coarse_kernel = self.add_weight("coarse_kernel", [span_size, span_size])

    def call(self, g, mention_scores, span_speakers, genre, seed=None):
        """Scores the antecedents of each kept span.

        Args:
            g: float32 [spans, span size], in document order.
            mention_scores: float32 [spans].
            span_speakers: int32 [spans].
            genre: int32 [].
            seed: of dropout; None in prediction.

        Returns:
            Antecedents.
        """
        indices, lengths, coarse = self._choose(g, mention_scores)
        score_tile = self._score_band if self.strategy == "nearest" else self._score_chosen

        def score_rows(first, last, values):
            tile_seed = fold(seed, first // SPANS_PER_TILE)
            return score_tile(first, last, values, indices, span_speakers, tile_seed)

        values = self._values(g, mention_scores, genre, training=seed is not None)
        # [spans, antecedents]
        scores = compute_in_tiles(score_rows, values, tf.unstack(tf.shape(indices)), SPANS_PER_TILE) + coarse
        real = tf.sequence_mask(lengths, tf.shape(indices)[1])
        scores = tf.where(real, scores, -float("inf"))
        # [spans, 1 + antecedents]
        scores = tf.pad(scores, [[0, 0], [1, 0]])
        return Antecedents(indices, lengths, scores)

    def _choose(self, g, mention_scores):
        """The antecedents to consider, and the part of their score that the choice itself adds."""
        if self.strategy == "nearest":
            num_spans = tf.shape(g)[0]
            return *ops.nearest_antecedents(num_spans, self.max_antecedents, backend=self.backend), 0.0
        # [spans, spans]
        bilinear = tf.matmul(tf.matmul(g, self.coarse_kernel), g, transpose_b=True)
        coarse = bilinear + mention_scores[:, tf.newaxis] + mention_scores
        indices, lengths = ops.top_antecedents(coarse, self.max_antecedents, backend=self.backend)
        return indices, lengths, tf.gather(bilinear, indices, batch_dims=1)

    def _values(self, g, mention_scores, genre, training):
        phi = ()
        if self.features:
            table, kernel = self.features.table(genre), self.ffnn.weights_of("features")
            # In training every pair has dropout of its own, which comes before the projection.
            phi = (table, kernel) if training else (tf.matmul(table, kernel),)
        targets, antecedents = (self.ffnn.project(part, g) for part in ("target", "antecedent"))
        product_kernel = self.ffnn.weights_of("product")
        return _PairValues(
            g, mention_scores, targets, antecedents, product_kernel, phi, self.ffnn.later_weights()
        )

    def _score_band(self, first, last, values, indices, speakers, seed):
        """s of spans first to last - 1 with their nearest antecedents, [targets, antecedents]."""
        targets = tf.range(first, last)
        # [window]: whatever is an antecedent of one of them
        window = tf.range(tf.maximum(0, first - self.max_antecedents), last)
        # [span size, targets, units]: diag(g_i) W side by side
        kernels = (
            tf.transpose(tf.gather(values.g, targets))[:, :, tf.newaxis]
            * values.product_kernel[:, tf.newaxis]
        )
        # [window, targets, units]
        products = tf.matmul(tf.gather(values.g, window), tf.reshape(kernels, [self.span_size, -1]))
        products = tf.reshape(products, [tf.size(window), tf.size(targets), values.product_kernel.shape[1]])
        # [window, targets]
        scores = self._finish(products, targets[tf.newaxis], window[:, tf.newaxis], values, speakers, seed)
        # [targets, antecedents]: each target's own out of the window
        places = tf.maximum(0, indices[first:last] - (last - tf.size(window)))
        return tf.gather(tf.transpose(scores), places, batch_dims=1)

    def _score_chosen(self, first, last, values, indices, speakers, seed):
        """s of spans first to last - 1 with antecedents from anywhere, [targets, antecedents]."""
        targets, antecedents = tf.range(first, last)[:, tf.newaxis], indices[first:last]
        # [targets, antecedents, span size]
        products = tf.gather(values.g, targets) * tf.gather(values.g, antecedents)
        products = tf.tensordot(products, values.product_kernel, axes=1)
        return self._finish(products, targets, antecedents, values, speakers, seed)

    def _finish(self, products, targets, antecedents, values, speakers, seed):
        """s of pairs, [.., ..], from their (g_i * g_j) W; targets and antecedents broadcast to that shape."""
        projected = products + tf.gather(values.targets, targets) + tf.gather(values.antecedents, antecedents)
        if values.phi:
            same_speaker = tf.equal(tf.gather(speakers, targets), tf.gather(speakers, antecedents))
            kinds = self.features.kinds(targets - antecedents, same_speaker)
            table, *kernel = values.phi
            phi = self.features(kinds, table, seed=fold(seed, 0))
            projected += tf.tensordot(phi, kernel[0], axes=1) if kernel else phi
        scores = self.ffnn(projected, seed=fold(seed, 1), later_weights=values.ffnn)
        return (
            scores + tf.gather(values.mention_scores, targets) + tf.gather(values.mention_scores, antecedents)
        )
