"""Scores the antecedents of each span (section 4, "Scoring Architecture")."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf import ops
from coref_tf.layers.dropout import fold
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import PairFeatures, SpanFacts
from coref_tf.layers.pair_scorer import PairScorer
from coref_tf.layers.span_refinement import SpanRefinement
from coref_tf.layers.span_representation import SpanPart, join
from coref_tf.layers.tiles import choose_in_tiles, compute_in_tiles
from coref_tf.layers.working_sizes import WorkingSizes

# How many spans are compared with all preceding spans at a time when antecedents are chosen by coarse score.
SPANS_PER_CHOICE = 64
# For how many spans the bilinear score of the chosen antecedents is computed at a time.
SPANS_PER_TILE = 16


class Antecedents(NamedTuple):
    """The antecedents considered for each kept span, and their scores."""

    indices: tf.Tensor  # int32 [spans, antecedents], into the kept spans; padding is 0
    lengths: tf.Tensor  # int32 [spans], how many of them are real
    scores: tf.Tensor  # float32 [spans, 1 + antecedents], s(i, j), the dummy first; padding is -inf

    def best(self) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the best antecedent as a column of `scores` and as a span; -1 is the dummy, which wins ties."""
        # [spans]
        columns = tf.argmax(self.scores, axis=1)
        spans = tf.pad(self.indices, [[0, 0], [1, 0]], constant_values=-1)
        return columns, tf.gather(spans, columns, batch_dims=1)


