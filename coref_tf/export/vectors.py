"""Word vectors inside a graph: what VectorSet does, with TensorFlow's tables and variables."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf

from coref_tf.documents.running_text import PLAIN_TOKENS
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.vector_store import normalised


class VectorTable(tf.Module):
    """The words and vectors of a file, once however many models look words up in it.

    Words stand in an asset, one a line, and share rows of the matrix as they do in the file.

    Args:
        vectors: the set; how it looks words up doesn't matter here.
        words_path: where to write the words; needed until the SavedModel has been written.
        limit: how many words to take; None is all.
        ranks: lower-case words and their places in the order in which to take them; None is the file's own order.
        half: keep the vectors in half precision. Nothing is lost where the file has them so.
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
        # A line can't hold a carriage return; no word of a text does.
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
        """The vectors of the words in these lines at unit length, float32 [n, size]; zeros for -1."""
        known = lines >= 0
        rows = tf.gather(self.rows, tf.where(known, lines, 0))
        vectors = tf.gather(self.matrix, rows)
        if vectors.dtype == tf.float16:
            vectors = tf.cast(vectors, tf.float64)
            lengths = tf.norm(vectors, axis=1, keepdims=True)
            vectors = tf.cast(tf.math.divide_no_nan(vectors, lengths), tf.float32)
        return tf.where(known[:, tf.newaxis], vectors, 0.0)


class WordLookup(tf.Module):
    """Looks words up as a VectorSet with the same settings does.

    Args:
        vectors: words and vectors.
        settings: of the look-up, of which lowercase, fallback_lowercase and plain_brackets are read.

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
        """The vectors of words, string [n] -> float32 [n, size]; zeros for those without one."""
        if self.plain is not None:
            words = self.plain(words)
        if self.lowercase:
            words = _lower(words)
        lines = self.vectors.lines.lookup(words)
        if self.fallback_lowercase:
            lines = tf.where(lines < 0, self.vectors.lines.lookup(_lower(words)), lines)
        return self.vectors.vectors_at(lines)


class PlainWords(tf.Module):
    """`embeddings.plain` of every word of a vector."""

    def __init__(self) -> None:
        super().__init__(name="plain_words")
        pairs = tf.lookup.KeyValueTensorInitializer(list(PLAIN_TOKENS), list(PLAIN_TOKENS.values()))
        self.table = tf.lookup.StaticHashTable(pairs, default_value="")

    def __call__(self, words: tf.Tensor) -> tf.Tensor:
        """The words as ordinary text writes them, string [n]."""
        plain = self.table.lookup(words)
        unescaped = tf.strings.regex_replace(words, r"\\([/*])", r"\1")
        return tf.where(plain == "", unescaped, plain)


def frequency_ranks(vector_sets: Iterable[VectorSet]) -> dict[str, int] | None:
    """Lower-case words by how frequent they are, as the first set tells that is in order; None where none is."""
    for vectors in vector_sets:
        if vectors.is_ordered:
            ranks: dict[str, int] = {}
            for word in vectors.table().words:
                ranks.setdefault(word.decode().lower(), len(ranks))
            return ranks
    return None


def _lower(words: tf.Tensor) -> tf.Tensor:
    return tf.strings.lower(words, encoding="utf-8")
