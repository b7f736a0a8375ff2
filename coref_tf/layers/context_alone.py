"""Words as their context has them, without an LSTM."""

from typing import Any

import tensorflow as tf

from coref_tf.deprecated import TensorLike
from coref_tf.layers.dropout import dropout


class ContextAlone(tf.keras.layers.Layer):
    """x*_t = c_t, which stands last in x_t: a sentence encoder that computes nothing.

    Args:
        size: of c.
        dropout_rate: of x*.

    Example:
        ContextAlone(384)(words, sentence_lengths=[12, 7])   # [19 words, 384]
    """

    def __init__(self, size: int, dropout_rate: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = size
        self.dropout_rate = dropout_rate

    @property
    def working_size(self) -> int:
        """How many numbers a word takes, besides x and x*, while it is read."""
        return 0

    def call(
        self, words: tf.Tensor, sentence_lengths: TensorLike, seed: tf.Tensor | None = None
    ) -> tf.Tensor:
        """The last `size` numbers of each word, float32 [words, size]."""
        return dropout(words[:, -self.size :], self.dropout_rate, seed)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return super().get_config() | {"size": self.size, "dropout_rate": self.dropout_rate}
