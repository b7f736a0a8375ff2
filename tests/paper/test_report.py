"""The report of `make reproduce`: our results beside the published ones, and what is missing."""

import dataclasses

import pytest
import tensorflow as tf
from fake_records import done, evaluated, facts, rows
from tiny_experiments import write_tiny_experiments

from coref_tf.scoring.intervals import Interval
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from paper import published, reproduce
from paper.markdown import mention_text, number, p_value, short_number, signed, signed_interval, table
from paper.plan import PARTS, make_plan
from paper.report import Report
from paper.steps import Steps


def test_obtained_figures_are_beside_published_ones(plan, steps):
    done(steps, "section7", facts(110, 20, 20))
    single, ensemble, nochar = evaluated(0.6), evaluated(0.62, seed=1), evaluated(0.3, seed=2)
    done(steps, "dev-best0", single)
    done(steps, "dev-ensemble", ensemble)
    done(steps, "dev-nochar", nochar)
    done(steps, "test-best0", single)
    text = Report(plan, steps, quick=False).text()
    second = {row[0]: row[1:] for row in rows(text, "Table 2")}
    assert second["dev set"] == [
        "Avg. F1", "95% interval", "Δ", "95% interval of Δ", "p",
        "published (OntoNotes English) Avg. F1", "published Δ", "sign of Δ",
    ]  # fmt: skip
    f1 = {
        name: f"{100 * each['average_f1']:.1f}"
        for name, each in [("0", single), ("5", ensemble), ("c", nochar)]
    }
    assert [second["single model"][place] for place in (0, 5)] == [f1["0"], "67.7"]
    assert second["single model"][2:5] == ["", "", ""] and second["single model"][6:] == ["", ""]
    assert [second["ensemble of five"][place] for place in (0, 5, 6)] == [f1["5"], "69.0", "+1.3"]
    change = 100 * (nochar["average_f1"] - single["average_f1"])
    assert [second["− character CNN"][place] for place in (0, 2, 5, 6, 7)] == [
        f1["c"], f"{change:+.1f}".replace("-", "−"), "66.8", "−0.9", "agrees",
    ]  # fmt: skip
    assert second["− head-finding attention"] == [*["–"] * 5, "66.4", "−1.3", "–"]
    first = rows(text, "Table 1")
    parts = [
        100 * single[metric][part]
        for metric in ("muc", "bcub", "ceafe")
        for part in ("precision", "recall", "f1")
    ]
    assert first[4] == ["single model, obtained", *(f"{part:.1f}" for part in parts), f1["0"]]
    assert first[5][1:] == [f"{figure:.1f}" for figure in published.MAIN_RESULTS["single"]]
    assert "- test-ensemble: not run yet." in text and "- dev-rules: the corpus has no parses" in text
    assert "Comparable with the paper: **no**, the corpus is not OntoNotes English." in text


def test_the_report_says_if_the_corpus_is_the_bundled_sample(plan, steps):
    assert "bundled sample corpus" not in Report(plan, steps, quick=True).text()
    sample = dataclasses.replace(
        plan.experiments["best0"], train_path=(ROOT / "data" / "sample" / "train.jsonlines",)
    )
    plan = dataclasses.replace(plan, experiments=plan.experiments | {"best0": sample})
    assert "This is the bundled sample corpus" in Report(plan, steps, quick=True).text()


def test_only_ontonotes_english_is_comparable(plan, steps):
    done(steps, "section7", facts(2802, 343, 348))
    text = Report(plan, steps, quick=False).text()
    assert "Comparable with the paper: yes" in text and "published (OntoNotes" not in text
    assert rows(text, "Table 2")[0][6] == "published Avg. F1"
    assert rows(text, "Section 7")[2] == ["documents", "2,802", "343", "348", "2,802 / 343 / 348"]
    quick = Report(plan, steps, quick=True).text()
    assert "trained for only a few epochs" in quick and "published (OntoNotes English)" in quick


def test_table_4_and_the_figures_are_shown_once_they_are_done(plan, steps):
    mention = {"words": ["the", "blaze"], "weights": [0.02, 0.98]}
    done(
        steps, "table4", [{"document": "nw/a|b", "mentions": [mention, {"words": ["it"], "weights": [1.0]}]}]
    )
    done(steps, "figure3")
    (plan.folder / "figure3.csv").write_text(
        "spans,lambda,recall %,published recall %\nmodel,0.4000,92.1234,92.6700\n"
    )
    text = Report(plan, steps, quick=False).text()
    assert "the **blaze** (98%) · **it**" in text and "`table4.html`" in text
    assert "![Figure 3" in text and "(figure3.png)" in text
    assert rows(text, "Figure 3")[-1] == ["model", "0.40", "92.12", "92.67"]
    assert "The rule-based detector has no point: " in text
    assert "- figure4: the dev set has no parses to compare with." in text


def test_failures_seeds_machines_and_times_are_reported(plan, steps):
    done(steps, "train-best0", seconds=61)
    steps.failures["train-nochar"] = f"out of luck ({plan.folder}/steps/train-nochar.log)"
    steps.failures["dev-nochar"] = f"{ROOT}/data/gone.txt: no such file"
    text = Report(plan, steps, quick=True).text()
    assert "| train-best0 | done | 1 min 1 s |" in text and "| train-nochar | failed | – |" in text
    assert "- dev-nochar: failed, data/gone.txt: no such file." in text
    assert (
        "Seeds: 0 for best0, 1 for best1, 2 for best2, 3 for best3, 4 for best4; 0 for every other experiment."
        in text
    )
    assert "- Machine: an abacus." in text
    assert "- Time: 1 min 1 s for all steps, which took 2 min 2 s of processor time." in text
    done(steps, "train-best1", machine="a slide rule", jobs=2)
    done(steps, "train-best2", machine="a slide rule")
    text = Report(plan, steps, quick=True).text()
    assert "- Machine of 2 steps: a slide rule.\n- Machine of 1 step: an abacus." in text
    assert "1 min 3 s for all steps (up to 2 ran at a time)," in text


