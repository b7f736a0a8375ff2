"""Probabilities of links and places, and the dial, which removes improbable links."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from export_cases import random_document, train

from coref_tf.decoding import best_antecedents, clusters_of, place_probabilities, remove_improbable_links
from coref_tf.documents import Document
from coref_tf.inference.predictor import Predictor
from coref_tf.layers import probabilities
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.probabilities import Probabilities, cluster_roots
from coref_tf.models.calibration import Calibration
from coref_tf.models.checkpoint import best_checkpoint_path, read_checkpoint, write_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError

FIT = Calibration(1.6, -0.4)
EMPTY = Document("nw/empty", [])


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """A trained experiment whose checkpoint has a calibration."""
    experiment = train(tmp_path_factory.mktemp("trained"))
    calibrate(experiment, FIT)
    return experiment


@pytest.fixture(scope="module")
def predictor(experiment):
    return Predictor.from_models([open_experiment(experiment)])


@pytest.fixture(scope="module")
def documents():
    generator = np.random.default_rng(5)
    return [*(random_document(generator) for _ in range(5)), EMPTY]


def calibrate(experiment, calibration):
    path = best_checkpoint_path(experiment)
    checkpoint = read_checkpoint(path)
    state = {**checkpoint.state, "calibration": calibration._asdict()}
    write_checkpoint(path, dataclasses.replace(checkpoint, state=state))


def random_antecedents(generator, spans, most):
    """Antecedents shaped like those of a model, with random scores."""
    lengths = np.minimum(np.arange(spans), most).astype(np.int32)
    indices = np.zeros([spans, most], np.int32)
    scores = np.full([spans, 1 + most], -np.inf, np.float32)
    scores[:, 0] = 0
    for span, length in enumerate(lengths):
        indices[span, :length] = np.arange(span - length, span)
        scores[span, 1 : 1 + length] = generator.normal(scale=4, size=length)
    return Antecedents(indices, lengths, scores)


def slow_probabilities(antecedents, calibration):
    """Each span's best antecedent, link probability and place probability, from the whole table and the clusters."""
    indices, _, scores = (np.asarray(part) for part in antecedents)
    best = best_antecedents(indices, scores)
    probabilities = calibration.probabilities(scores)
    clusters = clusters_of(np.arange(len(best)), np.arange(len(best)), best)
    together = [{start for start, _ in cluster} for cluster in clusters]
    links, places = [], []
    for span, row in enumerate(probabilities):
        links.append(row[scores[span].argmax()])
        own = next((cluster for cluster in together if span in cluster), set())
        real = np.flatnonzero(np.isfinite(scores[span, 1:]))
        inside = [row[1 + column] for column in real if indices[span, column] in own]
        places.append(sum(inside) if best[span] >= 0 else row[0])
    return best, np.array(links), np.array(places)


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(("spans", "most"), [(0, 0), (0, 5), (1, 3), (7, 0), (23, 6), (40, 40)])
def test_probabilities_equal_those_of_the_whole_table(monkeypatch, graph, spans, most):
    monkeypatch.setattr(probabilities, "SPANS_PER_TILE", 5)
    made = random_antecedents(np.random.default_rng(spans), spans, most)

    def find(*parts):
        return Probabilities.from_scores(Antecedents(*parts), *FIT)

    found = (tf.function(find, autograph=False) if graph else find)(*map(tf.constant, made))
    _, links, places = slow_probabilities(made, FIT)
    np.testing.assert_allclose(found.links, links, rtol=1e-5)
    np.testing.assert_allclose(found.places, places, rtol=1e-5)
    for values in found:
        assert values.shape == (spans,) and values.dtype == tf.float32
    if most > 5:
        assert (places > links + 0.01).any()


@pytest.mark.parametrize("calibration", [(1.0, 0.0), (1.6, -0.4), (0.7123, 0.3), (0.032, -22.089)])
def test_graph_and_eager_probabilities_are_bitwise_equal(calibration):
    made = random_antecedents(np.random.default_rng(0), 700, 50)

    def find(*parts):
        return Probabilities.from_scores(Antecedents(*parts), *calibration)

    tensors = [tf.constant(part) for part in made]
    for graph, alone in zip(tf.function(find, autograph=False)(*tensors), find(*tensors), strict=True):
        np.testing.assert_array_equal(graph, alone)


def test_place_probability_sums_the_links_into_the_cluster():
    # Links 0 <- 1 and 0 <- 2, with 3 alone: of its antecedents, 1 has {0} in its cluster, 2 has {0, 1} and 3 has none.
    weights = np.array([[1, 0, 0, 0], [1, 3, 0, 0], [1, 4, 2, 0], [5, 1, 1, 1]], np.float32)
    indices = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 1, 2]], np.int32)
    with np.errstate(divide="ignore"):
        made = Antecedents(indices, np.arange(4, dtype=np.int32), tf.constant(np.log(weights)))
    found = Probabilities.from_scores(made)
    np.testing.assert_allclose(found.links, [1, 3 / 4, 4 / 7, 5 / 8], rtol=1e-6)
    np.testing.assert_allclose(found.places, [1, 3 / 4, 6 / 7, 5 / 8], rtol=1e-6)


def test_scores_that_are_far_apart_do_not_overflow():
    scores = np.array([[0, 1e30, -np.inf], [0, -1e30, -1e30], [0, 3e38, 3e38]], np.float32)
    antecedents = Antecedents(np.zeros([3, 2], np.int32), np.array([1, 2, 2], np.int32), tf.constant(scores))
    found = Probabilities.from_scores(antecedents)
    np.testing.assert_allclose(found.links, [1, 1, 0.5])
    np.testing.assert_allclose(found.places, [1, 1, 1])  # both antecedents are the same span


