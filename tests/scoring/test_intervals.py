"""Confidence intervals and the paired bootstrap equal those of a slow, straightforward resampling."""

import random

import numpy as np
import pytest

from coref_tf.scoring import Scorer
from coref_tf.scoring.intervals import Interval, confidence_intervals, paired_bootstrap
from coref_tf.support.errors import CorefError


def system(seed: int, quality: float, documents: int = 12) -> Scorer:
    """A Scorer of random responses, in which each mention is in its key cluster with probability `quality`."""
    rng = random.Random(seed)
    scorer = Scorer()
    for document in range(documents):
        key = [[(cluster, i) for i in range(4)] for cluster in range(5)]
        response = [[] for _ in key]
        for mention in (mention for cluster in key for mention in cluster):
            response[mention[0] if rng.random() < quality else rng.randrange(5)].append(mention)
        scorer.add(key, response, document=f"nw/{document}")
    return scorer


def sampled_by_hand(scorer: Scorer, samples: int, seed: int) -> list:
    """The oracle: the scores of samples, each computed by a new Scorer from the documents drawn."""
    count = len(scorer.documents)
    results = []
    for drawn in np.random.default_rng(seed).multinomial(count, [1 / count] * count, size=samples):
        sample = Scorer()
        for figures, times in zip(scorer.figures, drawn, strict=True):
            sample.figures += [figures] * times
        results.append(sample.result())
    return results


def test_intervals_are_quantiles_of_the_samples():
    scorer = system(1, 0.7)
    intervals = confidence_intervals(scorer, samples=200, seed=9)
    samples = sampled_by_hand(scorer, 200, seed=9)
    for name, figure in (("muc", "f1"), ("blanc", "recall"), ("ceafe", "precision"), ("mentions", "f1")):
        values = [getattr(sample[name], figure) for sample in samples]
        assert intervals[name][figure] == pytest.approx(np.quantile(values, [0.025, 0.975]))
    averages = [sample.average_f1 for sample in samples]
    assert intervals["average_f1"]["f1"] == pytest.approx(np.quantile(averages, [0.025, 0.975]))
    low, high = intervals["average_f1"]["f1"]
    assert low < scorer.result().average_f1 < high


def test_intervals_depend_on_the_seed_alone():
    scorer = system(1, 0.7)
    first = confidence_intervals(scorer, samples=50, seed=1)
    assert confidence_intervals(scorer, samples=50, seed=1) == first
    assert confidence_intervals(scorer, samples=50, seed=2) != first


def test_the_interval_of_one_document_is_a_point():
    scorer = system(2, 0.5, documents=1)
    f1 = scorer.result().muc.f1
    assert confidence_intervals(scorer, samples=20)["muc"]["f1"] == pytest.approx(Interval(f1, f1))


def test_only_the_requested_metrics_have_intervals():
    scorer = Scorer(["lea"])
    scorer.add([["a", "b"]], [["a", "b"]])
    assert list(confidence_intervals(scorer, samples=5)) == ["lea", "mentions"]


class TestPairedBootstrap:
    def test_pairs_the_samples(self):
        a, b = system(1, 0.6), system(2, 0.7)
        compared = paired_bootstrap(a, b, samples=300, seed=4)
        pairs = zip(sampled_by_hand(a, 300, seed=4), sampled_by_hand(b, 300, seed=4), strict=True)
        differences = [sample_b.average_f1 - sample_a.average_f1 for sample_a, sample_b in pairs]
        average = compared["average_f1"]
        assert average.difference == b.result().average_f1 - a.result().average_f1 == average.b - average.a
        assert average.interval == pytest.approx(np.quantile(differences, [0.025, 0.975]))
        rarer = min(sum(d <= 0 for d in differences), sum(d >= 0 for d in differences))
        assert average.p_value == min(1, 2 * (rarer + 1) / 301)

    def test_equal_systems_do_not_differ(self):
        same = paired_bootstrap(system(1, 0.6), system(1, 0.6), samples=100)["average_f1"]
        assert (same.difference, same.interval, same.p_value) == (0, (0, 0), 1)

    def test_a_clear_difference_is_significant(self):
        assert paired_bootstrap(system(1, 0.3), system(2, 0.9), samples=1000)["average_f1"].p_value < 0.01

    def test_p_values_of_equally_good_systems_are_spread_out(self):
        pairs = [(system(2 * i, 0.6, documents=25), system(2 * i + 1, 0.6, documents=25)) for i in range(40)]
        p_values = [paired_bootstrap(a, b, samples=200)["average_f1"].p_value for a, b in pairs]
        assert sum(p_value < 0.05 for p_value in p_values) <= 6
        assert 0.35 < np.mean(p_values) < 0.65

    def test_swapping_the_systems_changes_the_sign(self):
        a, b = system(1, 0.6), system(2, 0.7)
        there, back = paired_bootstrap(a, b, samples=100)["lea"], paired_bootstrap(b, a, samples=100)["lea"]
        assert there.difference == -back.difference
        assert there.p_value == back.p_value

    def test_needs_the_same_documents(self):
        with pytest.raises(CorefError, match="scored on different documents"):
            paired_bootstrap(system(1, 0.6), system(1, 0.6, documents=3), samples=10)


def test_no_documents_are_an_error():
    with pytest.raises(CorefError, match="10 samples of 0 documents; expected at least one of each"):
        confidence_intervals(Scorer(), samples=10)
