"""Looks up word vectors in the graph; equivalent to VectorSet, with TensorFlow's tables and variables."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf

from coref_tf.documents.running_text import PLAIN_TOKENS
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.vector_store import normalised


class VectorTable(tf.Module):
    """The words and vectors of a file, stored once for all models that use it.

    The words are in an asset, one per line, and share rows of the matrix as they do in the file.

    Args:
        vectors: The vector set; its lookup settings do not matter here.
        words_path: The file to write the words to; needed until the SavedModel has been written.
        limit: The maximum number of words, or None for all.
        ranks: The rank of lower-case words, by which words are chosen; None uses the order of the file.
        half: Whether to store the vectors in half precision; lossless if the file does so, too.
    """

    def __init__(
        self,
        vectors: VectorSet,
        words_path: Path,
        limit: int | None = None,
        ranks: Mapping[str, int] | None = None,
        half: bool = False,
    ):
        super().__init__(name="word_vectors")
        words, rows, matrix = vectors.table(limit, ranks)
        # A line cannot contain a carriage return; neither can a word of a text.
        kept = [place for place, word in enumerate(words) if b"\r" not in word]
        words_path.write_bytes(b"".join(words[place] + b"\n" for place in kept))
        self.num_words = len(kept)
        self.size = vectors.size
        if not half:
            matrix = normalised(matrix)
        elif matrix.dtype != np.float16:
            matrix = normalised(matrix).astype(np.float16)
        self.rows = tf.Variable(rows[kept], trainable=False, name="rows")
        self.matrix = tf.Variable(matrix, trainable=False, name="matrix")
        lines = tf.lookup.TextFileInitializer(
            str(words_path),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        )
        self.lines = tf.lookup.StaticHashTable(lines, default_value=-1)

    def vectors_at(self, lines: tf.Tensor) -> tf.Tensor:
        """Returns the vectors of the words in these lines, with unit length, float32 [n, size]; zeros for -1."""
        known = lines >= 0
        rows = tf.gather(self.rows, tf.where(known, lines, 0))
        vectors = tf.gather(self.matrix, rows)
        if vectors.dtype == tf.float16:
            vectors = tf.cast(vectors, tf.float64)
            lengths = tf.norm(vectors, axis=1, keepdims=True)
            vectors = tf.cast(tf.math.divide_no_nan(vectors, lengths), tf.float32)
        return tf.where(known[:, tf.newaxis], vectors, 0.0)


class WordLookup(tf.Module):
    """Looks up words like a VectorSet with the same settings.

    Args:
        vectors: The words and vectors.
        settings: The lookup settings: lowercase, fallback_lowercase and plain_brackets.

    Example:
        WordLookup(VectorTable(vectors, path), vectors)(tf.constant(["The", "harbour"]))   # float32 [2, size]
    """

    def __init__(self, vectors: VectorTable, settings: VectorSet):
        super().__init__(name="word_lookup")
        self.vectors = vectors
        self.lowercase = settings.lowercase
        self.fallback_lowercase = settings.fallback_lowercase
        self.plain = PlainWords() if settings.plain_brackets else None

    def __call__(self, words: tf.Tensor) -> tf.Tensor:
        """Returns the vectors of words, string [n] -> float32 [n, size]; zeros for unknown words."""
        if self.plain is not None:
            words = self.plain(words)
        if self.lowercase:
            words = _lower(words)
        lines = self.vectors.lines.lookup(words)
        if self.fallback_lowercase:
            lines = tf.where(lines < 0, self.vectors.lines.lookup(_lower(words)), lines)
        return self.vectors.vectors_at(lines)


class PlainWords(tf.Module):
    """Applies `embeddings.plain` to each word of a vector."""

    def __init__(self) -> None:
        super().__init__(name="plain_words")
        pairs = tf.lookup.KeyValueTensorInitializer(list(PLAIN_TOKENS), list(PLAIN_TOKENS.values()))
        self.table = tf.lookup.StaticHashTable(pairs, default_value="")

    def __call__(self, words: tf.Tensor) -> tf.Tensor:
        """Returns the words as in ordinary text, string [n]."""
        plain = self.table.lookup(words)
        unescaped = tf.strings.regex_replace(words, r"\\([/*])", r"\1")
        return tf.where(plain == "", unescaped, plain)


def frequency_ranks(vector_sets: Iterable[VectorSet]) -> dict[str, int] | None:
    """Returns the frequency ranks of lower-case words, from the first set that is ordered; None if none is."""
    for vectors in vector_sets:
        if vectors.is_ordered:
            ranks: dict[str, int] = {}
            for word in vectors.table().words:
                ranks.setdefault(word.decode().lower(), len(ranks))
            return ranks
    return None


def _lower(words: tf.Tensor) -> tf.Tensor:
    return tf.strings.lower(words, encoding="utf-8")
