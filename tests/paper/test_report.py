"""The report of `make reproduce`: obtained beside published figures, and what is missing."""

import dataclasses
import json

import pytest
import tensorflow as tf
from tiny_experiments import write_tiny_experiments

from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError
from coref_tf.support.files import write_json
from paper import published, reproduce
from paper.markdown import change, mention_text, short_number, table
from paper.plan import EXPERIMENTS, PARTS, QUICK_EPOCHS, make_plan
from paper.report import Report
from paper.steps import Steps


@pytest.fixture
def plan(tmp_path):
    return make_plan(tmp_path / "out", write_tiny_experiments(tmp_path), quick=False)


@pytest.fixture
def steps(plan):
    return Steps(plan.folder / "steps")


def done(steps, name, figures=None, seconds=1.0):
    record = {"command": f"python {name}", "done": True, "figures": figures}
    record |= {"seconds": seconds, "processor_seconds": 2 * seconds}
    write_json(steps.folder / f"{name}.json", record)


def scores(average):
    metric = {"precision": average + 0.01, "recall": average - 0.01, "f1": average}
    return {"muc": metric, "bcub": metric, "ceafe": metric, "average_f1": average}


def facts(train, dev, test):
    of_set = {
        "words": 1000,
        "mean_words": 10.0,
        "longest_words": 99,
        "mentions": 50,
        "clusters": 9,
        "wide_share": 1.5,
    }
    return {
        name: {"documents": count, **of_set}
        for name, count in {"train": train, "dev": dev, "test": test}.items()
    }


def rows(text, title):
    """Returns the cells of the table under a heading."""
    part = text.split(f"## {title}")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_obtained_figures_are_beside_published_ones(plan, steps):
    done(steps, "section7", facts(110, 20, 20))
    done(steps, "dev-best0", scores(0.601))
    done(steps, "dev-ensemble", scores(0.622))
    done(steps, "dev-nochar", scores(0.57))
    done(steps, "test-best0", scores(0.5))
    text = Report(plan, steps, quick=False).text()
    second = rows(text, "Table 2")
    assert second[0] == ["dev set", "Avg. F1", "Δ", "published (OntoNotes English) Avg. F1", "Δ"]
    assert ["ensemble of five", "62.2", "+2.1", "69.0", "+1.3"] in second
    assert ["single model", "60.1", "", "67.7", ""] in second
    assert ["− character CNN", "57.0", "−3.1", "66.8", "−0.9"] in second
    assert ["− head-finding attention", "–", "–", "66.4", "−1.3"] in second
    first = rows(text, "Table 1")
    assert first[4] == ["single model, obtained", *["51.0", "49.0", "50.0"] * 3, "50.0"]
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
    assert rows(text, "Table 2")[0][3] == "published Avg. F1"
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
    assert "the **blaze** (98 %) · **it**" in text and "`table4.html`" in text
    assert "![Figure 3" in text and "(figure3.png)" in text
    assert rows(text, "Figure 3")[-1] == ["model", "0.40", "92.12", "92.67"]
    assert "The rule-based detector has no point: " in text
    assert "- figure4: the dev set has no parses to compare with." in text


def test_failures_seeds_machine_and_times_are_reported(plan, steps):
    done(steps, "train-best0", seconds=61)
    steps.failures["train-nochar"] = "out of luck"
    text = Report(plan, steps, quick=True).text()
    assert "| train-best0 | done | 1 min 1 s |" in text and "| train-nochar | failed | – |" in text
    assert (
        "Seeds: 0 for best0, 1 for best1, 2 for best2, 3 for best3, 4 for best4; 0 for every other experiment."
        in text
    )
    assert (
        f"TensorFlow {tf.__version__}" in text
        and "- Time: 1 min 1 s for all steps, which took 2 min 2 s of processor time." in text
    )


def test_every_published_figure_is_in_the_report(plan, steps):
    text = Report(plan, steps, quick=False).text()
    for figure in [*published.DEV_RESULTS.values(), *sum(published.MAIN_RESULTS.values(), ())]:
        assert f"| {figure:.1f} |" in text


def test_the_plan_has_what_each_part_needs(plan):
    assert {name for parts in PARTS.values() for name in parts} <= set(plan.steps)
    assert [step.name for step in plan.steps_of(["table1"])] == [
        "train-best0", "test-best0", "train-best1", "train-best2", "train-best3", "train-best4", "test-ensemble",
    ]  # fmt: skip
    assert set(plan.steps) == {step.name for step in plan.steps_of(list(PARTS))}, (
        "every step belongs to a part"
    )
    assert {f"train-{name}" for name in EXPERIMENTS} <= {step.name for step in plan.steps_of(list(PARTS))}
    conf = json.loads((plan.folder / "experiments.conf").read_text())
    assert conf["nochar"]["char_embedding_size"] == 0 and conf["best3"]["seed"] == 3


def test_a_folder_with_figures_for_other_settings_is_refused(tmp_path):
    conf = write_tiny_experiments(tmp_path)
    make_plan(tmp_path / "out", conf, quick=False)
    make_plan(tmp_path / "out", conf, quick=False)
    with pytest.raises(CorefError, match="figures for different settings"):
        make_plan(tmp_path / "out", conf, quick=True)
    docs = tmp_path / "docs.jsonlines"
    docs.write_text("".join(docs.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(CorefError, match=r"corpus\.json differs"):
        make_plan(tmp_path / "out", conf, quick=False)


def test_quick_models_have_their_own_folder(tmp_path):
    plan = make_plan(tmp_path / "out", write_tiny_experiments(tmp_path, epochs=70), quick=True)
    assert plan.experiments["best0"].max_epochs == QUICK_EPOCHS
    assert plan.experiments["best0"].log_root == tmp_path / "out" / "logs"


def test_parts_are_parsed():
    assert reproduce.parse_parts(None) == list(PARTS)
    assert reproduce.parse_parts("table2,figure3") == ["table2", "figure3"]
    with pytest.raises(CorefError, match="no part table9; expected some of section7, table1"):
        reproduce.parse_parts("table2,table9")


def test_markdown():
    assert table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | --: |\n| x\\|y | 1 |"
    assert [change(2.0, 1.0), change(1.0, 1.0), change(1.0, 1.01), change(None, 1.0), change(1.0, 3.0)] == [
        "+1.0",
        "",
        "−0.0",
        "–",
        "−2.0",
    ]
    assert [short_number(cell) for cell in ("0.4000", "model", "", "92.6712", "420")] == [
        "0.40",
        "model",
        "–",
        "92.67",
        "420",
    ]
    assert mention_text({"words": ["*", "b"], "weights": [0.9, 0.1]}) == "**\\*** b (90 %)"