def test_a_long_chain_is_one_cluster():
    chain = tf.constant([-1, *range(999), -1, 1000], tf.int32)
    assert cluster_roots(chain).numpy().tolist() == [0] * 1000 + [1000] * 2
    assert cluster_roots(tf.zeros([0], tf.int32)).shape == (0,)


def test_place_probabilities_and_confident_links_of_a_small_example():
    # Links 0 <- 1 <- 3, 0 <- 2 and 5 <- 6, with 4 alone.
    best = np.array([-1, 0, 0, 1, -1, -1, 5])
    links = np.array([0.99, 0.4, 0.7, 0.9, 0.8, 0.95, 0.6], np.float32)
    expected = np.array([0.7, 0.4, 0.7, 0.9, 0, 0.6, 0.6], np.float32)
    np.testing.assert_array_equal(place_probabilities(best, links), expected)
    assert place_probabilities(np.zeros(0, int), np.zeros(0)).shape == (0,)
    # Without its weak link, 1 starts a new cluster, with 3.
    sure = remove_improbable_links(best, links, 0.6)
    assert sure.tolist() == [-1, -1, 0, 1, -1, -1, 5]  # the threshold itself is probable enough
    assert (
        remove_improbable_links(best, links, 0.0) is not best
        and remove_improbable_links(best, links, 0.0).tolist() == best.tolist()
    )
    starts = np.arange(7)
    assert clusters_of(starts, starts, sure) == [[(0, 0), (2, 2)], [(1, 1), (3, 3)], [(5, 5), (6, 6)]]
    np.testing.assert_array_equal(
        place_probabilities(sure, links), np.array([0.7, 0.9, 0.7, 0.9, 0, 0.6, 0.6], np.float32)
    )


def expected_probabilities(prediction, calibration):
    """The slow oracle, applied to the whole table of antecedents."""
    return slow_probabilities(prediction.output.antecedents, calibration)


@pytest.mark.parametrize("details", [False, True])
def test_predictions_use_the_calibration_of_the_checkpoint(predictor, documents, details):
    assert predictor.calibration == FIT
    several = 0
    for document in documents:
        prediction = predictor.predict(document, details)
        whole = predictor.predict(document, details=True)
        best, links, places = expected_probabilities(whole, FIT)
        np.testing.assert_allclose(
            prediction.place_probabilities, place_probabilities(best, places), rtol=1e-5
        )
        np.testing.assert_allclose(prediction.link_probabilities, np.where(best < 0, 0, links), rtol=1e-5)
        np.testing.assert_array_equal(whole.details()["link_probabilities"], whole.link_probabilities)
        np.testing.assert_array_equal(whole.details()["place_probabilities"], whole.place_probabilities)
        summary = prediction.summary()
        assert list(map(len, summary["predicted_probabilities"])) == list(map(len, prediction.clusters))
        for spans, values in zip(prediction.clusters, summary["predicted_probabilities"], strict=True):
            numbers = [prediction.top_spans.index(span) for span in spans]
            np.testing.assert_allclose(values, prediction.place_probabilities[numbers], atol=1e-6)
            several += len(spans)
    assert several > 10


def test_without_a_calibration_probabilities_are_the_softmax_of_the_scores(predictor, documents):
    plain = Predictor(predictor.model, predictor.tensorizer)
    prediction = plain.predict(documents[0], details=True)
    best, _, places = expected_probabilities(prediction, Calibration(1.0, 0.0))
    np.testing.assert_allclose(prediction.place_probabilities, place_probabilities(best, places), rtol=1e-5)


def test_the_dial_removes_improbable_links(predictor, experiment, documents, monkeypatch):
    cut = 0
    before = [predictor.predict(document, details=True) for document in documents]
    for least in (0.0, 0.3, 0.6, 1.0):
        monkeypatch.setattr(predictor, "min_probability", least)
        for document, whole in zip(documents, before, strict=True):
            found = predictor.predict(document)
            best, _, places = expected_probabilities(whole, FIT)
            expected = np.where(places.astype(np.float32) < least, -1, best)
            np.testing.assert_array_equal(found.antecedents, expected)
            starts, ends = np.array(found.top_spans, int).reshape(-1, 2).T
            assert found.clusters == clusters_of(starts, ends, expected)
            assert (found.antecedent_scores[expected < 0] == 0).all()
            assert (found.link_probabilities[expected < 0] == 0).all()
            assert all(
                found.place_probabilities[found.top_spans.index(s)] >= least
                for c in found.clusters
                for s in c
            )
            cut += (best != expected).sum()
            if not least:
                assert found.clusters == whole.clusters
    assert cut > 10
    assert Predictor.from_models([open_experiment(experiment)], min_probability=0.25).min_probability == 0.25


def test_an_ensemble_averages_the_calibrations(experiment, documents, tmp_path):
    other = dataclasses.replace(experiment, name="other", log_root=tmp_path)
    write_checkpoint(best_checkpoint_path(other), read_checkpoint(best_checkpoint_path(experiment)))
    calibrate(other, Calibration(0.8, 1.0))
    both = Predictor.from_models([open_experiment(experiment), open_experiment(other)], min_probability=0.4)
    assert both.calibration == pytest.approx(Calibration.mean([FIT, Calibration(0.8, 1.0)]))
    prediction = both.predict(documents[0], details=True)
    best, _, places = expected_probabilities(prediction, both.calibration)
    expected = place_probabilities(remove_improbable_links(best, places, 0.4), places)
    np.testing.assert_allclose(prediction.place_probabilities, expected, rtol=1e-5)


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), True, "0.5", None])
def test_an_invalid_probability_is_a_one_line_error(value):
    with pytest.raises(CorefError, match=r"^expected a probability from 0 to 1, such as 0\.5\. Received: "):
        Predictor.from_models([], min_probability=value)
