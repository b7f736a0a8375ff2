"""Splitting words into pieces inside a graph gives the same pieces as in Python."""

import pytest
import tensorflow as tf
from piece_cases import FIXED, all_words, bundled_words, fuzzed_words, known_encoder, small_vocabulary

from coref_tf.encoder.word_pieces import WordPieces
from coref_tf.export.word_pieces import PieceSplitter


def compiled(vocabulary, lowercase):
    """Returns the splitter of the graph and that of Python."""
    splitter = PieceSplitter(vocabulary, lowercase)
    signature = [tf.TensorSpec([None], tf.string)]
    splitter.cut = tf.function(splitter, input_signature=signature, autograph=False)
    return splitter, WordPieces(vocabulary, lowercase)


@pytest.fixture(scope="module", params=[True, False], ids=["lower case", "cased"])
def both(request):
    return compiled(small_vocabulary(bundled_words(), request.param), request.param)


def differing_words(splitter, python, words):
    """Returns the words that the graph splits differently."""
    found = splitter.cut(tf.constant(words)).to_list()
    return [word for word, ids in zip(words, found, strict=True) if tuple(ids) != python.ids(word)]


def test_pieces_equal_those_in_python(both):
    assert differing_words(*both, [*bundled_words(), *FIXED, *fuzzed_words(1000)]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["minilm", "mpnet", "distilbert"])
def test_pieces_equal_those_in_python_on_every_corpus_with_real_vocabularies(name, shared):
    file = known_encoder(name)
    assert differing_words(*compiled(file.vocabulary, file.config.lowercase), all_words(shared)) == []


def test_words_alone_and_together(both):
    splitter, python = both
    for words in ([], [""], ["a", "", "a"], ["\u0301"], ["naïve", "naïve"], ["x" * 101]):
        found = splitter.cut(tf.constant(words, tf.string)).to_list()
        assert [tuple(ids) for ids in found] == list(map(python.ids, words))


def test_saved_and_loaded(tmp_path):
    splitter, python = compiled(["[UNK]", "the", "em", "##bed", "##ding", "##s", "("], lowercase=False)
    tf.saved_model.save(splitter, str(tmp_path), signatures={})
    words = ["the", "embeddings", "-LRB-", "é"]
    loaded = tf.saved_model.load(str(tmp_path))
    assert [tuple(ids) for ids in loaded.cut(tf.constant(words)).to_list()] == list(map(python.ids, words))
