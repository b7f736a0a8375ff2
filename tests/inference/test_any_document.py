"""A Predictor accepts any Document and always returns a valid prediction."""

import dataclasses
import json

import numpy as np
import pytest
from command import import_reference
from random_documents import small_experiment

from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import Checkpoint, model_settings, write_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError
from coref_tf.support.remarks import shown_remarks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the imported checkpoint of the authors' small model."""
    return import_reference(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="module")
def predictor(folder):
    experiment = dataclasses.replace(small_experiment(), log_root=folder / "logs")
    return Predictor.from_models([open_experiment(experiment)])


def check(predictor, document):
    """Asserts that the document's prediction is valid, and the same with and without details."""
    prediction = predictor.predict(document, details=True)
    for name, value in predictor.predict(document)._asdict().items():
        if name == "output":
            assert value is None
        elif isinstance(value, np.ndarray):
            np.testing.assert_allclose(value, getattr(prediction, name), rtol=1e-5, atol=1e-6)
        else:
            assert value == getattr(prediction, name), name
    document.with_clusters(prediction.clusters)  # raises if a span is invalid, repeated or in two sentences
    assert all(len(cluster) > 1 for cluster in prediction.clusters)
    assert len(prediction.output.top_span_starts) <= int(document.num_words * 0.4 + 1e-6)
    json.dumps(prediction.details() | prediction.summary(), allow_nan=False)
    return prediction


ODD = {
    "no sentences": Document("nw/x", []),
    "one word": Document("nw/x", [["Hello"]]),
    "two words": Document("nw/x", [["Hello", "there"]]),
    "one sentence of 2,000 words": Document("nw/x", [["she", "saw", "the", "man"] * 500]),
    "2,000 sentences of one word": Document("nw/x", [["she"]] * 2000),
    "a word of 5,000 characters": Document("nw/x", [["x" * 5000, "is", "it", "."]]),
    "a word of a million characters among a thousand": Document(
        "nw/x", [["x" * 10**6], *([f"word{number}"] for number in range(1000))]
    ),
    "emoji": Document("nw/x", [["😀", "🏳️‍🌈", "👩‍👩‍👧", "said", "she", "left"]]),
    "no known word": Document("nw/x", [["qwzx", "zzkq", "vvvq"], ["kkzq", "qqqz"]]),
    "no known character": Document("nw/x", [["日本", "語", "漢字", "한국", "文"]]),
    "unknown genre": Document("klingon/x", [["She", "said", "she", "left", "."]]),
    "no genre": Document("x", [["She", "said", "she", "left", "."]]),
    "no speakers": Document("nw/x", [["She", "said", "she", "left", "."]], speakers=()),
    "as many speakers as words": Document(
        "bc/x", [["I", "said", "you", "left"]], speakers=[["a", "b", "c", "d"]]
    ),
    "gold wider than any candidate": Document("nw/x", [["a"] * 30], clusters=[[(0, 20), (21, 29)]]),
    "empty text": document_from_text("", "x"),
    "whitespace": document_from_text(" \n\n\t ", "x"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_documents_do_not_crash_the_predictor(predictor, name, capsys):
    prediction = check(predictor, ODD[name])
    if ODD[name].num_words <= 2:
        assert prediction.clusters == []
        assert prediction.output.antecedents.scores.shape == (0, 1)


def test_an_unknown_genre_is_reported_once(folder, capsys):
    predictor = Predictor.from_models(
        [open_experiment(dataclasses.replace(small_experiment(), log_root=folder / "logs"))]
    )
    with shown_remarks():
        for _ in range(3):
            predictor.predict(ODD["unknown genre"])
    assert capsys.readouterr().err == "unknown genre 'klingon' counts as 'nw'\n"
    predictor.predict(Document("x", [["She", "left", "."]]))
    assert capsys.readouterr().err == ""


def test_empty_sentences_among_others(predictor):
    check(predictor, Document("nw/x", [["She", "left", "."], [], ["Ana", "said", "she", "did"], []]))


def test_500_random_documents(predictor):
    generator = np.random.default_rng(0)
    alphabet = [chr(c) for c in [*range(33, 127), 0xE9, 0x4E2D, 0x1F600, 0x2028, 0x301, 0x200D]]

    def word():
        kind = generator.random()
        if kind < 0.5:
            return str(generator.choice(["she", "he", "the", "council", "Marta", "it", ",", ".", "who"]))
        return "".join(generator.choice(alphabet, size=int(generator.integers(1, 40 if kind > 0.97 else 9))))

    for number in range(500):
        lengths = generator.integers(0, 25, size=int(generator.integers(0, 8)))
        sentences = [[word() for _ in range(length)] for length in lengths]
        speakers = [[str(generator.integers(3)) for _ in sentence] for sentence in sentences]
        genre = str(generator.choice(["nw/", "bc/", "", "zz/"]))
        check(predictor, Document(f"{genre}{number}", sentences, speakers))


def test_a_document_where_no_mention_survives(folder):
    """With a mention ratio of 0.001, a document of 4 words keeps no span and has no clusters."""
    experiment = dataclasses.replace(small_experiment(), log_root=folder / "logs", mention_ratio=0.001)
    predictor = Predictor.from_models([open_experiment(experiment)])
    assert len(predictor.predict(ODD["one sentence of 2,000 words"]).top_spans) == 2
    assert predictor.predict(Document("nw/x", [["She", "said", "she", "left"]])).clusters == []


def test_a_checkpoint_of_another_experiment_is_refused(folder, tmp_path):
    other = small_experiment(lstm_size=9)
    characters = CharacterVocabulary.read(other.char_vocab_path)
    path = tmp_path / "other.h5"
    write_checkpoint(path, Checkpoint(model_settings(other), list(characters.characters), {}))
    with pytest.raises(CorefError, match="was trained with lstm_size = 9, experiment small has 6"):
        Predictor.from_models([open_experiment(small_experiment(), path)])


def test_a_string_instead_of_a_document_is_refused(predictor):
    with pytest.raises(CorefError, match=r"takes a Document.*document_from_text.*Received: 'Ana left.'"):
        predictor.predict("Ana left.")
