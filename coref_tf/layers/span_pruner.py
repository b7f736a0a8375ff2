"""Chooses the spans to keep (section 5)."""

from typing import Any

import tensorflow as tf

from coref_tf import ops


class SpanPruner(tf.keras.layers.Layer):
    """Keeps the floor(lambda * T) spans with the highest mention scores that do not cross.

    That is too few for a text of one or two sentences: "Tom met Mary. She likes him." has 8 tokens and 4 mentions, and
    would keep 3 spans. `min_spans` is a lower bound for such texts; longer texts are pruned as in the paper.

    Args:
        ratio: lambda, the number of spans kept per word.
        min_spans: The number of spans to keep in any document, if there are that many that do not cross.
        backend: "custom" for the C++ op, "portable" for TensorFlow's built-in ops.

    Example:
        kept = SpanPruner(0.4)(mention_scores, candidates.starts, candidates.ends, num_words)
    """

    def __init__(self, ratio: float, min_spans: int = 0, backend: str = "custom", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ratio = ratio
        self.min_spans = min_spans
        self.backend = backend

    def call(
        self, mention_scores: tf.Tensor, starts: tf.Tensor, ends: tf.Tensor, num_words: tf.Tensor
    ) -> tf.Tensor:
        """Returns the indices of the kept candidates, int32 [kept], ordered by (start, end)."""
        num_kept = tf.cast(tf.floor(tf.cast(num_words, tf.float32) * self.ratio), tf.int32)
        num_kept = tf.maximum(num_kept, self.min_spans)
        return ops.extract_spans(mention_scores, starts, ends, num_kept, backend=self.backend)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return super().get_config() | {
            name: getattr(self, name) for name in ("ratio", "min_spans", "backend")
        }
