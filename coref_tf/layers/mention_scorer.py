"""How much a span looks like a mention (section 4, "Scoring Architecture")."""

import tensorflow as tf

from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.span_representation import SpanRepresentation


class MentionScorer(tf.keras.layers.Layer):
    """s_m(i) = w_m . FFNN_m(g_i).

    g is linear in the words' vectors, so the first layer is applied to each word once, as the start, the end and
    a head, and the spans are put together from the results: g itself is never built for all candidates.

    Args:
        representation: the SpanRepresentation that defines g.
        depth: hidden layers of FFNN_m.
        units: size of each.
        dropout_rate: of each.

    Example:
        MentionScorer(represent, depth=2, units=150)(words, candidates)   # [candidates]
    """

    def __init__(self, representation: SpanRepresentation, depth, units, dropout_rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.representation = representation
        with tf.name_scope(self.name):
            self.ffnn = FeedForward(representation.parts, depth, units, dropout_rate, name="ffnn")

    def call(self, words, spans, seed=None):
        """Scores spans.

        Args:
            words: Words of the document.
            spans: Spans to score.
            seed: of dropout; None in prediction.

        Returns:
            float32 [spans].
        """
        # [spans, units]
        projected = tf.gather(self.ffnn.project("start", words.encoded), spans.starts)
        projected += tf.gather(self.ffnn.project("end", words.encoded), spans.ends)
        if self.representation.feature_size:
            projected += self.ffnn.project("width", spans.widths)
        if self.representation.use_heads:
            heads = self.ffnn.project("head", words.embeddings)
            projected += self.representation.attend(heads, words.head_scores, spans)
        return self.ffnn(projected, seed=seed)
