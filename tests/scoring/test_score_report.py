"""Scores are written as JSON values, and a scorer is restored from them."""

import json

import pytest
from test_intervals import system

from coref_tf.scoring import Scorer
from coref_tf.scoring.intervals import confidence_intervals, paired_bootstrap
from coref_tf.scoring.report import report_of, scorer_of
from coref_tf.support.errors import CorefError


def round_trip(scorer: Scorer) -> Scorer:
    return scorer_of(json.loads(json.dumps(report_of(scorer, per_document=True))))


def test_a_scorer_from_a_report_equals_the_original():
    scorer = system(1, 0.7)
    read = round_trip(scorer)
    assert read.documents == scorer.documents and read.metrics == scorer.metrics
    assert [figures[:-1] for figures in read.figures] == [figures[:-1] for figures in scorer.figures]
    assert read.result().as_dict() == scorer.result().as_dict()


def test_intervals_from_a_report_equal_those_of_the_scorer():
    a, b = system(1, 0.7), system(2, 0.5)
    assert confidence_intervals(round_trip(a), samples=50) == confidence_intervals(a, samples=50)
    assert paired_bootstrap(round_trip(a), round_trip(b), samples=50) == paired_bootstrap(a, b, samples=50)


def test_metrics_that_are_not_in_the_report_are_not_computed():
    scorer = Scorer(["muc", "blanc"])
    scorer.add([["a", "b"], ["c", "d"]], [["a", "b", "c"]], document="nw/x")
    read = round_trip(scorer)
    assert read.metrics == ("muc", "blanc") and read.result().lea is None
    assert read.result().as_dict() == scorer.result().as_dict()


def test_metrics_can_be_selected():
    report = report_of(system(1, 0.7), per_document=True)
    read = scorer_of(report, ["muc", "bcub", "ceafe"])
    assert read.metrics == ("muc", "bcub", "ceafe")
    assert read.result().average_f1 == report["average_f1"]
    with pytest.raises(CorefError, match="unknown metric 'mucus'"):
        scorer_of(report, ["mucus"])


def test_a_report_without_documents_is_refused():
    with pytest.raises(CorefError, match="no scores of single documents; expected a report with them"):
        scorer_of(report_of(system(1, 0.7)))
