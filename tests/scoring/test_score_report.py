"""Scores as JSON, and the scorer that they came from."""

import json

import pytest
from test_intervals import system

from coref_tf.scoring import Scorer
from coref_tf.scoring.intervals import confidence_intervals, paired_bootstrap
from coref_tf.scoring.report import report_of, scorer_of
from coref_tf.support.errors import CorefError


def again(scorer: Scorer) -> Scorer:
    return scorer_of(json.loads(json.dumps(report_of(scorer, per_document=True))))


def test_a_report_gives_the_scorer_back():
    scorer = system(1, 0.7)
    read = again(scorer)
    assert read.documents == scorer.documents and read.metrics == scorer.metrics
    assert [figures[:-1] for figures in read.figures] == [figures[:-1] for figures in scorer.figures]
    assert read.result().as_dict() == scorer.result().as_dict()


def test_intervals_from_a_report_are_those_of_the_scorer():
    a, b = system(1, 0.7), system(2, 0.5)
    assert confidence_intervals(again(a), samples=50) == confidence_intervals(a, samples=50)
    assert paired_bootstrap(again(a), again(b), samples=50) == paired_bootstrap(a, b, samples=50)


def test_metrics_that_were_not_requested_stay_away():
    scorer = Scorer(["muc", "blanc"])
    scorer.add([["a", "b"], ["c", "d"]], [["a", "b", "c"]], document="nw/x")
    read = again(scorer)
    assert read.metrics == ("muc", "blanc") and read.result().lea is None
    assert read.result().as_dict() == scorer.result().as_dict()


def test_some_of_the_metrics():
    report = report_of(system(1, 0.7), per_document=True)
    read = scorer_of(report, ["muc", "bcub", "ceafe"])
    assert read.metrics == ("muc", "bcub", "ceafe")
    assert read.result().average_f1 == report["average_f1"]
    with pytest.raises(CorefError, match="unknown metric 'mucus'"):
        scorer_of(report, ["mucus"])


def test_a_report_without_documents_is_refused():
    with pytest.raises(CorefError, match="no scores of single documents; expected a report with them"):
        scorer_of(report_of(system(1, 0.7)))
