"""Bootstrap statistics in the report: a planted difference is significant, equal predictions have a p-value of 1."""

import numpy as np
import pytest
from fake_records import done, evaluated, rows

from coref_tf.scoring.intervals import confidence_intervals
from coref_tf.scoring.report import scorer_of
from paper.bootstrap import SAMPLES, Bootstrap
from paper.report import Report


def test_intervals_come_from_10000_samples(steps):
    figures = evaluated(0.6)
    done(steps, "dev-best0", figures)
    bootstrap = Bootstrap(steps)
    assert bootstrap.f1("dev-best0") == figures["average_f1"]
    assert SAMPLES == 10_000
    expected = confidence_intervals(scorer_of(figures), SAMPLES, seed=0)["average_f1"]["f1"]
    assert bootstrap.interval("dev-best0") == pytest.approx(expected)
    assert bootstrap.interval("dev-best1") is None and bootstrap.difference("dev-best1", "dev-best0") is None


def test_a_planted_difference_is_significant_and_its_sign_is_compared(plan, steps):
    done(steps, "dev-best0", evaluated(0.6, seed=1))
    done(steps, "dev-nometa", evaluated(0.3, seed=2))  # worse, as in the paper
    done(steps, "dev-nochar", evaluated(0.9, seed=3))  # better, unlike in the paper
    done(steps, "dev-oracle", evaluated(0.95, seed=4))
    text = Report(plan, steps, quick=False).text()
    table = {row[0]: row[1:] for row in rows(text, "Table 2") + rows(text, "Table 3")}
    for label, agreement, sign in [
        ("− speaker and genre metadata", "agrees", "−"),
        ("− character CNN", "differs", "+"),
        ("oracle mentions", "agrees", "+"),
    ]:
        _, _, difference, interval, p, *_, sign_column = table[label]
        assert p == "< 0.001" and sign_column == agreement
        low, high = interval.split(" to ")
        assert difference[0] == low[0] == high[0] == sign, "the interval does not contain 0"


def test_equal_predictions_have_a_p_value_of_1(plan, steps):
    for name in ("dev-best0", "dev-nochar", "dev-k125"):
        done(steps, name, evaluated(0.6))
    text = Report(plan, steps, quick=False).text()
    for title, label in (("Table 2", "− character CNN"), ("Variants", "K = 125 antecedents instead of 250")):
        [row] = [row for row in rows(text, title) if row[0] == label]
        assert row[3:6] == ["+0.0", "+0.0 to +0.0", "1.000"]


def test_a_difference_by_chance_is_not_significant(plan, steps):
    done(steps, "dev-best0", evaluated(0.6, seed=1))
    done(steps, "dev-nochar", evaluated(0.6, seed=2))
    [row] = [row for row in rows(Report(plan, steps, quick=False).text(), "Table 2") if "CNN" in row[0]]
    assert 0.05 < float(row[5]) <= 1
    low, high = row[4].split(" to ")
    assert low.startswith("−") and high.startswith("+")


def test_five_seeds_have_a_mean_and_a_standard_deviation(plan, steps):
    f1 = []
    for seed in range(5):
        figures = evaluated(0.6, seed)
        f1.append(100 * figures["average_f1"])
        done(steps, f"dev-best{seed}", figures)
    table = rows(Report(plan, steps, quick=False).text(), "Five seeds")
    assert [row[:2] for row in table[2:7]] == [
        [f"best{n}, seed {n}", f"{value:.1f}"] for n, value in enumerate(f1)
    ]
    assert all(" to " in row[2] for row in table[2:7])
    assert table[7][:2] == ["mean of 5", f"{np.mean(f1):.1f}"]
    assert table[8][:2] == ["standard deviation of 5", f"{np.std(f1, ddof=1):.2f}"]


def test_one_seed_has_no_mean_and_no_standard_deviation(plan, steps):
    done(steps, "dev-best3", evaluated(0.6))
    table = rows(Report(plan, steps, quick=False).text(), "Five seeds")
    assert table[7:] == [["mean of 1", "–", ""], ["standard deviation of 1", "–", ""]]


def test_variants_show_their_mention_recall(plan, steps):
    done(steps, "dev-lambda02", evaluated(0.6))
    table = {row[0]: row[1:] for row in rows(Report(plan, steps, quick=False).text(), "Variants")}
    assert table["λ = 0.2 spans per word instead of 0.4"][5:] == ["91.0%", "0.40"]
    assert table["+ contextual words (MiniLM)"] == ["–"] * 7
