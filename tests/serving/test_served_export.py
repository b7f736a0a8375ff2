"""A real export, served: what the Predictor says, through every form of a request."""

import itertools
import json

import numpy as np
import pytest
from export_cases import clusters, random_document
from running_server import running

from coref_tf.api.result import result_of
from coref_tf.documents.text import document_from_text
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.page.data import PageSettings, page_data

TEXT = "Ana saw the council. She said the council was late, and Ana left the harbour."


@pytest.fixture(scope="module")
def predictor(small_experiment):
    return Predictor.from_models([open_experiment(small_experiment)])


@pytest.fixture(scope="module")
def server(small_export):
    with running(small_export) as client:
        yield client


@pytest.fixture(scope="module")
def documents():
    generator = np.random.default_rng(0)
    return [random_document(generator, genre) for genre in ("nw", "bc", "klingon", "nw", "bc")]


def padded(rows):
    return [[*row, *[""] * (max(map(len, rows)) - len(row))] for row in rows]


def inputs_of(document):
    return {
        "tokens": padded(document.sentences),
        "speakers": padded(document.speakers),
        "genre": document.genre,
    }


def test_by_columns_and_by_documents(server, predictor, documents):
    expected = [predictor.predict(document).clusters for document in documents]
    assert sum(map(len, expected)) > 3
    answers = [server.predict(inputs=inputs_of(document)) for document in documents]
    assert [clusters(answer.content["outputs"]) for answer in answers] == expected
    answer = server.predict(instances=[inputs_of(document) for document in documents])
    assert [clusters(prediction) for prediction in answer.content["predictions"]] == expected


def test_as_a_batch(server, predictor, documents):
    inputs = {
        "tokens": [word for document in documents for word in document.words],
        "sentence_lengths": [len(sentence) for document in documents for sentence in document.sentences],
        "document_lengths": [len(document.sentences) for document in documents],
        "speakers": [name for document in documents for row in document.speakers for name in row],
        "genres": [document.genre for document in documents],
    }
    outputs = server.predict(signature_name="batch", inputs=inputs).content["outputs"]
    of_document = np.array(outputs["mention_documents"])
    for number, document in enumerate(documents):
        mine = {
            name: np.array(outputs[name])[of_document == number]
            for name in outputs
            if name.startswith("mention")
        }
        assert clusters(mine) == predictor.predict(document).clusters


def test_as_text(server, predictor):
    outputs = server.text(TEXT).content["outputs"]
    expected = predictor.predict(document_from_text(TEXT, "x")).summary()["predicted_mentions"]
    places = zip(outputs["mention_begin_char"], outputs["mention_end_char"], strict=True)
    assert [TEXT[begin:end] for begin, end in places] == outputs["mention_text"]
    assert sorted(outputs["mention_text"]) == sorted(mention for cluster in expected for mention in cluster)
    assert len(outputs["mention_text"]) > 3


def test_nothing_and_what_is_no_document(server):
    for inputs in (
        {"tokens": [], "speakers": [], "genre": ""},
        {"tokens": [[]], "speakers": [], "genre": ""},
    ):
        assert server.predict(inputs=inputs).content["outputs"]["mention_starts"] == []
    assert server.text("").content["outputs"]["mention_text"] == []
    answer = server.predict(inputs={"tokens": [["She", "", "left"]], "speakers": [], "genre": ""})
    assert answer.status == 400 and answer.error.startswith(
        "a row of tokens must be words, then empty. Received: "
    )
    answer = server.predict(inputs={"tokens": [["She", "left"]], "speakers": [["a"]], "genre": ""})
    assert answer.status == 400 and answer.error.startswith(
        "speakers must be of the shape of tokens, [1 2], "
    )


def test_what_the_page_shows_is_what_the_predictor_says(server, predictor, small_experiment):
    text = "Ana: I saw the council.\nBen: She said the council was late, and Ana left the harbour."
    answer = server.send("POST", "/resolve", json.dumps({"text": text, "dialogue": True}).encode())
    assert answer.status == 200
    document = document_from_text(text, "text", dialogue=True)
    prediction = predictor.predict(document, details=True)
    settings = PageSettings.from_experiments([small_experiment])
    assert answer.content["settings"] == settings._asdict()
    expected, shown = page_data(prediction, settings), answer.content["document"]
    assert len(expected["clusters"]) > 0
    for name in ("words", "gaps", "sentences", "speakers", "spans", "chosen", "clusters"):
        assert shown[name] == expected[name], name
    for name in ("heads", "scores", "places", "none"):
        np.testing.assert_allclose(shown[name], expected[name], atol=2e-3)
    result = result_of(prediction)
    assert answer.content["resolved"] == result.resolved()
    assert answer.content["dialogue"] == "2 turns of 2 speakers"
    copied = answer.content["result"]
    assert copied["text"] == text and len(copied["clusters"]) == len(result)
    # The dial is the page's; what is copied follows it.
    body = json.dumps({"text": text, "dialogue": True, "min_probability": 1.0}).encode()
    dialled = server.send("POST", "/resolve", body).content
    assert dialled["document"] == shown and dialled["result"]["clusters"] == []
    assert dialled["resolved"] == text


def test_a_least_probability_takes_links_away(server, small_experiment):
    """Beside the inputs, or among those of the signature that has it; the answer has the probabilities."""
    whole = server.text(TEXT).content["outputs"]
    # Between the two that are farthest apart: rounding must not decide.
    probabilities = itertools.pairwise(sorted(whole["mention_probability"]))
    least = np.mean(max(probabilities, key=lambda pair: pair[1] - pair[0])).item()
    predictor = Predictor.from_models([open_experiment(small_experiment)], min_probability=least)
    expected = predictor.predict(document_from_text(TEXT, "x"))
    assert 0 < sum(map(len, expected.clusters)) < len(whole["mention_starts"])
    asked = {"signature_name": "text", "inputs": TEXT, "min_probability": least}
    inputs = {"text": TEXT, "min_probability": least}
    for answer in (server.predict(**asked), server.predict(signature_name="text_dial", inputs=inputs)):
        outputs = answer.content["outputs"]
        assert clusters(outputs) == expected.clusters
        np.testing.assert_allclose(outputs["top_span_probability"], expected.place_probabilities, atol=1e-5)
    assert server.predict(signature_name="text_dial", inputs=TEXT).content["outputs"] == whole
    refused = server.predict(signature_name="text", inputs=TEXT, min_probability=2)
    assert refused.status == 400 and "expected a probability from 0 to 1" in refused.content["error"]
