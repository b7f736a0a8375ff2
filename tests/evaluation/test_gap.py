"""GAP: links between names and pronouns, and scores as in the official scorer."""

import numpy as np
import pytest
from answers import FACTS, Answer, span

from coref_tf.evaluation.suites.gap import (
    COLUMNS,
    GapSuite,
    bias,
    gap_intervals,
    gap_scores,
    linked_names,
    read_gap,
)
from coref_tf.support.errors import CorefError

ROWS = [  # ID, Text, Pronoun, A, A-coref, B, B-coref
    ("t-1", "Ana Ruiz met Bea Lund when she was ten.", "she", "Ana Ruiz", "TRUE", "Bea Lund", "FALSE"),
    ("t-2", "Tom Ash saw his friend Ben Oak.", "his", "Tom Ash", "TRUE", "Ben Oak", "FALSE"),
    ("t-3", "Ann told Eve that Kim called her.", "her", "Ann", "FALSE", "Eve", "FALSE"),
    ("t-4", "Leo, or Leopold as he signs, left.", "he", "Leo", "TRUE", "Leopold", "TRUE"),
]


def write(folder, rows=ROWS, header=COLUMNS):
    path = folder / "gap-test.tsv"
    lines = ["\t".join(header)]
    for name, text, pronoun, a, a_coref, b, b_coref in rows:
        places = [
            str(text.index(f" {pronoun}") + 1),
            str(text.index(a)),
            str(text.index(b, text.index(a) + 1)),
        ]
        lines.append(
            "\t".join([name, text, pronoun, places[0], a, places[1], a_coref, b, places[2], b_coref, "u"])
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def link(suite, number, *clusters):
    """Returns the names that clusters, which are given as words, link to the pronoun."""
    case, document = suite.cases[number], suite.documents[number]
    spans = [[span(document, words) for words in cluster] for cluster in clusters]
    return linked_names(case, Answer(document, spans))


def test_what_links_a_name_to_the_pronoun(tmp_path):
    suite = GapSuite(str(write(tmp_path)))
    assert link(suite, 0) == (False, False)  # neither
    assert link(suite, 0, ["Ana Ruiz", "she"]) == (True, False)
    assert link(suite, 0, ["Ana Ruiz", "Bea Lund", "she"]) == (
        True,
        True,
    )  # both, each by its own mention
    assert link(suite, 0, ["Ruiz", "she"]) == (True, False)  # a mention that overlaps the name
    assert link(suite, 0, ["met Bea", "she"]) == (False, True)
    assert link(suite, 0, ["Ana Ruiz met Bea Lund", "she"]) == (
        False,
        False,
    )  # a mention that contains both names
    assert link(suite, 0, ["Ruiz met Bea", "Ana Ruiz", "she"]) == (True, False)
    assert link(suite, 0, ["Ana Ruiz", "Bea Lund"], ["she", "ten"]) == (False, False)  # another cluster
    # A pronoun inside the mention of a name is a different mention, with its own cluster.
    assert link(suite, 1, ["his friend Ben Oak", "Tom Ash"]) == (False, False)
    assert link(suite, 1, ["his friend Ben Oak", "friend"], ["Tom Ash", "his"]) == (True, False)
    assert link(suite, 1, ["his friend Ben Oak", "his"]) == (False, True)
    # A mention of more than the pronoun links nothing.
    assert link(suite, 0, ["Ana Ruiz", "she was"]) == (False, False)


def official_scores(gold_file, submission):
    """Computes GAP's official scores independently: each name of each text is a binary decision."""
    answers = {line.split("\t")[0]: line.split("\t")[1:] for line in submission.splitlines()}
    counts = {}
    for line in gold_file.read_text(encoding="utf-8").splitlines()[1:]:
        row = dict(zip(COLUMNS, line.split("\t"), strict=True))
        gender = "feminine" if row["Pronoun"].lower() in ("she", "her", "hers") else "masculine"
        for gold, ours in zip((row["A-coref"], row["B-coref"]), answers[row["ID"]], strict=True):
            for group in ("all", gender):
                counts.setdefault(group, []).append((gold, ours))
    figures = {}
    for group, pairs in counts.items():
        tp, fp, fn = (pairs.count(pair) for pair in (("TRUE", "TRUE"), ("FALSE", "TRUE"), ("TRUE", "FALSE")))
        precision, recall = tp / (tp + fp) if tp + fp else 0, tp / (tp + fn) if tp + fn else 0
        figures[group] = precision, recall, 2 * precision * recall / (precision + recall or 1)
    return figures


def test_figures_equal_those_of_the_submission(tmp_path):
    path = write(tmp_path)
    suite = GapSuite(str(path))
    clusters = [["Bea Lund", "Ana Ruiz", "she"]], [["Tom Ash", "his"]], [["Eve", "her"]], [["Leo", "he"]]
    answers = [
        Answer(document, [[span(document, words) for words in cluster] for cluster in of_document])
        for document, of_document in zip(suite.documents, clusters, strict=True)
    ]
    result = suite.score(answers, FACTS)
    ((name, submission),) = result.files.items()
    assert name == "gap-test.submission.tsv"
    assert submission.splitlines()[0] == "t-1\tTRUE\tTRUE"
    assert submission.splitlines()[2] == "t-3\tFALSE\tTRUE"
    for group, expected in official_scores(path, submission).items():
        figures = result.figures[group]
        assert (figures["precision"], figures["recall"], figures["f1"]) == pytest.approx(expected)
    # By hand: three of five predicted links are correct, and three of four gold links are found.
    assert result.figures["all"]["precision"] == 3 / 5 and result.figures["all"]["recall"] == 3 / 4
    assert result.figures["masculine"]["f1"] == 0.8 and result.figures["feminine"]["f1"] == 0.5
    assert result.figures["bias"] == 0.625
    text = result.tables[0].as_text()
    assert "60.0    75.0  66.7" in text and "0.62" in text.splitlines()[-1]


def test_nothing_found_has_no_ratio(tmp_path):
    suite = GapSuite(str(write(tmp_path)))
    result = suite.score([Answer(document, []) for document in suite.documents], FACTS)
    assert result.figures["all"]["f1"] == 0 and result.figures["bias"] is None
    assert result.tables[0].as_text().splitlines()[-1].split() == ["F/M", "-"]
    assert result.figures["intervals"]["bias"] is None


def test_intervals_equal_those_of_resampled_texts(tmp_path):
    cases = read_gap(write(tmp_path)) * 25
    links = [(True, True), (True, False), (False, True), (True, False)] * 25
    drawn = np.random.default_rng(7).integers(len(cases), size=(1000, len(cases)))
    samples = [gap_scores([cases[n] for n in sample], [links[n] for n in sample]) for sample in drawn]
    intervals = gap_intervals(cases, links)
    for group in ("all", "masculine", "feminine"):
        expected = np.quantile([scores[group].f1 for scores in samples], [0.025, 0.975])
        assert intervals[group] == pytest.approx(expected, abs=0.02)
    assert intervals["bias"] == pytest.approx(
        np.quantile([bias(scores) for scores in samples], [0.025, 0.975]), abs=0.04
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("A-offset", "offset"), r":1: not a GAP header"),
        (lambda text: text.replace("\tTom Ash\t0", "\tTom Ash\t1"), r":3: A is 'Tom Ash' at '1'; expected its offset"),
        (lambda text: text.replace("\tTom Ash\t0", "\tTom Ash\tx"), r":3: A is 'Tom Ash' at 'x'"),
        (lambda text: text.replace("TRUE", "YES", 1), r":2: A-coref is 'YES'; expected TRUE or FALSE"),
        (lambda text: text.replace("t-2", "t-1"), r":3: duplicate ID t-1"),
        (lambda text: text.replace("\tu\n", "\n", 1), r":2: 10 columns; expected 11"),
        (lambda text: text.replace("\tshe\t", "\twas\t").replace("\t27\t", "\t31\t"), r":2: the pronoun is 'was'"),
        (lambda text: text.splitlines()[0] + "\n", r":1: has no cases"),
        (lambda text: "", r":1: not a GAP header"),
    ],
)  # fmt: skip
def test_errors_name_the_mistake(tmp_path, change, message):
    path = write(tmp_path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(CorefError, match=message):
        read_gap(path)


def test_the_published_questions_are_read(shared):
    cases = read_gap(shared / "data" / "gap" / "gap-validation.tsv")
    assert len(cases) == 454
    assert sum(case.gender == "feminine" for case in cases) == 227
    # With all gold links, P = R = F1 = 1.
    scores = gap_scores(cases, [case.coref for case in cases])
    assert {score.f1 for score in scores.values()} == {1.0} and bias(scores) == 1
