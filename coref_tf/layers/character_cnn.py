"""Computes word vectors from characters (section 7.1)."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from coref_tf.deprecated import TensorLike
from coref_tf.layers.blocks import owners


class CharacterCNN(tf.keras.layers.Layer):
    """Convolutions over learned character embeddings, max-pooled over each word.

    By definition, every word is padded with index 0 to the length of the document's longest word (at least to the
    widest filter), and pooling includes the padding. All windows that lie entirely in the padding are equal, so the
    words are concatenated into one stream, each followed by only as much padding as affects the result.

    Args:
        num_characters: The size of the vocabulary, including index 0 (unknown and padding).
        embedding_size: The size of a character embedding.
        filter_widths: The number of characters that each convolution spans.
        filter_size: The number of filters of each width.

    Example:
        cnn = CharacterCNN(100, embedding_size=8, filter_widths=[3, 4, 5], filter_size=50)
        cnn(characters=[5, 9, 2, 7], word_lengths=[3, 1])   # [2 words, 150]
    """

    def __init__(
        self,
        num_characters: int,
        embedding_size: int,
        filter_widths: Sequence[int],
        filter_size: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.num_characters = num_characters
        self.embedding_size = embedding_size
        self.filter_widths = list(filter_widths)
        self.filter_size = filter_size
        with tf.name_scope(self.name):
            self.embeddings = self.add_weight("embeddings", [num_characters, embedding_size])
            self.kernels = [
                self.add_weight(f"kernel_{w}", [w, embedding_size, filter_size]) for w in filter_widths
            ]
            self.biases = [
                self.add_weight(f"bias_{w}", [filter_size], initializer="zeros") for w in filter_widths
            ]

    def call(self, characters: TensorLike, word_lengths: TensorLike) -> tf.Tensor:
        """Embeds distinct words.

        Args:
            characters: int32 [characters], the characters of all words, concatenated.
            word_lengths: int32 [words].

        Returns:
            float32 [words, len(filter_widths) * filter_size].
        """
        word_lengths = tf.convert_to_tensor(word_lengths, tf.int32)
        widest = max(self.filter_widths)
        longest = tf.reduce_max(tf.concat([word_lengths, [widest]], axis=0))
        # [words]
        padded_lengths = tf.minimum(word_lengths + widest, longest)
        word_offsets = tf.cumsum(padded_lengths, exclusive=True)

        # [stream]: the word that each position belongs to, and the position's offset in that word.
        word_of_position = owners(padded_lengths)
        place_in_word = tf.range(tf.size(word_of_position)) - tf.gather(word_offsets, word_of_position)
        is_character = place_in_word < tf.gather(word_lengths, word_of_position)
        # [stream + widest]: the tail keeps the last window inside the stream, and supports empty documents.
        stream = tf.scatter_nd(tf.where(is_character), characters, tf.shape(place_in_word, tf.int64))
        stream = tf.pad(stream, [[0, widest]])
        # [1, stream + widest, embedding]
        embedded = tf.gather(self.embeddings, stream)[tf.newaxis]

        pooled = []
        for width, kernel, bias in zip(self.filter_widths, self.kernels, self.biases, strict=True):
            # [stream + widest - width + 1, filters]: one window per position
            windows = tf.nn.conv1d(embedded, kernel, stride=1, padding="VALID")[0]
            # Only windows inside a single word count.
            inside = tf.where(place_in_word + width <= tf.gather(padded_lengths, word_of_position))[:, 0]
            best = tf.math.segment_max(tf.gather(windows, inside), tf.gather(word_of_position, inside))
            # [words, filters]: the bias and ReLU are monotonic, so they can be applied after the maximum.
            pooled.append(tf.nn.relu(best + bias))
        return tf.concat(pooled, axis=1)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        names = ["num_characters", "embedding_size", "filter_widths", "filter_size"]
        return super().get_config() | {name: getattr(self, name) for name in names}
