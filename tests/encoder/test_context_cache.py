"""The cache of contextual vectors computes each document once, replaces stale or damaged files and has a size limit."""

import os

import numpy as np
import pytest

from coref_tf.documents.document import Document
from coref_tf.encoder.context_cache import ContextCache


class Counting:
    """Returns different vectors in each call, and records the documents."""

    def __init__(self):
        self.documents = []

    def __call__(self, document):
        self.documents.append(document.doc_key)
        return np.full([document.num_words, 3], len(self.documents), np.float16)


def document(key, *sentences):
    return Document(
        key, [sentence.split() for sentence in sentences], [["-"] * len(s.split()) for s in sentences], []
    )


@pytest.fixture
def compute():
    return Counting()


def test_vectors_are_computed_once_for_the_same_content(tmp_path, compute, capsys):
    cache = ContextCache(tmp_path / "kept", {"layers": [1]}, 3, compute)
    a, b = document("a", "one two", "three"), document("b", "one two three")
    cache.fill([a, b])
    progress = capsys.readouterr().err
    assert "2 documents, 6 words" in progress and "cluster" not in progress
    cache.fill([a, b])
    assert capsys.readouterr().err == ""
    # The vectors depend on the sentences, and not on the name of the document.
    assert cache.vectors(document("c", "one two", "three")).tolist() == [[1] * 3] * 3
    assert cache.vectors(b).tolist() == [[2] * 3] * 3
    assert compute.documents == ["a", "b"]


def test_different_keys_have_different_vectors(tmp_path, compute):
    a = document("a", "one two")
    for layers in ([1], [2], [1]):
        ContextCache(tmp_path, {"layers": layers}, 3, compute).vectors(a)
    assert compute.documents == ["a", "a"]


@pytest.mark.parametrize("damage", [b"", b"nothing", None])
def test_damaged_files_are_computed_again(tmp_path, compute, damage):
    cache, a = ContextCache(tmp_path, {}, 3, compute), document("a", "one two")
    cache.vectors(a)
    path = cache.path(a)
    path.write_bytes(path.read_bytes()[:-100] if damage is None else damage)
    assert cache.vectors(a).tolist() == [[2] * 3] * 2
    assert cache.vectors(a).tolist() == [[2] * 3] * 2


def test_vectors_of_the_wrong_shape_are_computed_again(tmp_path, compute):
    a = document("a", "one two")
    cache = ContextCache(tmp_path, {}, 3, compute)
    cache._write(cache.path(a), np.zeros([2, 4], np.float16))
    assert cache.vectors(a).shape == (2, 3)


def test_least_recently_used_files_are_deleted_first(tmp_path, compute):
    documents = [document(key, key) for key in "abc"]
    cache = ContextCache(tmp_path, {}, 3, compute)
    for number, each in enumerate(documents):
        cache.vectors(each)
        os.utime(cache.path(each), (number, number))
    cache.vectors(documents[0])  # used now
    size = cache.path(documents[0]).stat().st_size
    cache.most_bytes = 2 * size
    cache.fill([document("d", "d")])
    assert [cache.path(each).is_file() for each in documents] == [True, False, False]
