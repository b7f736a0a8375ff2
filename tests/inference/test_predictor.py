"""The Predictor: each span's best link, and when a graph is traced."""

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


def count_graphs(predictor) -> int:
    functions = predictor._decide_as_graph, predictor._everything_as_graph
    return sum(function.experimental_get_tracing_count() for function in functions)


def untraced(predictor) -> Predictor:
    """A new Predictor of the same model, which has traced no graph yet."""
    return Predictor(predictor.model, predictor.tensorizer)


@pytest.mark.parametrize("details", [False, True])
def test_first_documents_run_eagerly_with_the_same_scores(predictor, documents, details):
    predictor._documents_without_graph = 0
    for document in documents:
        first = untraced(predictor)
        without, with_graph = first.predict(document, details), predictor.predict(document, details)
        assert count_graphs(first) == 0 and without.clusters == with_graph.clusters
        for name in ("mention_scores", "antecedents", "antecedent_scores"):
            np.testing.assert_array_equal(getattr(without, name), getattr(with_graph, name))
    assert count_graphs(predictor) == 1 + details


def test_a_graph_is_traced_after_the_first_documents(predictor, documents):
    documents = [*documents, *documents][: module.DOCUMENTS_WITHOUT_GRAPH + 1]
    many = untraced(predictor)
    found = [prediction.clusters for prediction in many.predict_all(documents)]
    assert count_graphs(many) == 1
    few = untraced(predictor)
    assert [prediction.clusters for prediction in few.predict_all(documents[:-1])] == found[:-1]
    assert count_graphs(few) == 0


def test_a_graph_is_traced_after_the_first_words(predictor, documents, monkeypatch):
    monkeypatch.setattr(module, "WORDS_WITHOUT_GRAPH", 2 * documents[0].num_words)
    first = untraced(predictor)
    for graphs in (0, 0, 1):
        first.predict(documents[0])
        assert count_graphs(first) == graphs


def test_a_long_first_document_is_run_as_a_graph(predictor, documents, monkeypatch):
    monkeypatch.setattr(module, "WORDS_WITHOUT_GRAPH", documents[0].num_words - 1)
    first = untraced(predictor)
    first.predict(documents[0])
    assert count_graphs(first) == 1


def test_a_graph_can_be_traced_beforehand(predictor, documents, monkeypatch):
    """Documents that arrive while the graph is being traced run eagerly and don't wait for it."""
    first = untraced(predictor)
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
    assert count_graphs(first) == 1
    first.predict(documents[0], details=True)
    assert count_graphs(first) == 1


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
    """Threads that all start before the graph exists trace it once, so TensorFlow doesn't warn of retracing."""
    tf.get_logger().addHandler(caplog.handler)
    try:
        for _ in range(7):
            first = untraced(predictor)
            first.cores = 4
            list(first.predict_all([documents[0]] * 14))
    finally:
        tf.get_logger().removeHandler(caplog.handler)
    assert "retracing" not in caplog.text
