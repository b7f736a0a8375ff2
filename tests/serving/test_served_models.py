"""A served checkpoint and a served export give the Predictor's predictions for every form of request."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from export_cases import clusters, random_document
from running_server import running

from coref_tf.api.resolver import Resolver
from coref_tf.api.result import result_of
from coref_tf.documents.text import document_from_text
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.models.open_model import open_experiment, open_model
from coref_tf.page.data import PageSettings, page_data
from coref_tf.serving.server import load_served_model

TEXT = "Ana saw the council. She said the council was late, and Ana left the harbour."


@pytest.fixture(scope="module")
def predictor(small_experiment):
    return Predictor.from_models([open_experiment(small_experiment)])


@pytest.fixture(scope="module", params=["checkpoint", "export"])
def server(request, small_experiment, small_export):
    path = {"checkpoint": best_checkpoint_path(small_experiment), "export": small_export}[request.param]
    with running(load_served_model(open_model(path))) as client:
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


def test_inputs_and_instances_have_the_clusters_of_the_predictor(server, predictor, documents):
    expected = [predictor.predict(document).clusters for document in documents]
    assert sum(map(len, expected)) > 3
    answers = [server.predict(inputs=inputs_of(document)) for document in documents]
    assert [clusters(answer.content["outputs"]) for answer in answers] == expected
    answer = server.predict(instances=[inputs_of(document) for document in documents])
    assert [clusters(prediction) for prediction in answer.content["predictions"]] == expected


def test_texts_have_the_mentions_of_the_predictor(server, predictor):
    outputs = server.text(TEXT).content["outputs"]
    expected = predictor.predict(document_from_text(TEXT, "x")).summary()["predicted_mentions"]
    places = zip(outputs["mention_begin_char"], outputs["mention_end_char"], strict=True)
    assert [TEXT[begin:end] for begin, end in places] == outputs["mention_text"]
    assert sorted(outputs["mention_text"]) == sorted(mention for cluster in expected for mention in cluster)
    assert len(outputs["mention_text"]) > 3


def test_empty_documents(server):
    for inputs in (
        {"tokens": [], "speakers": [], "genre": ""},
        {"tokens": [[]], "speakers": [], "genre": ""},
    ):
        assert server.predict(inputs=inputs).content["outputs"]["mention_starts"] == []
    assert server.text("").content["outputs"]["mention_text"] == []


def test_the_page_shows_the_prediction_of_the_predictor(server, predictor, small_experiment):
    text = "Ana: I saw the council.\nBen: She said the council was late, and Ana left the harbour."
    answer = server.resolve(text=text, dialogue=True)
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
    # A minimum probability changes the result to copy, but not the document, because the page applies it itself.
    dialled = server.resolve(text=text, dialogue=True, min_probability=1.0).content
    assert dialled["document"] == shown and dialled["result"]["clusters"] == []
    assert dialled["resolved"] == text


def test_a_minimum_probability_removes_links(server, small_experiment):
    """The answer has the Predictor's clusters and probabilities at that minimum."""
    whole = server.text(TEXT).content["outputs"]
    # The threshold is in the widest gap between two probabilities, so that rounding can't matter.
    probabilities = itertools.pairwise(sorted(whole["mention_probability"]))
    least = np.mean(max(probabilities, key=lambda pair: pair[1] - pair[0])).item()
    predictor = Predictor.from_models([open_experiment(small_experiment)], min_probability=least)
    expected = predictor.predict(document_from_text(TEXT, "x"))
    assert 0 < sum(map(len, expected.clusters)) < len(whole["mention_starts"])
    outputs = server.predict(signature_name="text", inputs=TEXT, min_probability=least).content["outputs"]
    assert clusters(outputs) == expected.clusters
    np.testing.assert_allclose(outputs["top_span_probability"], expected.place_probabilities, atol=1e-5)


def test_the_outputs_are_those_of_an_export(server, small_export):
    """The server has the outputs of the exported signature, except for two."""
    exported = tf.saved_model.load(str(small_export / "1"))
    expected = exported.signatures["text"](text=tf.constant(TEXT))
    outputs = server.text(TEXT).content["outputs"]
    assert expected.keys() - outputs.keys() == {"head_attention", "antecedent_probability"}
    for name, value in outputs.items():
        found = expected[name].numpy()
        if name == "mention_text":
            assert [text.decode() for text in found] == value
        else:
            np.testing.assert_allclose(value, found, atol=1e-4, err_msg=name)


def test_dialogues_are_resolved_as_by_the_resolver(server, predictor, small_experiment):
    resolver = Resolver(predictor, small_experiment.language, small_experiment.default_genre)
    talk = "Ana: I saw the council.\nBen: She said the council was late."
    found = server.resolve(text=talk, dialogue=True).content["result"]
    expected = resolver(talk, dialogue=True)
    assert [[(m["start"], m["end"]) for m in cluster] for cluster in found["clusters"]] == expected.spans
