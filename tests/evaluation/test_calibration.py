"""Calibration of probabilities: derivatives, recovery of a known calibration, and the calibration error."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.decoding import best_antecedents, clusters_of, first_of_cluster
from coref_tf.documents import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.fit import _likelihood, fit, log_likelihood
from coref_tf.evaluation.calibration.reliability import (
    chance_error,
    decision_probabilities,
    reliability,
    reliability_of,
)
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.losses import gold_antecedents, gold_clusters, marginal_loss
from coref_tf.models.calibration import Calibration
from coref_tf.support.errors import CorefError


def random_prediction(seed, words=30, antecedents=6):
    """Returns a prediction with random scores for a document with random gold clusters."""
    generator = np.random.default_rng(seed)
    spans = [(n, n) for n in range(words) if generator.random() < 0.8]
    clusters = {}
    for span in spans:
        if generator.random() < 0.6:
            clusters.setdefault(generator.integers(4), []).append(span)
    document = Document("nw/a", [["w"] * words], clusters=list(clusters.values()))
    indices = np.zeros([len(spans), antecedents], np.int32)
    scores = np.full([len(spans), 1 + antecedents], -np.inf, np.float32)
    scores[:, 0] = 0
    lengths = np.minimum(np.arange(len(spans)), antecedents).astype(np.int32)
    for span, length in enumerate(lengths):
        indices[span, :length] = np.arange(span - length, span)
        scores[span, 1 : 1 + length] = generator.normal(scale=3, size=length)
    output = SimpleNamespace(antecedents=SimpleNamespace(indices=indices, lengths=lengths, scores=scores))
    return SimpleNamespace(document=document, top_spans=spans, output=output, require_output=lambda: output)


def sampled_decisions(temperature, offset, spans=20_000, seed=0):
    """Returns decisions whose correct antecedents are sampled from the probabilities of a given calibration."""
    generator = np.random.default_rng(seed)
    scores = generator.normal(scale=3, size=[spans, 5])
    scores[:, 0] = 0
    scores[: spans // 4, 3:] = -np.inf
    probabilities = Calibration(temperature, offset).probabilities(scores)
    answers = (generator.random([spans, 1]) > probabilities.cumsum(axis=1)).sum(axis=1)
    gold = np.arange(5) == answers[:, None]
    chosen = scores.argmax(axis=1)
    place = np.arange(5) == chosen[:, None]
    return Decisions(scores, gold, place, chosen > 0, chosen == answers, np.zeros(len(chosen), np.int64))


def test_gold_decisions_equal_those_of_the_loss():
    for seed in range(5):
        made = random_prediction(seed)
        decisions = Decisions.from_prediction(made)
        starts, ends = np.array(made.top_spans, np.int32).T
        mentions = [(s, e, n) for n, c in enumerate(made.document.clusters, 1) for s, e in c]
        known = gold_clusters(starts, ends, *np.array(mentions, np.int32).T)
        antecedents = Antecedents(*map(tf.constant, vars(made.output.antecedents).values()))
        gold = gold_antecedents(known, antecedents)
        np.testing.assert_array_equal(decisions.gold, gold.numpy())
        loss = marginal_loss(antecedents.scores, gold).numpy()
        assert -log_likelihood(decisions, Calibration()) * len(starts) == pytest.approx(loss, rel=1e-5)


def test_decisions_agree_with_the_clusters():
    made = random_prediction(1)
    decisions = Decisions.from_prediction(made)
    antecedents = made.output.antecedents
    best = best_antecedents(antecedents.indices, antecedents.scores)
    clusters = clusters_of(*np.array(made.top_spans).T, best)
    together = {frozenset((a, b)) for c in clusters for a in c for b in c}
    for span in range(len(best)):
        assert decisions.links[span] == (best[span] >= 0) != decisions.place[span, 0]
        for column, other in enumerate(antecedents.indices[span, : antecedents.lengths[span]], start=1):
            same = frozenset((made.top_spans[span], made.top_spans[other])) in together
            assert decisions.place[span, column] == (same and best[span] >= 0)
        gold = [set(c) for c in made.document.clusters]
        if best[span] >= 0:
            pair = {made.top_spans[span], made.top_spans[best[span]]}
            assert decisions.right[span] == any(pair <= cluster for cluster in gold)
    assert first_of_cluster(np.array([-1, 0, -1, 1, 2])).tolist() == [0, 0, 2, 0, 2]


def test_derivatives_equal_finite_differences():
    decisions = Decisions.joined(
        [Decisions.from_prediction(random_prediction(seed, antecedents=4 + seed)) for seed in range(3)]
    )
    assert decisions.scores.shape[1] == 7
    at, small = np.array([0.7, -0.4]), 1e-5
    exact = _likelihood(decisions, at)
    for axis in range(2):
        step = small * np.eye(2)[axis]
        above, below = _likelihood(decisions, at + step), _likelihood(decisions, at - step)
        assert exact.gradient[axis] == pytest.approx((above.value - below.value) / (2 * small), abs=1e-7)
        difference = (above.gradient - below.gradient) / (2 * small)
        np.testing.assert_allclose(exact.curvature[axis], difference, atol=1e-6)


@pytest.mark.parametrize(("temperature", "offset"), [(1.0, 0.0), (2.5, 1.0), (0.5, -0.8)])
def test_the_fit_recovers_the_calibration_of_sampled_answers(temperature, offset):
    decisions = sampled_decisions(temperature, offset)
    found = fit(decisions)
    assert found.temperature == pytest.approx(temperature, rel=0.05)
    assert found.offset == pytest.approx(offset, abs=0.08)
    assert log_likelihood(decisions, found) >= log_likelihood(decisions, Calibration(temperature, offset))
    # The fitted probabilities are correct for answers that the fit has not seen.
    others = sampled_decisions(temperature, offset, seed=1)
    assert reliability_of(others, found).error < 0.015
    if temperature != 1:
        assert reliability_of(others, found).error < reliability_of(others, Calibration()).error / 3


def test_the_fit_is_a_maximum_of_the_likelihood():
    decisions = Decisions.joined([Decisions.from_prediction(random_prediction(seed)) for seed in range(20)])
    found = fit(decisions)
    best = log_likelihood(decisions, found)
    generator = random.Random(0)
    for _ in range(50):
        near = Calibration(
            found.temperature * generator.uniform(0.5, 2), found.offset + generator.uniform(-1, 1)
        )
        assert log_likelihood(decisions, near) <= best + 1e-12


def test_documents_without_clusters_or_words():
    bare = random_prediction(0)
    bare.document = bare.document.with_clusters([])
    with pytest.raises(CorefError, match="expected documents with gold clusters"):
        fit(Decisions.from_prediction(bare))
    with pytest.raises(CorefError, match="0 of the 0 kept spans"):
        fit(Decisions.joined([]))
    empty = random_prediction(0, words=0, antecedents=0)
    assert Decisions.joined(
        [Decisions.from_prediction(empty), Decisions.from_prediction(bare)]
    ).scores.shape == (
        len(bare.top_spans),
        7,
    )


def test_the_calibration_error_by_hand():
    measured = reliability(np.array([0.95, 0.91, 0.62, 0.0, 1.0]), np.array([True, False, True, False, True]))
    assert measured.counts.tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 0, 3]
    assert measured.error == pytest.approx((3 * abs(2.86 / 3 - 2 / 3) + 0.38 + 0) / 5)
    assert reliability(np.zeros(0), np.zeros(0, bool)).error == 0


def test_chance_error_equals_that_of_exact_probabilities():
    found = Calibration(1.7, 0.3)
    # Answers sampled from the probabilities have only the error of chance, which is larger for fewer answers.
    errors = {
        spans: np.mean(
            [reliability_of(sampled_decisions(*found, spans, seed), found).error for seed in range(30)]
        )
        for spans in (100, 2000)
    }
    for spans, error in errors.items():
        assert chance_error(sampled_decisions(*found, spans), found) == pytest.approx(error, rel=0.15)
    assert errors[100] > 3 * errors[2000]
    nothing = Decisions.joined([])
    assert chance_error(nothing, found) == chance_error(nothing, found, links_only=True) == 0


def test_the_probability_of_a_place_sums_over_its_antecedents():
    scores = np.log(np.array([[1.0, 2.0, 3.0, 2.0], [6.0, 1.0, 1.0, 0.0]]) + 1e-300)
    place = np.array([[False, True, True, False], [True, False, False, False]])
    decisions = Decisions(
        scores, place, place, np.array([True, False]), np.array([True, True]), np.zeros(2, int)
    )
    np.testing.assert_allclose(decision_probabilities(decisions, Calibration()), [5 / 8, 6 / 8])
    hotter = Calibration(temperature=2.0, offset=1.0).probabilities(scores)
    weights = np.sqrt([1.0, 2.0, 3.0, 2.0]) * [np.e, 1, 1, 1]
    np.testing.assert_allclose(hotter[0], weights / weights.sum())
