"""Looking up words inside the graph gives the vectors of a VectorSet."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.documents.running_text import PLAIN_TOKENS
from coref_tf.export.tensorizer import GraphTensorizer, checked_words
from coref_tf.export.vectors import VectorTable, WordLookup, frequency_ranks
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.vector_store import write_vectors

WORDS = ["the", "harbour", "Harbour", "été", "(", ")", '"', "'", "and/or", "*", "σς", "i̇", "straße"]
ASKED = [
    *WORDS,
    *PLAIN_TOKENS,
    "THE",
    "The",
    "HARBOUR",
    "ÉTÉ",
    "and\\/or",
    "\\*",
    "\\/",
    "ΣΣ",
    "İ",
    "STRASSE",
    "xyzzy",
    "漢",
]


@pytest.fixture(scope="module", params=[True, False], ids=["half", "single"])
def path(request, tmp_path_factory):
    """Vectors in HDF5, in which two words share a vector."""
    path = tmp_path_factory.mktemp("vectors") / "vectors.h5"
    matrix = np.random.default_rng(0).normal(size=[len(WORDS), 7])
    matrix[2] = matrix[1]
    write_vectors(path, zip(WORDS, matrix, strict=True), 7, half=request.param)
    return path


@pytest.mark.parametrize("float16", [False, True])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("fallback_lowercase", [False, True])
@pytest.mark.parametrize("plain_brackets", [False, True])
def test_vectors_equal_those_of_the_vector_set(
    path, tmp_path, float16, lowercase, fallback_lowercase, plain_brackets
):
    vectors = VectorSet.open(path, 7, lowercase, fallback_lowercase, plain_brackets)
    inside = VectorTable(vectors, tmp_path / "words.txt", half=float16)
    assert inside.matrix.shape == (len(WORDS) - 1, 7)
    assert inside.matrix.dtype == (tf.float16 if float16 else tf.float32)
    found = WordLookup(inside, vectors)(tf.constant(ASKED)).numpy()
    expected = vectors.lookup(ASKED)
    if float16 and vectors.table().matrix.dtype != np.float16:
        np.testing.assert_allclose(found, expected, atol=1e-3)
    else:
        np.testing.assert_array_equal(found, expected)
    assert found.any(axis=1).sum() >= len(WORDS) - 2


def test_the_most_frequent_words(path, tmp_path):
    """The order is that of the file, or that of another set if words share vectors, which loses their order."""
    vectors = VectorSet.open(path, 7)
    ordered = tmp_path / "ordered.h5"
    write_vectors(ordered, zip(["ÉTÉ", "harbour", "Été"], np.eye(3), strict=True), 3)
    ordered = VectorSet.open(ordered, 3)
    assert ordered.is_ordered and not vectors.is_ordered
    assert frequency_ranks([vectors]) is None
    assert frequency_ranks([vectors, ordered]) == {"été": 0, "harbour": 1}
    ranked = VectorTable(vectors, tmp_path / "ranked.txt", 4, frequency_ranks([vectors, ordered]))
    assert (tmp_path / "ranked.txt").read_text() == "été\nHarbour\nharbour\nthe\n"
    assert ranked.matrix.shape == (3, 7)

    inside = VectorTable(vectors, tmp_path / "words.txt", limit=4)
    assert inside.num_words == 4
    assert inside.matrix.shape == (3, 7)
    found = WordLookup(inside, vectors)(tf.constant(WORDS)).numpy()
    np.testing.assert_array_equal(found[:4], vectors.lookup(WORDS[:4]))
    assert not found[4:].any()


def test_no_vectors_at_all():
    """An experiment may have only characters; those outside the vocabulary are unknown."""
    tensorizer = GraphTensorizer([], CharacterVocabulary(["a", "é", "😀"]), ["bc", "nw"], "nw")
    words = tf.constant(["é😀a", "b", "é😀a"])
    inputs = tensorizer(checked_words(words, tf.constant([3]), tf.constant(["x", "y", "x"]), tf.constant("")))
    assert inputs.word_vectors.shape == (2, 0)
    assert inputs.characters.numpy().tolist() == [2, 3, 1, 0]
    assert inputs.word_lengths.numpy().tolist() == [3, 1]
    assert inputs.word_ids.numpy().tolist() == [0, 1, 0]
    assert inputs.speaker_ids.numpy().tolist() == [0, 1, 0]
    assert inputs.genre.numpy() == 1