class AntecedentScorer(tf.keras.layers.Layer):
    """s(i, j) = s_m(i) + s_m(j) + s_a(i, j), with 0 for the dummy antecedent.

        s_a(i, j) = w_a . FFNN_a([g_i, g_j, g_i * g_j, phi(i, j)])

    With `strategy="coarse"`, the antecedents are not the nearest spans but those with the best coarse score
    s_m(i) + s_m(j) + g_i W_c g_j. The bilinear term is then part of s, so that W_c is trained.

    With `rounds` above 1, each span is refined with its expected antecedent, and s_a is computed again from the
    refined spans: the authors' higher-order inference (2018). The set of antecedents does not change.

    Args:
        span_size: The size of g.
        features: The PairFeatures that define phi, or None to omit phi.
        max_antecedents: K.
        depth: The number of hidden layers of FFNN_a.
        units: The size of each hidden layer.
        dropout_rate: The dropout rate of each hidden layer.
        strategy: "nearest" or "coarse".
        backend: The backend of the ops, "custom" or "portable".
        rounds: How many times pairs are scored; spans are refined between rounds.
    """

    def __init__(
        self,
        span_size: int,
        features: PairFeatures | None,
        max_antecedents: int,
        depth: int,
        units: int,
        dropout_rate: float = 0.0,
        strategy: str = "nearest",
        backend: str = "custom",
        rounds: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if strategy not in ("nearest", "coarse"):
            raise ValueError(f"strategy must be nearest or coarse. Received: {strategy!r}")
        self.features = features
        self.span_size = span_size
        self.max_antecedents = max_antecedents
        self.strategy = strategy
        self.backend = backend
        self.rounds = rounds
        parts = {"target": span_size, "antecedent": span_size, "product": span_size}
        parts["features"] = features.size if features else 0
        with tf.name_scope(self.name):
            self.ffnn = FeedForward(parts, depth, units, dropout_rate, name="ffnn")
            self.pairs = PairScorer(self.ffnn, features, max_antecedents, ops.is_fused(backend))
            if strategy == "coarse":
                self.coarse_kernel = self.add_weight("coarse_kernel", [span_size, span_size])
            if rounds > 1:
                reach = max_antecedents if strategy == "nearest" else None
                self.refinement = SpanRefinement(span_size, reach, name="refinement")

    def working_sizes(self, num_words: int, mention_ratio: float) -> WorkingSizes:
        """Returns the memory that scoring needs for a document with `num_words` words."""
        considered = min(self.max_antecedents, num_words)
        # The projections of g; the antecedents, their scores and the terms of these scores.
        parts = [WorkingSizes(per_span=2 * self.ffnn.units + 4 * considered)]
        if self.strategy == "coarse":
            # g W_c, and the scores of a tile of spans with all preceding spans; a tile's antecedents and their products
            parts.append(
                WorkingSizes(
                    per_span=self.span_size + 3 * SPANS_PER_CHOICE,
                    fixed=4 * SPANS_PER_TILE * self.max_antecedents * self.span_size,
                )
            )
        if self.rounds > 1:
            reach = self.refinement.reach
            reach = int(mention_ratio * num_words) if reach is None else reach
            parts.append(self.refinement.working_sizes(reach, self.max_antecedents, considered))
        return WorkingSizes.total(parts)

    def call(
        self,
        g: Sequence[SpanPart],
        mention_scores: tf.Tensor,
        spans: SpanFacts,
        seed: tf.Tensor | None = None,
    ) -> Antecedents:
        """Scores the antecedents of each kept span.

        Args:
            g: The SpanParts of the kept spans, in document order.
            mention_scores: float32 [spans].
            spans: The attributes of the spans that pair features use.
            seed: The dropout seed, or None in prediction.

        Returns:
            Antecedents.
        """
        indices, lengths, coarse = self._choose(g, mention_scores)
        # [spans, antecedents]: the terms of s that refinement does not change
        known = mention_scores[:, tf.newaxis] + tf.gather(mention_scores, indices) + coarse
        antecedents = Antecedents(indices, lengths, self._score(g, indices, lengths, known, spans, seed))
        for number in range(1, self.rounds):
            # [spans, span size]: g'
            refined = self.refinement(join(g), indices, antecedents.scores)
            g = [SpanPart(refined, tf.range(tf.size(lengths)))]
            scores = self._score(g, indices, lengths, known, spans, fold(seed, number))
            antecedents = antecedents._replace(scores=scores)
        return antecedents

    def _score(
        self,
        g: Sequence[SpanPart],
        indices: tf.Tensor,
        lengths: tf.Tensor,
        known: tf.Tensor,
        spans: SpanFacts,
        seed: tf.Tensor | None,
    ) -> tf.Tensor:
        """Computes s(i, j), the dummy first, [spans, 1 + antecedents]."""
        score = self.pairs.nearest if self.strategy == "nearest" else self.pairs.chosen
        # [spans, antecedents]
        scores = known + score(g, indices, spans, seed)
        real = tf.sequence_mask(lengths, tf.shape(indices)[1])
        return tf.pad(tf.where(real, scores, -float("inf")), [[0, 0], [1, 0]])

    def _choose(
        self, g: Sequence[SpanPart], mention_scores: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor | float]:
        """Returns the antecedents to consider, and the term that the choice adds to their scores."""
        num_spans = tf.size(mention_scores)
        if self.strategy == "nearest":
            return *ops.nearest_antecedents(num_spans, self.max_antecedents, backend=self.backend), 0.0
        g = join(g)
        # [spans, span size]: g_i W_c
        projected = tf.matmul(g, self.coarse_kernel)
        indices = self._best(projected, g, mention_scores)
        lengths = tf.minimum(tf.range(num_spans), tf.shape(indices)[1])
        return indices, lengths, self._bilinear(projected, g, indices)

    def _best(self, projected: tf.Tensor, g: tf.Tensor, mention_scores: tf.Tensor) -> tf.Tensor:
        """Returns the antecedents with the best coarse scores, int32 [spans, antecedents], tile by tile."""
        num_spans = tf.size(mention_scores)
        num_columns = tf.minimum(num_spans, self.max_antecedents)

        def choose(first: tf.Tensor, last: tf.Tensor) -> tf.Tensor:
            # [targets, spans before the last target's end]
            scores = tf.matmul(projected[first:last], g[:last], transpose_b=True)
            scores += mention_scores[first:last, tf.newaxis] + mention_scores[:last]
            best, _ = ops.top_antecedents(scores, self.max_antecedents, backend=self.backend)
            return tf.pad(best, [[0, 0], [0, num_columns - tf.shape(best)[1]]])

        projected, g, mention_scores = map(tf.stop_gradient, (projected, g, mention_scores))
        return choose_in_tiles(choose, (num_spans, num_columns), SPANS_PER_CHOICE)

    def _bilinear(self, projected: tf.Tensor, g: tf.Tensor, indices: tf.Tensor) -> tf.Tensor:
        """Computes g_i W_c g_j of the chosen pairs, [spans, antecedents]."""

        def compute(first: tf.Tensor, last: tf.Tensor, values: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
            projected, g = values
            return tf.einsum("td,tad->ta", projected[first:last], tf.gather(g, indices[first:last]))

        return compute_in_tiles(compute, (projected, g), tf.unstack(tf.shape(indices)), SPANS_PER_TILE)
