"""A sentence encoder that uses contextual vectors as they are, without an LSTM."""

from typing import Any

import tensorflow as tf

from coref_tf.deprecated import TensorLike
from coref_tf.layers.dropout import dropout


class ContextAlone(tf.keras.layers.Layer):
    """x*_t = c_t: returns the contextual vector, which is the last part of x_t.

    Args:
        size: The size of c.
        dropout_rate: The dropout rate of x*.

    Example:
        ContextAlone(384)(words, sentence_lengths=[12, 7])   # [19 words, 384]
    """

    def __init__(self, size: int, dropout_rate: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = size
        self.dropout_rate = dropout_rate

    @property
    def working_size(self) -> int:
        """How many values a word takes, in addition to x and x*, during the computation."""
        return 0

    def call(
        self, words: tf.Tensor, sentence_lengths: TensorLike, seed: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Returns the last `size` values of each word, float32 [words, size]."""
        return dropout(words[:, -self.size :], self.dropout_rate, seed)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return super().get_config() | {"size": self.size, "dropout_rate": self.dropout_rate}
