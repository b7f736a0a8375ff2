"""Computes s_a, the score of a pair of spans, without ever holding a tensor of all pairs."""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.layers.dropout import keyed_dropout
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import PairFeatures, SpanFacts
from coref_tf.layers.span_representation import SpanPart, join
from coref_tf.layers.tiles import compute_in_tiles
from coref_tf.ops import library

# How many spans have their pairs scored at a time. Small tiles make the matrix products inefficient; large ones take
# memory. With the sizes of the paper, a tile of 16 spans holds about 4,000 pairs in about 50 MB.
SPANS_PER_TILE = 16

# How much of the first layer's output the C++ op keeps in training, so that the gradient need not recompute it. With
# the sizes of the paper, this is enough for a document of up to 2,000 words.
KEPT_BYTES = 128 * 2**20


class PairValues(NamedTuple):
    """The inputs of scoring; everything that depends on one span only is computed once per span."""

    g: tuple[SpanPart, ...]
    targets: tf.Tensor  # [spans, units], W_target g + b
    antecedents: tf.Tensor  # [spans, units], W_antecedent g
    product_kernel: tf.Tensor  # [span size, units]
    # (table of phi, W_features) in training, (their product,) in prediction, () without features.
    phi: tuple[tf.Tensor, ...]
    later: tuple[tf.Tensor, ...]  # kernel and bias of each later layer
    numbers: tuple[tf.Tensor, ...]  # int32 [spans] each, the numbers of the pair features


