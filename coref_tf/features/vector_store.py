"""Word vectors in HDF5: `words`, sorted and joined by newlines, their `rows`, and the `matrix`."""

import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

import h5py
import numpy as np

from coref_tf.features.word_index import WordIndex
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write
from coref_tf.support.hdf5 import create_hdf5, open_hdf5, read_dataset

FORMAT = "coref_tf word vectors 1"
PAGE_BYTES = 1 << 16
BLOCK_WORDS = 4096


class VectorStore:
    """A file of word vectors. Words are read when it is opened, vectors only on demand.

    Args:
        path: a file that `write_vectors` wrote.

    Attributes:
        index: a WordIndex that maps words to rows.
        shape: the rows and columns of the matrix.
    """

    def __init__(self, path: str | os.PathLike):
        self.path = path
        try:
            file = open_hdf5(path)
            if file.attrs.get("format") != FORMAT:
                raise ValueError(f"its format is {file.attrs.get('format')!r}, not {FORMAT!r}")
            self._matrix = self._find_matrix(file)
            self.shape, self._page = self._matrix.shape, self._matrix.chunks[0]
            words = read_dataset(file, "words", (None,), np.uint8)
            self.index = WordIndex(words, read_dataset(file, "rows", (None,), np.unsignedinteger))
            if len(self.index) and self.index.rows.max() >= self.shape[0]:
                raise ValueError(
                    f"a word has row {self.index.rows.max()}, but there are only {self.shape[0]}"
                )
        except (OSError, RuntimeError, KeyError, ValueError, TypeError, MemoryError) as error:
            raise self._damaged(error) from error
        # Pages of an empty array take no memory until they are written to.
        self._array = np.empty(self.shape, self._matrix.dtype)
        self._read = np.zeros(-(-self.shape[0] // self._page), bool)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Returns the given rows of the matrix."""
        # Row numbers are stored in the smallest integer type, which may be too small for the page size or first row.
        pages = np.unique(rows.astype(np.int64) // self._page)
        for page in pages[~self._read[pages]]:
            part = slice(page * self._page, (page + 1) * self._page)
            try:
                self._array[part] = self._matrix[part]
                if not np.isfinite(self._array[part]).all():
                    raise ValueError("matrix has values that are not finite")
            except (OSError, RuntimeError, ValueError) as error:
                raise self._damaged(error) from error
            self._read[page] = True
        return self._array[rows]

    def __iter__(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yields each word and its vector, in matrix order."""
        words = self.index.words.tobytes().split(b"\n")
        order = np.argsort(self.index.rows, kind="stable")
        for block in np.array_split(order, -(-len(order) // BLOCK_WORDS)):
            vectors = self.take(self.index.rows[block])
            yield from zip((words[position].decode() for position in block), vectors, strict=True)

    def _find_matrix(self, file: h5py.File) -> h5py.Dataset:
        matrix = file.get("matrix")
        if not isinstance(matrix, h5py.Dataset) or matrix.ndim != 2 or not matrix.chunks:
            raise ValueError("matrix is missing, or is not a paged table")
        if matrix.dtype not in (np.float16, np.float32):
            raise ValueError(f"matrix has values of type {matrix.dtype}; expected float16 or float32")
        return matrix

    def _damaged(self, error: Exception) -> CorefError:
        return CorefError(
            f"{self.path}: not a readable file of word vectors ({error}); expected HDF5 as written by "
            "`coref features convert`"
        )


def write_vectors(
    path: str | os.PathLike,
    entries: Iterable[tuple[str, Sequence[float] | np.ndarray]],
    size: int,
    half: bool = False,
) -> int:
    """Writes words and their vectors, with one block in memory at a time; returns the number of words.

    Words with equal vectors share a row. If a word occurs twice, the first vector is kept.

    Args:
        path: the file to write.
        entries: words and vectors, most frequent first if the frequencies are known.
        size: the vector size.
        half: whether to store half precision; vectors are then normalised first, so that all numbers fit.
    """
    dtype = np.dtype(np.float16 if half else np.float32)
    row_of_word: dict[bytes, int] = {}
    row_of_vector: dict[bytes, int] = {}
    # This version of HDF5 has checksums for everything except data, which must be requested.
    with atomic_write(path, "w+b") as stream, create_hdf5(stream) as file:
        checked = {"fletcher32": True, "compression": "gzip", "compression_opts": 9}
        page = max(1, PAGE_BYTES // (size * dtype.itemsize))
        matrix = file.create_dataset(
            "matrix", (0, size), dtype, maxshape=(None, size), chunks=(page, size), shuffle=True, **checked
        )
        entries = iter(entries)
        while block := list(itertools.islice(entries, BLOCK_WORDS)):
            vectors = np.array([vector for _, vector in block], np.float32)
            vectors = (normalised(vectors) if half else vectors).astype(dtype)
            new = _number_rows([word for word, _ in block], vectors, row_of_word, row_of_vector)
            matrix.resize(len(row_of_vector), axis=0)
            matrix[len(row_of_vector) - len(new) :] = vectors[new]
        if not row_of_word:
            raise CorefError(f"{path}: no words to write; expected at least one")
        rows = np.array(list(row_of_word.values()), np.min_scalar_type(len(row_of_vector)))
        index = WordIndex.build(list(row_of_word), rows)
        for name, data in {"words": index.words, "rows": index.rows}.items():
            file.create_dataset(
                name, data=data, chunks=(min(len(data), 4 * PAGE_BYTES),), shuffle=True, **checked
            )
        file.attrs["format"] = FORMAT
    return len(row_of_word)


def _number_rows(
    words: list[str], vectors: np.ndarray, row_of_word: dict[bytes, int], row_of_vector: dict[bytes, int]
) -> list[int]:
    """Assigns a row to each new word, and returns which vectors are new."""
    new = []
    for position, word in enumerate(words):
        key = word.encode("utf-8", "surrogatepass")
        if key not in row_of_word:
            digest = hashlib.blake2b(vectors[position].tobytes(), digest_size=16).digest()
            if digest not in row_of_vector:
                row_of_vector[digest] = len(row_of_vector)
                new.append(position)
            row_of_word[key] = row_of_vector[digest]
    return new


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Returns the vectors as float32, normalised to unit length; zeros remain zeros."""
    vectors = vectors.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
