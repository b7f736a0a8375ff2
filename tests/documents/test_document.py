"""Document: conversion of its arguments, derived values and validation."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError

SENTENCES = [["Ana", "saw", "the", "old", "lighthouse", "."], ["She", "liked", "it", "."]]


def make(**changes):
    return Document(**{"doc_key": "nw/harbour", "sentences": SENTENCES, **changes})


def test_lists_become_tuples_and_defaults_are_filled_in():
    document = make(clusters=[[[0, 0], [6, 6]]])
    assert document.sentences == tuple(map(tuple, SENTENCES))
    assert document.speakers == (("-",) * 6, ("-",) * 4)
    assert document.clusters == (((0, 0), (6, 6)),)
    assert document.words[6] == "She" and document.num_words == 10
    assert (document.genre, document.part, document.key) == ("nw", 0, "nw/harbour_0")


def test_genre_is_the_part_before_the_first_slash():
    assert make(doc_key="bc/cnn/00/cnn_0000").genre == "bc"
    assert make(doc_key="harbour").genre == ""


def test_documents_are_immutable():
    document = make(extra={"note": 1})
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.part = 1
    with pytest.raises(TypeError):
        document.extra["note"] = 2


def test_documents_can_be_copied_pickled_hashed_and_compared():
    document = make(clusters=[[(0, 0), (6, 6)]], extra={"note": [1]})
    assert pickle.loads(pickle.dumps(document)) == document == copy.deepcopy(document)
    assert hash(document) == hash(copy.deepcopy(document))
    assert document.with_clusters([]) != document


def test_predicted_clusters_may_be_numpy_integers():
    document = make().with_clusters(np.array([[[0, 0], [6, 6]]], np.int32))
    assert document.clusters == (((0, 0), (6, 6)),)
    assert all(type(value) is int for span in document.clusters[0] for value in span)


def test_a_document_may_be_empty():
    document = Document("nw/empty", [])
    assert document.words == () and document.speakers == () and document.clusters == ()


def test_shared_mentions_and_crossing_clusters_are_allowed():
    assert make(clusters=[[(2, 4)], [(2, 4), (6, 6)]]).clusters[0] == ((2, 4),)
    assert make(clusters=[[(1, 3)], [(2, 4)]]).clusters[1] == ((2, 4),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": ["Ana saw"]}, "must be lists of strings"),
        ({"sentences": [["Ana", ""]]}, "sentence 0 must consist of nonempty strings"),
        ({"sentences": [["Ana", 3]]}, "sentence 0 must consist of nonempty strings"),
        ({"sentences": [["Ana", "a\0b"]]}, "without NUL characters"),
        ({"sentences": [["\ud800"]]}, "a lone surrogate"),
        ({"speakers": [["a"] * 6]}, "speakers for 1 sentences; expected 2"),
        ({"speakers": [["a"] * 6, ["a"] * 3]}, "3 speakers in sentence 1; expected one per word, 4"),
        ({"speakers": [["a"] * 6, [1] * 4]}, "speakers of sentence 1 must be strings"),
        ({"pos": [["NN"] * 6]}, "pos for 1 sentences"),
        ({"parse": [["*"] * 6, ["*"] * 5]}, "5 parse in sentence 1"),
        ({"clusters": [[]]}, "cluster 0 is empty"),
        ({"clusters": [[(0,)]]}, "a mention must be two integers"),
        ({"clusters": [[(0, 1.0)]]}, "a mention must be two integers"),
        ({"clusters": [[(2, 1)]]}, r"mention \(2, 1\) ends before it starts"),
        ({"clusters": [[(9, 10)]]}, r"mention \(9, 10\) lies outside the document; expected words 0 to 9"),
        ({"clusters": [[(-1, 0)]]}, r"mention \(-1, 0\) lies outside"),
        ({"clusters": [[(4, 6)]]}, r'mention \(4, 6\) "lighthouse . She" runs across a sentence end'),
        ({"clusters": [[(0, 0), (0, 0)]]}, r'mention \(0, 0\) "Ana" occurs twice in cluster 0'),
        ({"clusters": [[(1, 3), (2, 4)]]}, "crosses"),
        ({"text": "Ana"}, "text and offsets must be given together"),
        ({"text": "Ana", "offsets": [(0, 3)]}, "1 offsets; expected one per word, 10"),
        ({"sentences": [["A", "b"]], "text": "A b", "offsets": [(2, 3), (0, 1)]}, r"offset 1 is \[0, 1\)"),
        ({"sentences": [["A"]], "text": "A", "offsets": [(0, 2)]}, r"offset 0 is \[0, 2\)"),
    ],
)
def test_invalid_documents_are_refused(changes, message):
    with pytest.raises(CorefError, match=message) as caught:
        make(**changes)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("document nw/harbour")


@pytest.mark.parametrize("name", ["speakers", "pos", "parse", "named_entities"])
@pytest.mark.parametrize(("value", "message"), [("a\0b", "NUL"), ("\ud800", "surrogate")])
def test_nul_characters_and_surrogates_are_refused(name, value, message):
    with pytest.raises(CorefError, match=message):
        Document("nw/x", [["Ana", "left"]], **{name: [[value, "-"]]})