class PairScorer:
    """s_a(i, j) = w_a . FFNN_a([g_i, g_j, g_i * g_j, phi(i, j)]).

    The first layer is applied to g_i and g_j once per span; only g_i * g_j and phi are computed per pair. Pairs are
    scored in tiles of a few spans with all their antecedents, and the gradient recomputes each tile. The nearest
    antecedents of the spans of a tile overlap almost entirely, so they share one matrix product:

        (g_i * g_j) W = g_j (diag(g_i) W)

    Args:
        ffnn: FFNN_a and w_a, with the parts "target", "antecedent", "product" and "features".
        features: The PairFeatures that define phi, or None.
        max_antecedents: K.
        fused: Whether one C++ op scores the nearest antecedents, instead of TensorFlow's built-in ops.
    """

    def __init__(
        self, ffnn: FeedForward, features: PairFeatures | None, max_antecedents: int, fused: bool
    ) -> None:
        self.ffnn = ffnn
        self.features = features
        self.max_antecedents = max_antecedents
        self.fused = fused

    def nearest(
        self, g: Sequence[SpanPart], indices: tf.Tensor, spans: SpanFacts, seed: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Computes s_a of each span with its nearest preceding spans.

        Args:
            g: The SpanParts of the spans.
            indices: int32 [spans, antecedents], from `ops.nearest_antecedents`.
            spans: The SpanFacts of the spans.
            seed: The dropout seed, or None in prediction.

        Returns:
            float32 [spans, antecedents]; padding is undefined.
        """
        values = self._values(g, spans, training=seed is not None)
        if self.fused:
            return self._run_op(values, seed)
        return self._run_tiles(self._score_window, values, indices, seed)

    def chosen(
        self, g: Sequence[SpanPart], indices: tf.Tensor, spans: SpanFacts, seed: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Computes s_a like `nearest`, for arbitrary antecedents."""
        values = self._values(g, spans, training=seed is not None)
        return self._run_tiles(self._score_rows, values, indices, seed)

    def _values(self, g: Sequence[SpanPart], spans: SpanFacts, training: bool) -> PairValues:
        joined = join(g)
        phi: tuple[tf.Tensor, ...] = ()
        numbers: tuple[tf.Tensor, ...] = ()
        if self.features:
            numbers = tuple(self.features.numbers(spans))
            table, kernel = self.features.table(spans), self.ffnn.weights_of("features")
            # In training, each pair has its own dropout mask, which is applied before the projection.
            phi = (table, kernel) if training else (tf.matmul(table, kernel),)
        bias, *later = self.ffnn.later_weights()
        return PairValues(
            tuple(g),
            self.ffnn.project("target", joined) + bias,
            self.ffnn.project("antecedent", joined),
            self.ffnn.weights_of("product"),
            phi,
            tuple(later),
            numbers,
        )

    def _run_op(self, values: PairValues, seed: tf.Tensor | None) -> tf.Tensor:
        """Scores all nearest antecedents with the C++ op, which does its own tiling."""
        units = values.product_kernel.shape[1]
        nothing = tf.zeros([0, units])
        table, kernel = (*values.phi, nothing, nothing)[:2]
        return (
            library.custom_ops()
            .pair_scores(
                part_values=[part.values for part in values.g],
                part_rows=[part.rows for part in values.g],
                product_kernel=values.product_kernel,
                targets=values.targets,
                antecedents=values.antecedents,
                numbers=values.numbers,
                difference_kinds=self.features.difference_kinds() if self.features else [],
                features=table,
                feature_kernel=kernel,
                hidden=values.later[:-2],
                output=values.later[-2:],
                seed=tf.zeros([0], tf.int32) if seed is None else seed,
                max_antecedents=self.max_antecedents,
                feature_dropout=self.features.dropout_rate if self.features else 0.0,
                hidden_dropout=self.ffnn.dropout_rate,
                keep_bytes=0 if seed is None else KEPT_BYTES,
            )
            .scores
        )

    def _run_tiles(
        self,
        score_tile: Callable[..., tf.Tensor],
        values: PairValues,
        indices: tf.Tensor,
        seed: tf.Tensor | None,
    ) -> tf.Tensor:
        rows, numbers = [part.rows for part in values.g], values.numbers

        def score(first: tf.Tensor, last: tf.Tensor, values: PairValues) -> tf.Tensor:
            parts = tuple(SpanPart(part, row) for part, row in zip(values.g, rows, strict=True))
            return score_tile(first, last, values._replace(g=parts, numbers=numbers), indices, seed)

        # Integers have no gradients.
        values = values._replace(g=tuple(part.values for part in values.g), numbers=())
        return compute_in_tiles(score, values, tf.unstack(tf.shape(indices)), SPANS_PER_TILE)

    def _score_window(
        self,
        first: tf.Tensor,
        last: tf.Tensor,
        values: PairValues,
        indices: tf.Tensor,
        seed: tf.Tensor | None,
    ) -> tf.Tensor:
        """Computes s_a of spans first to last - 1 with their nearest antecedents, [targets, antecedents]."""
        targets = tf.range(first, last)
        # [window]: all antecedents of these spans
        window = tf.range(tf.maximum(0, first - self.max_antecedents), last)
        # [span size, targets, units]: diag(g_i) W, concatenated
        kernels = (
            tf.transpose(join(values.g, targets))[:, :, tf.newaxis] * values.product_kernel[:, tf.newaxis]
        )
        # [window, targets, units]
        products = tf.matmul(join(values.g, window), tf.reshape(kernels, [tf.shape(kernels)[0], -1]))
        products = tf.reshape(products, [tf.size(window), tf.size(targets), kernels.shape[2]])
        # [window, targets]
        scores = self._finish(products, targets[tf.newaxis], window[:, tf.newaxis], values, seed)
        # [targets, antecedents]: the antecedents of each target, from the window
        places = tf.maximum(0, indices[first:last] - (last - tf.size(window)))
        return tf.gather(tf.transpose(scores), places, batch_dims=1)

    def _score_rows(
        self,
        first: tf.Tensor,
        last: tf.Tensor,
        values: PairValues,
        indices: tf.Tensor,
        seed: tf.Tensor | None,
    ) -> tf.Tensor:
        """Computes s_a of spans first to last - 1 with arbitrary antecedents, [targets, antecedents]."""
        targets, antecedents = tf.range(first, last)[:, tf.newaxis], indices[first:last]
        # [targets, antecedents, span size]
        products = join(values.g, targets) * join(values.g, antecedents)
        products = tf.tensordot(products, values.product_kernel, axes=1)
        return self._finish(products, targets, antecedents, values, seed)

    def _finish(
        self,
        products: tf.Tensor,
        targets: tf.Tensor,
        antecedents: tf.Tensor,
        values: PairValues,
        seed: tf.Tensor | None,
    ) -> tf.Tensor:
        """Computes s_a of pairs, [.., ..], from (g_i * g_j) W; targets and antecedents broadcast to that shape."""
        projected = products + tf.gather(values.targets, targets) + tf.gather(values.antecedents, antecedents)
        if self.features:
            table, *kernel = values.phi
            phi = self.features(targets, antecedents, values.numbers, table, seed=seed)
            projected += tf.tensordot(phi, kernel[0], axes=1) if kernel else phi
        drop = functools.partial(keyed_dropout, first=targets, second=antecedents)
        return self.ffnn.finish(projected, values.later, seed, drop)
