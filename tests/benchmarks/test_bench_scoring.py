"""The benchmark of the scorer compares it with plain Python on the same documents."""

import random

import pytest

from benchmarks import scoring
from benchmarks.plain_metrics import coref_figures
from coref_tf.scoring import score


def test_the_benchmark_compares_the_scorer_with_plain_python():
    rows = scoring.run()
    assert [row["benchmark"] for row in rows] == ["scoring: all metrics", "scoring: muc, bcub, ceafe"]
    for row in rows:
        assert row["documents"] == 30
        assert row["times_faster"] == row["plain_python_seconds"] / row["seconds"] > 0


def test_synthetic_documents_score_as_in_plain_python(monkeypatch, tmp_path):
    monkeypatch.setattr(scoring, "CORPUS", tmp_path / "nowhere")
    name, keys = scoring._corpus()
    assert name.startswith("made up") and len(keys) == 30
    assert 3000 < sum(len(cluster) for key in keys for cluster in key) < 5000
    response = scoring.damaged(keys[0], random.Random(0))
    scores = score(keys[0], response)
    assert 0.4 < scores.average_f1 < 0.9
    assert scores.bcub.recall_numerator == pytest.approx(coref_figures(keys[0], response)["bcub"][0])
