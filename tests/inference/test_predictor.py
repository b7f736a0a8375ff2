"""The Predictor: the best link of each span, and the first short documents without a graph."""

import numpy as np
import pytest
import tensorflow as tf
from export_cases import random_document, train

from coref_tf.decoding import best_antecedents
from coref_tf.inference import predictor as module
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment


@pytest.fixture(scope="module")
def predictor(tmp_path_factory):
    return Predictor.from_models([open_experiment(train(tmp_path_factory.mktemp("trained")))])


@pytest.fixture(scope="module")
def documents():
    generator = np.random.default_rng(5)
    return [random_document(generator) for _ in range(6)]


def graphs(predictor) -> int:
    functions = predictor._decide_as_graph, predictor._everything_as_graph
    return sum(function.experimental_get_tracing_count() for function in functions)


def another(predictor) -> Predictor:
    """One with the same model that has made no graph yet."""
    return Predictor(predictor.model, predictor.tensorizer)


@pytest.mark.parametrize("details", [False, True])
def test_first_documents_need_no_graph_and_have_the_same_scores(predictor, documents, details):
    predictor._documents_without_graph = 0
    for document in documents:
        first = another(predictor)
        without, with_graph = first.predict(document, details), predictor.predict(document, details)
        assert graphs(first) == 0 and without.clusters == with_graph.clusters
        for name in ("mention_scores", "antecedents", "antecedent_scores"):
            np.testing.assert_array_equal(getattr(without, name), getattr(with_graph, name))
    assert graphs(predictor) == 1 + details


def test_a_graph_is_traced_once_there_are_more_documents(predictor, documents):
    documents = [*documents, *documents][: module.DOCUMENTS_WITHOUT_GRAPH + 1]
    many = another(predictor)
    found = [prediction.clusters for prediction in many.predict_all(documents)]
    assert graphs(many) == 1
    few = another(predictor)
    assert [prediction.clusters for prediction in few.predict_all(documents[:-1])] == found[:-1]
    assert graphs(few) == 0


def test_a_first_document_that_is_long_gets_a_graph(predictor, documents, monkeypatch):
    monkeypatch.setattr(module, "WORDS_WITHOUT_GRAPH", documents[0].num_words - 1)
    first = another(predictor)
    first.predict(documents[0])
    assert graphs(first) == 1


def test_a_graph_can_be_traced_beforehand(predictor, documents, monkeypatch):
    """Beside that, however many documents come, none waits for it."""
    first = another(predictor)
    first._documents_without_graph = 0
    compute = first._everything_as_graph

    def trace_beside_documents(*inputs):
        for document in documents:
            first.predict(document, details=True)
        assert compute.experimental_get_tracing_count() == 0
        return compute(*inputs)

    monkeypatch.setattr(first, "_everything_as_graph", trace_beside_documents)
    first.trace(documents[0], details=True)
    monkeypatch.undo()
    assert graphs(first) == 1
    first.predict(documents[0], details=True)
    assert graphs(first) == 1


def test_the_best_link_of_each_span(predictor, documents):
    for document in documents:
        prediction = predictor.predict(document, details=True)
        indices, _, scores = prediction.output.antecedents
        best = best_antecedents(indices, scores)
        np.testing.assert_array_equal(prediction.antecedents, best)
        np.testing.assert_array_equal(prediction.antecedent_scores, scores.max(axis=1, initial=-np.inf))
        np.testing.assert_array_equal(prediction.mention_scores, prediction.output.top_span_mention_scores)
        assert all(prediction.antecedent_scores[best < 0] == 0)


def test_several_predictors_in_one_process_do_not_make_tensorflow_warn(predictor, documents, caplog):
    """Whose documents come in several threads, each of which finds no graph yet."""
    tf.get_logger().addHandler(caplog.handler)
    try:
        for _ in range(7):
            first = another(predictor)
            first.cores = 4
            list(first.predict_all([documents[0]] * 14))
    finally:
        tf.get_logger().removeHandler(caplog.handler)
    assert "retracing" not in caplog.text
