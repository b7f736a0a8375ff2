"""Which spans are kept (section 5)."""

import tensorflow as tf

from coref_tf import ops


class SpanPruner(tf.keras.layers.Layer):
    """Keeps the best floor(lambda * T) spans by mention score, none crossing another.

    Args:
        ratio: lambda, spans kept per word.
        backend: "custom" for the C++ op, "portable" for TensorFlow's own.

    Example:
        kept = SpanPruner(0.4)(mention_scores, candidates.starts, candidates.ends, num_words)
    """

    def __init__(self, ratio, backend="custom", **kwargs):
        super().__init__(**kwargs)
        self.ratio = ratio
        self.backend = backend

    def call(self, mention_scores, starts, ends, num_words):
        """The indices of the kept candidates, int32 [kept], ordered by (start, end)."""
        num_kept = tf.cast(tf.floor(tf.cast(num_words, tf.float32) * self.ratio), tf.int32)
        return ops.extract_spans(mention_scores, starts, ends, num_kept, backend=self.backend)

    def get_config(self):
        """The arguments that make this layer again."""
        return super().get_config() | {"ratio": self.ratio, "backend": self.backend}
