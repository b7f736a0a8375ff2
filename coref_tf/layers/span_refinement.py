"""Higher-order inference: refines spans with their expected antecedents (Lee et al. 2018, section 3)."""

from typing import Any

import tensorflow as tf

from coref_tf.layers.tiles import compute_in_tiles
from coref_tf.layers.working_sizes import WorkingSizes

# How many spans are refined at a time; bounds the memory for their antecedents.
SPANS_PER_TILE = 256


class SpanRefinement(tf.keras.layers.Layer):
    """g'_i = f_i * g_i + (1 - f_i) * a_i: mixes a span with its expected antecedent.

        P(y_i) = softmax of s(i, .)             a_i = sum over y of P(y_i = y) g_y
        f_i = sigmoid(W_f [g_i, a_i])

    The dummy antecedent represents the span itself, so a span without an antecedent stays as it is. W_f has a bias, as
    in the authors' code.

    Args:
        span_size: The size of g.
        reach: The maximum distance, in spans, between a span and its antecedents; None if it is unlimited.

    Example:
        refine = SpanRefinement(span_size=1320, reach=250)
        refine(g, antecedent_indices, scores)   # [spans, 1320]
    """

    def __init__(self, span_size: int, reach: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.span_size = span_size
        self.reach = reach
        with tf.name_scope(self.name):
            self.gate_kernel = self.add_weight("gate_kernel", [2 * span_size, span_size])
            self.gate_bias = self.add_weight("gate_bias", [span_size], initializer="zeros")

    def working_sizes(self, reach: int, max_antecedents: int, considered: int) -> WorkingSizes:
        """Returns the memory that refinement needs.

        Args:
            reach: The maximum distance, in spans, between a span and its antecedents.
            max_antecedents: K.
            considered: The maximum number of antecedents of a span.
        """
        # g and g', joined; for a tile of spans, the probabilities of preceding spans and the expected antecedents.
        of_target = 2 * (reach + SPANS_PER_TILE) + 3 * max_antecedents + 6 * self.span_size
        return WorkingSizes(
            per_span=3 * self.span_size + 2 * considered,
            fixed=SPANS_PER_TILE * of_target + reach * self.span_size,
        )

    def call(self, g: tf.Tensor, indices: tf.Tensor, scores: tf.Tensor) -> tf.Tensor:
        """Computes g' of each span.

        Args:
            g: float32 [spans, span size].
            indices: int32 [spans, antecedents], into the spans; padding is 0.
            scores: float32 [spans, 1 + antecedents], s(i, j), the dummy first; padding is -inf.

        Returns:
            float32 [spans, span size].
        """

        def refine(first: tf.Tensor, last: tf.Tensor, values: tuple[tf.Tensor, ...]) -> tf.Tensor:
            g, scores, *gate = values
            expected = self._expected_antecedents(first, last, g, scores, indices)
            return self._mix(tf.gather(g, tf.range(first, last)), expected, *gate)

        gate = tf.convert_to_tensor(self.gate_kernel), tf.convert_to_tensor(self.gate_bias)
        return compute_in_tiles(refine, (g, scores, *gate), (tf.shape(g)[0], self.span_size), SPANS_PER_TILE)

    def _expected_antecedents(
        self, first: tf.Tensor, last: tf.Tensor, g: tf.Tensor, scores: tf.Tensor, indices: tf.Tensor
    ) -> tf.Tensor:
        """Computes a_i, the expected antecedent of each span from first to last - 1: float32 [targets, span size]."""
        targets = tf.range(first, last)
        # [window]: all possible antecedents of these spans, and the spans themselves
        begin = 0 if self.reach is None else tf.maximum(0, first - self.reach)
        window = tf.range(begin, last)
        # [targets, 1 + antecedents]: P, and the spans that it belongs to
        probabilities = tf.nn.softmax(scores[first:last])
        referents = tf.concat([targets[:, tf.newaxis], indices[first:last]], axis=1)
        # [targets, window]: P of each span in the window. Padding has none, wherever it points.
        columns = tf.maximum(0, referents - begin)
        rows = tf.broadcast_to((targets - first)[:, tf.newaxis], tf.shape(columns))
        shape = tf.stack([tf.size(targets), tf.size(window)])
        attention = tf.scatter_nd(tf.stack([rows, columns], axis=2), probabilities, shape)
        return tf.matmul(attention, tf.gather(g, window))

    def _mix(self, g: tf.Tensor, expected: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
        """Computes f * g + (1 - f) * a, [targets, span size]."""
        gate = tf.sigmoid(tf.matmul(tf.concat([g, expected], axis=1), kernel) + bias)
        return gate * g + (1 - gate) * expected

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return super().get_config() | {"span_size": self.span_size, "reach": self.reach}
