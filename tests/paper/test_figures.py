"""Figures 3 and 4 of the paper: hand-computed measures, tables and commands."""

import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from command import import_reference
from random_documents import REFERENCE, small_experiment

import paper.__main__ as command
from coref_tf.documents import Document
from coref_tf.support.errors import CorefError
from paper import figure3, figure4
from paper.readings import Reading
from paper.section7 import write_section7

FERRY = Path(__file__).parent.parent / "fixtures" / "ferry.v4_gold_conll"

# The sentence is (S (NP She) (VP saw (NP the old town))); its gold mentions are "She" and "the old town".
TOWN = Document(
    "nw/town",
    [["She", "saw", "the", "old", "town"]],
    clusters=[[(0, 0)], [(2, 4)]],
    pos=[["PRP", "VBD", "DT", "JJ", "NN"]],
    parse=[["(S(NP*)", "(VP*", "(NP*", "*", "*)))"]],
)


def reading(scores: dict[tuple[int, int], float], head_scores=(0, 0, 0, 0, 1)) -> Reading:
    """The Reading of TOWN in which spans have the given scores."""
    spans = sorted(scores)
    starts, ends = (np.array(places, np.int32) for places in zip(*spans, strict=True))
    values = np.array([scores[span] for span in spans], np.float32)
    return Reading(TOWN, starts, ends, values, np.array(head_scores, np.float32))


SCORES = {(0, 0): 5, (2, 4): 1, (1, 2): 3, (3, 4): 2, (2, 3): 0}


def test_recall_counts_the_gold_mentions_left_after_pruning():
    coverages = figure3.measure_model([reading(SCORES)], [0.1, 0.2, 0.4, 0.6, 1.0])
    # With five words, 0, 1, 2, 3 and 5 spans may be kept; (2, 4) and (2, 3) cross the second best, (1, 2).
    assert [coverage.recall for coverage in coverages.values()] == [0.0, 50.0, 50.0, 50.0, 50.0]
    assert [coverage.spans_per_word for coverage in coverages.values()] == [0.0, 0.2, 0.4, 0.6, 0.6]
    better = SCORES | {(2, 4): 4}
    assert figure3.measure_model([reading(better)], [0.4])[0.4] == (0.4, 100.0)


def test_the_rules_are_measured_only_if_all_documents_have_parses():
    assert figure3.measure_rules([TOWN]) == (0.4, 100.0)
    assert figure3.measure_rules([TOWN, Document("nw/bare", [["Rome"]])]) is None


def test_rows_of_figure_3_have_the_published_figures_if_there_are_any():
    rows = figure3.table({0.35: figure3.Coverage(0.34, 80.0), 0.4: figure3.Coverage(0.4, 90.0)}, None)
    assert rows == [("model", 0.35, 0.34, 80.0, None, None), ("model", 0.4, 0.4, 90.0, 0.4, 92.67)]
    assert figure3.table({}, figure3.Coverage(0.3, 85.0)) == [("rules", None, 0.3, 85.0, 0.2648, 89.24)]


def test_constituents_are_phrases_and_words():
    assert figure4.constituent_heads(TOWN) == {
        (0, 4): 1, (0, 0): 0, (1, 4): 1, (1, 1): 1, (2, 4): 4, (2, 2): 2, (3, 3): 3, (4, 4): 4,
    }  # fmt: skip


def test_agreement_by_width():
    kept = reading(SCORES | {(2, 4): 4})  # keeps (0, 0), (2, 4) and, nested in it, (3, 4)
    agreements = figure4.measure([kept], 0.6, max_width=4)
    assert agreements == {
        1: (1, 100.0, 100.0, 50.0),
        2: (1, 0.0, None, 0.0),
        3: (1, 100.0, 100.0, 50.0),
        4: (0, None, None, 0.0),
    }
    other = reading(SCORES | {(2, 4): 4}, head_scores=(0, 0, 0, 1, 0))
    assert figure4.measure([other], 0.6, max_width=4)[3] == (1, 100.0, 0.0, 50.0)


def test_frequencies_exclude_gold_mentions_wider_than_max_width():
    assert figure4.measure([reading(SCORES)], 0.6, max_width=2)[1].gold == 100.0


def test_rows_of_figure_4_end_with_the_published_figures():
    rows = figure4.table({1: figure4.Agreement(3, 1.0, 2.0, 3.0), 11: figure4.Agreement(0, None, None, 0.0)})
    assert rows == [(1, 3, 1.0, 2.0, 3.0, 100.0, 100.0, 59.955), (11, 0, None, None, 0.0, None, None, None)]


@pytest.fixture(scope="module")
def conf(tmp_path_factory) -> Path:
    """An experiments file whose experiment `small` has an imported checkpoint of the authors."""
    folder = import_reference(tmp_path_factory.mktemp("reference"))
    return folder / "experiments.conf"


def run(*arguments) -> None:
    command.main([*map(str, arguments)])


def read_table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_the_commands_write_a_table_and_an_image(conf, tmp_path, capsys):
    run("figure3", "small", tmp_path / "new", "--conf", conf, "--data", FERRY)
    rows = read_table(tmp_path / "new" / "figure3.csv")
    assert [row["lambda"] for row in rows][:2] == ["0.1000", "0.1500"] and rows[-1]["spans"] == "rules"
    assert all(float(row["recall %"]) <= 100 for row in rows)
    run("figure4", "small", tmp_path / "new", "--conf", conf, "--data", FERRY)
    rows = read_table(tmp_path / "new" / "figure4.csv")
    assert [row["width"] for row in rows] == ["1", "2", "3", "4"]
    assert rows[0]["constituents %"] == rows[0]["heads attended %"] == "100.0000"
    assert sum(int(row["spans kept"]) for row in rows) == sum(int(0.4 * words) for words in (19, 3, 25))
    for name in ("figure3.png", "figure4.png"):
        assert (tmp_path / "new" / name).read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    assert "rules" in out and "published figures are for OntoNotes English" in out


def test_without_parses_figure_3_has_no_rules_and_figure_4_is_an_error(conf, tmp_path, capsys):
    run("figure3", "small", tmp_path, "--conf", conf, "--data", REFERENCE / "docs.jsonlines")
    assert "rules" not in (tmp_path / "figure3.csv").read_text()
    assert "has no parses, so the figure does not include the rule-based detector" in capsys.readouterr().out
    with pytest.raises(CorefError, match="document nw/harbour_0 has no parses; expected"):
        run("figure4", "small", tmp_path, "--conf", conf, "--data", REFERENCE / "docs.jsonlines")


def test_figure_3_refuses_models_with_given_mentions(monkeypatch, tmp_path):
    model = SimpleNamespace(settings=small_experiment(mentions="oracle"))
    monkeypatch.setattr(command, "open_models", lambda *_: [model])
    with pytest.raises(CorefError, match="its mentions are given"):
        run("figure3", "oracle", tmp_path)


def test_every_command_has_a_summary(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in ("section7", "table4", "figure3", "figure4", "reproduce"))


def test_section_7_is_printed_with_readable_labels(tmp_path, capsys):
    write_section7(small_experiment(train_path=(FERRY,), conll_eval_path=FERRY, test_path=FERRY), tmp_path)
    out = capsys.readouterr().out
    assert (
        "words of the longest" in out
        and "mentions of more than 10 words" in out
        and "_" not in out.partition("\nwrote ")[0]
    )
