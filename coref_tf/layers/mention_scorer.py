"""Scores spans as mentions (section 4, "Scoring Architecture")."""

import functools
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf.layers.dropout import keyed_dropout
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.span_representation import SpanRepresentation, Spans, WordVectors
from coref_tf.layers.tiles import compute_in_tiles
from coref_tf.layers.working_sizes import WorkingSizes

# How many spans are scored at a time; with the sizes of the paper, they take about 50 MB.
SPANS_PER_TILE = 4096


class MentionValues(NamedTuple):
    """The inputs of scoring, computed once per word: its projections as start, end and head."""

    starts: tf.Tensor  # [words, units], W_start x* + b
    ends: tf.Tensor  # [words, units], W_end x*
    heads: tuple[tf.Tensor, ...]  # (W_head x [words, units], alpha [words]); () without heads
    # (width embeddings, W_width) in training, (their product,) in prediction, () without features.
    widths: tuple[tf.Tensor, ...]
    later: tuple[tf.Tensor, ...]  # kernel and bias of each later layer


class MentionScorer(tf.keras.layers.Layer):
    """s_m(i) = w_m . FFNN_m(g_i).

    g is linear in the word vectors. So the first layer is applied to each word once, as start, end and head, and the
    results are combined per span; g itself is never built for all candidates.

    Args:
        representation: The SpanRepresentation that defines g.
        depth: The number of hidden layers of FFNN_m.
        units: The size of each hidden layer.
        dropout_rate: The dropout rate of each hidden layer.

    Example:
        MentionScorer(represent, depth=2, units=150)(words, candidates)   # [candidates]
    """

    def __init__(
        self,
        representation: SpanRepresentation,
        depth: int,
        units: int,
        dropout_rate: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.representation = representation
        with tf.name_scope(self.name):
            self.ffnn = FeedForward(representation.parts, depth, units, dropout_rate, name="ffnn")

    def working_sizes(self, input_size: int) -> WorkingSizes:
        """Returns the memory that scoring needs, given the size of x."""
        # The first layer's projections of each word, and the inputs of scoring the spans that start at a word.
        per_block_word = 8 * self.ffnn.units
        tiles = 2 * SPANS_PER_TILE * self.representation.max_width * max(self.ffnn.units, input_size // 8)
        return WorkingSizes(per_block_word=per_block_word, fixed=tiles)

    def call(
        self,
        words: WordVectors,
        spans: Spans,
        width_seed: tf.Tensor | None = None,
        seed: tf.Tensor | None = None,
    ) -> tf.Tensor:
        """Scores spans.

        Args:
            words: The WordVectors of the document.
            spans: The Spans to score.
            width_seed: The dropout seed of the width feature, or None in prediction.
            seed: The dropout seed of the hidden layers, or None in prediction.

        Returns:
            float32 [spans].
        """

        def score(first: tf.Tensor, last: tf.Tensor, values: MentionValues) -> tf.Tensor:
            some = Spans(spans.starts[first:last], spans.ends[first:last])
            return self._score(some, values, width_seed, seed)[:, tf.newaxis]

        values = self._values(words, training=seed is not None)
        return compute_in_tiles(score, values, (tf.size(spans.starts), 1), SPANS_PER_TILE)[:, 0]

    def _values(self, words: WordVectors, training: bool) -> MentionValues:
        representation = self.representation
        bias, *later = self.ffnn.later_weights()
        heads: tuple[tf.Tensor, ...] = ()
        widths: tuple[tf.Tensor, ...] = ()
        if representation.use_heads:
            heads = (self.ffnn.project("head", words.embeddings), words.head_scores)
        if representation.feature_size:
            widths = tf.convert_to_tensor(representation.width_embeddings), self.ffnn.weights_of("width")
            # In training, each span has its own dropout mask, which is applied before the projection.
            widths = widths if training else (tf.matmul(*widths),)
        starts, ends = (self.ffnn.project(part, words.encoded) for part in ("start", "end"))
        return MentionValues(starts + bias, ends, heads, widths, tuple(later))

    def _score(
        self, spans: Spans, values: MentionValues, width_seed: tf.Tensor | None, seed: tf.Tensor | None
    ) -> tf.Tensor:
        """Computes s_m of some spans, [spans]."""
        # [spans, units]
        projected = self._project(spans, values)
        if values.widths:
            table, *kernel = values.widths
            widths = self.representation.widths(spans, width_seed, table)
            projected += tf.matmul(widths, kernel[0]) if kernel else widths
        drop = functools.partial(keyed_dropout, first=spans.starts, second=spans.ends)
        return self.ffnn.finish(projected, values.later, seed, drop)

    def _project(self, spans: Spans, values: MentionValues) -> tf.Tensor:
        """Computes the first layer of some spans, except for the width feature, [spans, units]."""
        representation = self.representation
        if representation.any_width:
            projected = tf.gather(values.starts, spans.starts) + tf.gather(values.ends, spans.ends)
            if not values.heads:
                return projected
            words, alpha = values.heads
            return projected + representation.attend(words, alpha, spans)
        # Candidates are ordered by start, so computing all spans of the words in between adds little.
        first, last = tf.reduce_min(spans.starts), tf.reduce_max(spans.starts)
        # [starts, max_width]; positions after the end of the document belong to no requested span
        places = tf.range(first, last + 1)[:, tf.newaxis] + tf.range(representation.max_width)
        places = tf.minimum(places, tf.shape(values.ends)[0] - 1)
        # [starts, max_width, units]
        projected = values.starts[first : last + 1, tf.newaxis] + tf.gather(values.ends, places)
        if values.heads:
            words, alpha = values.heads
            projected += representation.attend_to_all(words, alpha, places)
        rows = (spans.starts - first) * representation.max_width + spans.ends - spans.starts
        return tf.gather(tf.reshape(projected, [-1, projected.shape[2]]), rows)