def test_a_report_without_records_names_this_machine(plan, steps):
    assert f"TensorFlow {tf.__version__}" in Report(plan, steps, quick=False).text()


def test_the_report_says_that_quick_figures_mean_little(plan, steps):
    assert "these figures mean little" in Report(plan, steps, quick=True).text()
    assert "these figures mean little" not in Report(plan, steps, quick=False).text()


def test_without_a_test_set_table_1_is_on_the_dev_set(tmp_path):
    plan = make_plan(tmp_path / "out", write_tiny_experiments(tmp_path, test_set=False), quick=False)
    steps = Steps(plan.folder / "steps")
    assert not any(name.startswith("test-") for name in plan.steps), "the dev set is not evaluated twice"
    assert "dev-ensemble" in {step.name for step in plan.steps_of(["table1"])}
    done(steps, "section7", facts(177, 30, 30))
    done(steps, "dev-best0", evaluated(0.6))
    text = Report(plan, steps, quick=False).text()
    assert "## Table 1: results on the dev set\n\nThe corpus has no test set" in text
    assert "- Test set: **none**. The dev set takes its place, so table 1 is on the dev set" in text
    assert rows(text, "Table 1")[4][-1] == f"{100 * evaluated(0.6)['average_f1']:.1f}"
    assert "(177 training documents with 1,000 words and 30 dev documents)" in text


def test_trainings_are_listed(plan, steps):
    run = {"steps": 3540, "epochs": 20, "best_step": 3009, "best_f1": 0.5678, "dev_f1": [0.3] * 20}
    done(steps, "train-best2", run, seconds=4000)
    table = rows(Report(plan, steps, quick=False).text(), "Trainings")
    assert ["best2", "2", "20", "3,540", "3,009", "56.8", "1 h 6 min"] in table
    assert ["nochar", "0", *["–"] * 5] in table


def test_the_report_says_if_there_is_no_early_stopping(plan, steps):
    assert "with early stopping" not in Report(plan, steps, quick=False).text()
    assert "Training: 1 epochs each, of which the one with the highest dev F1 is kept." in (
        Report(plan, steps, quick=False).text()
    )


def test_statements_about_subsets_are_compared(plan, steps):
    done(steps, "section7", facts(177, 30, 30))
    done(steps, "figure3")
    done(steps, "figure4")
    (plan.folder / "figure3.csv").write_text(
        "spans,lambda,spans per word,recall %\nmodel,0.2500,0.25,85.81\nmodel,0.4000,0.4,91.02\nrules,,0.2651,88.4\n"
    )
    (plan.folder / "figure4.csv").write_text(
        "width,spans kept,constituents %,heads attended %\n1,9,100.0,100.0\n2,9,88.1,91.2\n5,9,61.9,75.0\n10,9,40.4,\n"
    )
    found = {row[0]: row[1:] for row in rows(Report(plan, steps, quick=False).text(), "Sections 8 and 9")}
    assert found["gold mentions among the spans kept, λ = 0.4"] == ["92.7%", "91.0%"]
    assert found["gold mentions among the spans kept, λ = 0.25"] == ["88.0%", "85.8%"]
    assert found["gold mentions that the rules find, at their spans per word"] == [
        "89.2% at 0.26",
        "88.4% at 0.27",
    ]
    assert found["spans kept of 2 to 5 words that are constituents"] == ["75 to 90%", "62 to 88%"]
    assert found["spans kept of 10 words that are constituents"] == ["46%", "40%"]
    heads = "constituents of 2 to 10 words whose most attended word is their syntactic head"
    assert found[heads] == ["68 to 93%", "75 to 91%"]
    detector = "gold mentions that a pipeline's detector misses, of the training documents"
    assert found[detector] == ["more than 9%", "8.2%"]


def test_every_published_figure_is_in_the_report(plan, steps):
    text = Report(plan, steps, quick=False).text()
    for figure in [*published.DEV_RESULTS.values(), *sum(published.MAIN_RESULTS.values(), ())]:
        assert f"| {figure:.1f} |" in text


def test_parts_are_parsed():
    assert reproduce.parse_parts(None) == list(PARTS)
    assert reproduce.parse_parts("table2,figure3") == ["table2", "figure3"]
    with pytest.raises(CorefError, match="no part table9; expected some of section7, table1"):
        reproduce.parse_parts("table2,table9")


def test_markdown():
    assert table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | --: |\n| x\\|y | 1 |"
    assert [signed(1.0), signed(0.0), signed(-0.01), signed(-2.0)] == ["+1.0", "+0.0", "−0.0", "−2.0"]
    assert signed_interval(Interval(-0.012, 0.003)) == "−1.2 to +0.3"
    assert [p_value(value) for value in (0.0002, 0.0123, 1.0)] == ["< 0.001", "0.012", "1.000"]
    assert [number(None), number(0.5678, 100), number(0.0123, 100, 2)] == ["–", "56.8", "1.23"]
    assert [short_number(cell) for cell in ("0.4000", "model", "", "92.6712", "420")] == [
        "0.40",
        "model",
        "–",
        "92.67",
        "420",
    ]
    assert mention_text({"words": ["*", "b"], "weights": [0.9, 0.1]}) == "**\\*** b (90%)"
