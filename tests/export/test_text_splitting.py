"""Splitting text inside the graph gives the tokens, sentences and offsets of the Python tokenizer."""

import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from export_cases import TEXTS

from coref_tf.documents import read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.export.sentences import split_sentences
from coref_tf.export.text import TextSplitter

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


@pytest.fixture(scope="module")
def split():
    """A function from a text to its offsets and the words of each sentence, computed by the graph."""
    splitter = TextSplitter()

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)], autograph=False)
    def run(text):
        return split_sentences(splitter(text))

    def split(text):
        tokens, lengths = run(text)
        offsets = list(zip(tokens.begins.numpy().tolist(), tokens.ends.numpy().tolist(), strict=True))
        words = [word.decode() for word in tokens.words.numpy()]
        assert words == [re.sub("[\ufdd0-\ufdd2]", "\ue000", text[begin:end]) for begin, end in offsets]
        assert sum(lengths.numpy()) == len(words)
        ends = tf.cumsum(lengths).numpy().tolist()
        begins = [0, *ends[:-1]][: len(ends)]
        return offsets, [tuple(words[b:e]) for b, e in zip(begins, ends, strict=True)]

    return split


@pytest.mark.parametrize("text", TEXTS)
def test_splitting_equals_the_python_tokenizer(split, text):
    document = document_from_text(text, "x")
    offsets, sentences = split(text)
    assert tuple(offsets) == document.offsets
    assert tuple(sentences) == document.sentences


def test_a_text_that_contains_the_internal_marks(split):
    text = "private \ufdd0\ufdd1\ufdd2use\ufdd2."
    assert tuple(split(text)[0]) == document_from_text(text, "x").offsets


def test_agreement_on_the_bundled_corpus(split):
    """More than 99.9% of the tokens and sentences are the same."""
    equal, total = [0, 0], [0, 0]
    for name in ("dev", "test"):
        for document in read_documents(SAMPLE / f"{name}.jsonlines"):
            document = document_from_text(document.text, "x")
            offsets, sentences = split(document.text)
            theirs = [set(document.offsets), _places(document.offsets, document.sentences)]
            for kind, mine in enumerate([set(offsets), _places(offsets, sentences)]):
                equal[kind] += len(mine & theirs[kind])
                total[kind] += len(mine | theirs[kind])
    assert total[0] > 8000
    assert equal[0] / total[0] > 0.999 and equal[1] / total[1] > 0.999, (equal, total)


def _places(offsets, sentences):
    """Returns the beginning and end of each sentence in the text."""
    offsets = iter(offsets)
    places = [[next(offsets) for _ in sentence] for sentence in sentences]
    return {(place[0][0], place[-1][1]) for place in places if place}


@pytest.mark.parametrize("text", ["!" * 5000, "(" * 250 + "Ana" + ")." * 300, "?!… " + "*" * 199 + "[1]"])
def test_a_long_run_of_symbols(split, text):
    """Symbols are split off one at a time, at most a hundred of them, so longer runs are split first."""
    document = document_from_text(text, "x")
    offsets, sentences = split(text)
    assert tuple(offsets) == document.offsets and tuple(sentences) == document.sentences


def test_random_texts_lose_nothing(split):
    """Every character except whitespace is in exactly one token, and the tokens are in order."""
    generator = np.random.default_rng(0)
    signs = [
        *" \n\t.,;:!?'\"`-–—…()[]{}<>/\\%$€+*=&@#_^~°",
        "\n\n",
        "\r\r",
        "''",
        "``",
        "[12]",
        "\u2029",
        "\ufdd0",
    ]
    words = [
        "Ana",
        "I.",
        "U.S.",
        "don't",
        "No.",
        "5",
        "km",
        "B.",
        "e.g.",
        "x",
        "É",
        "漢字",
        "😀",
        "\u200d",
        "http://a.bc",
    ]
    for _ in range(150):
        text = "".join(generator.choice([*signs, *words * 2], size=int(generator.integers(1, 60))))
        offsets, _ = split(text)
        covered = [place for begin, end in offsets for place in range(begin, end)]
        assert covered == [place for place, character in enumerate(text) if not character.isspace()], text
