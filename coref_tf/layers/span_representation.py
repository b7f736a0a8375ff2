"""Represents spans as vectors (section 4, "Span Representations")."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf.deprecated import TensorLike
from coref_tf.layers.blocks import owners
from coref_tf.layers.dropout import keyed_dropout
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.tiles import compute_in_tiles
from coref_tf.layers.working_sizes import WorkingSizes

# For how many spans head attention is computed at a time; bounds the memory for gathered words.
SPANS_PER_TILE = 512


class Spans(NamedTuple):
    """Spans of words, with inclusive ends."""

    starts: tf.Tensor  # int32 [spans]
    ends: tf.Tensor  # int32 [spans]


class WordVectors(NamedTuple):
    """The words of a document, as used in span representations."""

    embeddings: tf.Tensor  # [words, embedding], x
    encoded: tf.Tensor  # [words, encoded], x*
    head_scores: tf.Tensor  # [words], alpha


class SpanPart(NamedTuple):
    """Some columns of g. Spans with a common row, such as those that start at the same word, share it."""

    values: tf.Tensor  # [rows, size]
    rows: tf.Tensor  # int32 [spans], the row of each span


class SpanRepresentation(tf.keras.layers.Layer):
    """g_i = [x*_start, x*_end, phi(i), x^_i], where x^_i is the attention-weighted sum of the words of the span.

        alpha_t = w_alpha . FFNN_alpha(x*_t)      a_{i,t} = softmax of alpha over the words of span i
        x^_i = sum over t of a_{i,t} x_t

    Args:
        max_width: L, the maximum width of a span.
        embedding_size: The size of x.
        encoded_size: The size of x*.
        feature_size: The size of the width embedding; 0 omits the feature.
        use_heads: Whether x^ is part of g.
        head_depth: The number of hidden layers of FFNN_alpha.
        head_units: The size of each hidden layer.
        dropout_rate: The dropout rate of the width embedding and of FFNN_alpha.
        any_width: Whether spans may be wider than `max_width`, like those given by rules or gold clusters. Such a span
            uses the embedding of `max_width`.

    Example:
        represent = SpanRepresentation(10, embedding_size=500, encoded_size=400, feature_size=20)
        words = WordVectors(x, x_star, represent.head_scores(x_star))
        g = join(represent(words, represent.candidates(sentence_lengths)))
    """

    def __init__(
        self,
        max_width: int,
        embedding_size: int,
        encoded_size: int,
        feature_size: int = 0,
        use_heads: bool = True,
        head_depth: int = 2,
        head_units: int = 150,
        dropout_rate: float = 0.0,
        any_width: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.max_width = max_width
        self.embedding_size = embedding_size
        self.encoded_size = encoded_size
        self.feature_size = feature_size
        self.use_heads = use_heads
        self.head_depth = head_depth
        self.head_units = head_units
        self.dropout_rate = dropout_rate
        self.any_width = any_width
        with tf.name_scope(self.name):
            if feature_size:
                self.width_embeddings = self.add_weight("width_embeddings", [max_width, feature_size])
            if use_heads:
                parts = {"encoded": encoded_size}
                self.head_scorer = FeedForward(
                    parts, head_depth, head_units, dropout_rate, name="head_scorer"
                )

    @property
    def parts(self) -> dict[str, int]:
        """The name and size of each part of g, in order."""
        sizes = {"start": self.encoded_size, "end": self.encoded_size, "width": self.feature_size}
        return sizes | {"head": self.embedding_size if self.use_heads else 0}

    @property
    def size(self) -> int:
        """The size of g."""
        return sum(self.parts.values())

    def working_sizes(self, input_size: int) -> WorkingSizes:
        """Returns the memory that spans need, given the size of x."""
        own = self.size - 2 * self.encoded_size
        # The candidates' ends and scores; g, joined, and its width and head parts before they are joined.
        per_word, per_span = 4 * self.max_width, self.size + 2 * own
        tiles = SPANS_PER_TILE * self.max_width * max(self.head_units, input_size // 8)
        return WorkingSizes(per_word=per_word, per_span=per_span, fixed=tiles)

    def head_scores(self, encoded: tf.Tensor, seed: tf.Tensor | None = None) -> tf.Tensor:
        """Computes alpha: [words, encoded] -> [words]; zeros without heads."""
        if not self.use_heads:
            return tf.zeros_like(encoded[:, 0])
        return self.head_scorer(self.head_scorer.project("encoded", encoded), seed=seed)

    def candidates(self, sentence_lengths: TensorLike) -> Spans:
        """Returns all spans of up to `max_width` words within a sentence, ordered by start, then end."""
        # [words]: the last word of each word's sentence
        last_words = tf.gather(tf.cumsum(sentence_lengths) - 1, owners(sentence_lengths))
        # [words, max_width]
        starts = tf.tile(tf.range(tf.size(last_words))[:, tf.newaxis], [1, self.max_width])
        ends = starts + tf.range(self.max_width)
        inside = ends <= last_words[:, tf.newaxis]
        return Spans(tf.boolean_mask(starts, inside), tf.boolean_mask(ends, inside))

    def widths(
        self, spans: Spans, seed: tf.Tensor | None = None, table: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Computes phi(i), the embedding of each span's width.

        Args:
            spans: The spans.
            seed: The dropout seed, or None in prediction.
            table: float32 [max_width, size], a function of the embeddings; defaults to the embeddings themselves.

        Returns:
            float32 [spans, size]; [spans, 0] without features.
        """
        if not self.feature_size:
            return tf.zeros([tf.size(spans.starts), 0])
        table = self.width_embeddings if table is None else table
        widths = spans.ends - spans.starts
        if self.any_width:
            widths = tf.minimum(widths, self.max_width - 1)
        widths = tf.gather(table, widths)
        return keyed_dropout(widths, self.dropout_rate, seed, 0, spans.starts, spans.ends)

    def attend(self, values: tf.Tensor, head_scores: tf.Tensor, spans: Spans) -> tf.Tensor:
        """Computes the head-attention average of `values` [words, size] over each span: [spans, size]."""
        if self.any_width:
            return attend_to_any_width(values, head_scores, spans)
        # [spans, max_width]; positions after the end of a span read its last word and have no weight
        places = spans.starts[:, tf.newaxis] + tf.range(self.max_width)
        inside = places <= spans.ends[:, tf.newaxis]
        places = tf.minimum(places, spans.ends[:, tf.newaxis])
        scores = tf.where(inside, tf.gather(head_scores, places), -float("inf"))
        attention = tf.nn.softmax(scores, axis=1)
        return tf.einsum("sw,swv->sv", attention, tf.gather(values, places))

    def attend_to_all(self, values: tf.Tensor, head_scores: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
        """Computes `attend` for all spans of up to max_width words from given starts, gathering each word once.

        Args:
            values: float32 [words, size].
            head_scores: float32 [words].
            places: int32 [starts, max_width], each start and the words that follow it.

        Returns:
            float32 [starts, max_width, size], indexed by width.
        """
        # [max_width, max_width]: which of the words from the start on belong to the span of each width
        inside = tf.sequence_mask(tf.range(1, self.max_width + 1), self.max_width)
        scores = tf.where(inside, tf.gather(head_scores, places)[:, tf.newaxis], -float("inf"))
        return tf.matmul(tf.nn.softmax(scores), tf.gather(values, places))

    def call(
        self,
        words: WordVectors,
        spans: Spans,
        seed: tf.Tensor | None = None,
        word_ids: tf.Tensor | None = None,
    ) -> list[SpanPart]:
        """Computes g of each span, as SpanParts; `join` turns them into [spans, sum of the sizes of the parts].

        Args:
            words: The words of the document.
            spans: The spans.
            seed: The dropout seed, or None in prediction.
            word_ids: int32 [words], the distinct word at each position, if x depends on it alone: spans of the same
                single word then share phi(i) and x^.
        """
        own = [self.widths(spans, seed)]
        if self.use_heads:
            own.append(self._heads(words, spans))
        own = tf.concat(own, axis=1)
        return [
            SpanPart(words.encoded, spans.starts),
            SpanPart(words.encoded, spans.ends),
            SpanPart(own, own_rows(spans, word_ids)),
        ]

    def _heads(self, words: WordVectors, spans: Spans) -> tf.Tensor:
        """Computes x^ of each span, [spans, embedding]."""

        def attend(first: tf.Tensor, last: tf.Tensor, values: tuple[tf.Tensor, tf.Tensor]) -> tf.Tensor:
            some = Spans(spans.starts[first:last], spans.ends[first:last])
            embeddings, alpha = values
            return self.attend(embeddings, alpha, some)

        shape = tf.size(spans.starts), self.embedding_size
        return compute_in_tiles(attend, (words.embeddings, words.head_scores), shape, SPANS_PER_TILE)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        names = ["max_width", "embedding_size", "encoded_size", "feature_size"]
        names += ["use_heads", "head_depth", "head_units", "dropout_rate", "any_width"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def attend_to_any_width(values: tf.Tensor, head_scores: tf.Tensor, spans: Spans) -> tf.Tensor:
    """Computes `SpanRepresentation.attend` for spans of very different widths, without padding."""
    words = tf.ragged.range(spans.starts, spans.ends + 1)
    # [words of all spans, concatenated]: the word, and the span that it belongs to
    places, rows = words.flat_values, words.value_rowids()
    scores = tf.gather(head_scores, places)
    highest = tf.stop_gradient(tf.math.segment_max(scores, rows))
    weights = tf.exp(scores - tf.gather(highest, rows))
    attention = weights / tf.gather(tf.math.segment_sum(weights, rows), rows)
    return tf.math.segment_sum(attention[:, tf.newaxis] * tf.gather(values, places), rows)


def own_rows(spans: Spans, word_ids: tf.Tensor | None = None) -> tf.Tensor:
    """Returns the span whose phi(i) and x^ each span uses, int32 [spans]: itself, or the first with the same word."""
    numbers = tf.range(tf.size(spans.starts))
    if word_ids is None:
        return numbers
    # A word (negative) or a span.
    single = tf.equal(spans.starts, spans.ends)
    kinds = tf.unique(tf.where(single, -1 - tf.gather(word_ids, spans.starts), numbers))
    first = tf.math.unsorted_segment_min(numbers, kinds.idx, tf.size(kinds.y))
    return tf.gather(first, kinds.idx)


def join(parts: Sequence[SpanPart], spans: tf.Tensor | None = None) -> tf.Tensor:
    """Returns g of some spans, all by default: [spans, size] or, for any shape of `spans`, that shape and the size."""
    rows = (part.rows if spans is None else tf.gather(part.rows, spans) for part in parts)
    return tf.concat([tf.gather(part.values, row) for part, row in zip(parts, rows, strict=True)], axis=-1)
