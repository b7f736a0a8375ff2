"""Fixed word vectors, looked up by word."""

import os
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from coref_tf.documents.running_text import plain_word
from coref_tf.features.text_vectors import read_text_vectors
from coref_tf.features.vector_store import VectorStore, normalised
from coref_tf.features.word_index import WordIndex
from coref_tf.support.errors import CorefError

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
REMEMBERED_WORDS = 1 << 17


class VectorTable(NamedTuple):
    """Stored words and vectors: the vector of words[i] is matrix[rows[i]]."""

    words: list[bytes]  # in UTF-8
    rows: np.ndarray  # int32 [words]; words may share a row
    matrix: np.ndarray  # float16 or float32 [rows, size], not yet normalised


class VectorSet:
    """Word vectors normalised to unit length; the vectors of unknown words are zero.

    Args:
        index: maps words to rows.
        take: returns the vectors of an array of rows.
        size: the vector size.
        lowercase: whether to look up every word in lower case.
        fallback_lowercase: whether to look up an unknown word in lower case.
        plain_brackets: whether to look up brackets, quotes and escapes of the Penn Treebank in their plain form.

    Example:
        vectors = VectorSet.open("data/vectors/glove_6B_50d.h5", size=50, lowercase=True)
        vectors.lookup(["The", "harbour"])     # float32 [2, 50]
        vectors.known(["The", "xyzzyx"])       # [True, False]
    """

    def __init__(
        self,
        index: WordIndex,
        take: Callable[[np.ndarray], np.ndarray],
        size: int,
        lowercase: bool = False,
        fallback_lowercase: bool = False,
        plain_brackets: bool = False,
    ):
        self.size = size
        self.lowercase = lowercase
        self.fallback_lowercase = fallback_lowercase
        self.plain_brackets = plain_brackets
        self._index, self._take = index, take
        self._row = lru_cache(REMEMBERED_WORDS)(self._find)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike,
        size: int,
        lowercase: bool = False,
        fallback_lowercase: bool = False,
        plain_brackets: bool = False,
        vocabulary: Collection[str] | None = None,
    ) -> "VectorSet":
        """Opens a text or HDF5 file of vectors, which are distinguished by their content.

        A text file is read into memory completely, unless `vocabulary` limits it to the lookup forms of these words. An
        HDF5 file needs no such limit, because only the requested vectors are read.
        """
        if is_vector_store(path):
            store = VectorStore(path)
            if store.shape[1] != size:
                raise CorefError(f"{path}: vectors of size {store.shape[1]}; expected {size}")
            index, take = store.index, store.take
        else:
            index, matrix = _load_text(path, size, vocabulary)
            take = matrix.__getitem__  # type: ignore[assignment]  # the overload for arrays
        return cls(index, take, size, lowercase, fallback_lowercase, plain_brackets)

    def __len__(self) -> int:
        return len(self._index)

    def lookup(self, words: Sequence[str]) -> np.ndarray:
        """Returns the vectors of the words, float32 [len(words), size]."""
        rows = self._rows(words)
        vectors = np.zeros((len(rows), self.size), np.float32)
        known = rows >= 0
        vectors[known] = normalised(self._take(rows[known]))
        return vectors

    def known(self, words: Sequence[str]) -> np.ndarray:
        """Returns whether each word has a vector, bool [len(words)]."""
        return self._rows(words) >= 0

    @property
    def is_ordered(self) -> bool:
        """Returns whether the order of words in the file is known, which is not the case if words share vectors."""
        return len(np.unique(self._index.rows)) == len(self)

    def table(self, limit: int | None = None, ranks: Mapping[str, int] | None = None) -> VectorTable:
        """Returns the first `limit` words, by default all, in file order or by the rank of their lower-case form."""
        words, rows = self._index.words.tobytes().split(b"\n"), self._index.rows
        ranked: list[int] = [
            0 if ranks is None else ranks.get(word.decode().lower(), len(ranks)) for word in words
        ]
        order = np.lexsort([rows, np.array(ranked)])[:limit]
        used, rows = np.unique(rows[order], return_inverse=True)
        return VectorTable(
            [words[place] for place in order], rows.astype(np.int32), self._take(used.astype(np.int64))
        )

    def _rows(self, words: Sequence[str]) -> np.ndarray:
        return np.fromiter(map(self._row, words), np.int64, len(words))

    def _find(self, word: str) -> int:
        if self.plain_brackets:
            word = plain_word(word)
        if self.lowercase:
            word = word.lower()
        row = self._index.find(word)
        return self._index.find(word.lower()) if row < 0 and self.fallback_lowercase else row


def is_vector_store(path: str | os.PathLike) -> bool:
    """Returns whether a vector file is HDF5, as opposed to text."""
    with open(path, "rb") as file:
        return file.read(len(HDF5_MAGIC)) == HDF5_MAGIC


def lookup_forms(words: Iterable[str]) -> set[str]:
    """Returns all forms in which the words may be looked up, for any settings of a vector set."""
    forms = {form for word in words for form in (word, plain_word(word))}
    return forms | {form.lower() for form in forms}


def _load_text(
    path: str | os.PathLike, size: int, vocabulary: Collection[str] | None
) -> tuple[WordIndex, np.ndarray]:
    """Reads the words and the float32 matrix of a text file; if a word occurs twice, the first vector is used."""
    wanted = None if vocabulary is None else lookup_forms(vocabulary)
    rows: dict[bytes, int] = {}
    numbers = array("f")  # grows in place, whereas stacking a list of rows would double the memory
    for word, vector in read_text_vectors(path, size):
        key = word.encode()
        if key not in rows and (wanted is None or word in wanted):
            rows[key] = len(rows)
            numbers.extend(vector)
    matrix = np.frombuffer(numbers, np.float32).reshape(-1, size)
    return WordIndex.build(list(rows), list(rows.values())), matrix
