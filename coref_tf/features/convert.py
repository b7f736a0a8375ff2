"""Converts word vectors in any supported format to HDF5, optionally only for the words of some documents."""

import itertools
import os
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from coref_tf.features.embeddings import is_vector_store, lookup_forms
from coref_tf.features.text_vectors import read_text_vectors
from coref_tf.features.vector_store import VectorStore, write_vectors
from coref_tf.support.errors import CorefError


def convert_vectors(
    source: str | os.PathLike,
    target: str | os.PathLike,
    vocabulary: Collection[str] | None = None,
    size: int | None = None,
    half: bool = False,
) -> tuple[int, int]:
    """Writes the vectors of a text or HDF5 file as HDF5; returns the number of words and the vector size.

    Args:
        source: text (plain, .gz or .zip) or HDF5.
        target: the file to write.
        vocabulary: keep only the lookup forms of these words; None keeps every word.
        size: the vector size; None takes the size in the file.
        half: whether to store vectors in half precision.
    """
    entries: Iterator[tuple[str, Sequence[float] | np.ndarray]]
    if is_vector_store(source):
        store = VectorStore(source)
        if size not in (None, store.shape[1]):
            raise CorefError(f"{source}: vector size {store.shape[1]}; expected {size}")
        entries, size = iter(store), store.shape[1]
    else:
        entries = read_text_vectors(source, size)
        first = next(entries)
        entries, size = itertools.chain([first], entries), len(first[1])
    if vocabulary is not None:
        entries = _only(entries, lookup_forms(vocabulary), source)
    return write_vectors(target, entries, size, half), size


def _only(
    entries: Iterable[tuple[str, Sequence[float] | np.ndarray]], wanted: set[str], source: str | os.PathLike
) -> Iterator[tuple[str, Sequence[float] | np.ndarray]]:
    found = False
    for word, vector in entries:
        if word in wanted:
            found = True
            yield word, vector
    if not found:
        raise CorefError(f"{source}: contains no vector for any word of the documents; expected word vectors")
