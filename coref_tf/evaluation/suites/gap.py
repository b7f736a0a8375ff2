"""The GAP suite: which of two names a pronoun refers to, in texts from Wikipedia (Webster et al. 2018)."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coref_tf.documents.sources import decode_lines, open_source, refuse
from coref_tf.documents.text import document_from_text
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring import MetricScore
from coref_tf.scoring.intervals import Interval, draw
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.table import Table

COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL",
)  # fmt: skip
FEMININE, MASCULINE = "feminine", "masculine"
GENDERS = dict.fromkeys(["she", "her", "hers"], FEMININE) | dict.fromkeys(["he", "him", "his"], MASCULINE)
_TRUTH = {"true": True, "false": False}
GROUPS = ("all", MASCULINE, FEMININE)
NOTE = (
    "A name is linked to the pronoun if a mention in the pronoun's cluster overlaps it and does not overlap the other"
    " name. F/M: the feminine F1 divided by the masculine F1; 1 is fair. 95%: bootstrap interval over texts."
)


class Place(NamedTuple):
    """text[begin:end]."""

    begin: int
    end: int

    def overlaps(self, other: "Place") -> bool:
        """Returns whether the two have a character in common."""
        return self.begin < other.end and other.begin < self.end


class GapCase(NamedTuple):
    """One text, and which of its two names the pronoun refers to."""

    id: str
    text: str
    pronoun: Place
    names: tuple[Place, Place]  # A and B
    coref: tuple[bool, bool]  # whether the pronoun refers to each

    @property
    def gender(self) -> str:
        """The gender of the pronoun."""
        return GENDERS[self.text[slice(*self.pronoun)].lower()]


def read_gap(path: str | os.PathLike) -> list[GapCase]:
    """Reads the cases from a .tsv file with GAP's columns, which its header lists."""
    with open_source(path) as file:
        lines = decode_lines(file, path, refuse) or []  # rejects binary files
    rows = [line.rstrip("\r\n").split("\t") for line in lines]
    if not rows or tuple(rows[0]) != COLUMNS:
        raise InputError(path, 1, f"not a GAP header; expected the columns {', '.join(COLUMNS)}")
    cases: dict[str, GapCase] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(COLUMNS):
            raise InputError(path, number, f"{len(row)} columns; expected {len(COLUMNS)}, separated by tabs")
        try:
            case = _case(dict(zip(COLUMNS, row, strict=True)))
        except CorefError as error:
            raise InputError(path, number, str(error)) from None
        if case.id in cases:
            raise InputError(path, number, f"duplicate ID {case.id}; expected each ID once")
        cases[case.id] = case
    if not cases:
        raise InputError(path, 1, "has no cases; expected one line per case after the header")
    return list(cases.values())


def _case(row: dict[str, str]) -> GapCase:
    pronoun = _place(row, "Pronoun")
    if row["Pronoun"].lower() not in GENDERS:
        raise CorefError(f"the pronoun is {row['Pronoun']!r}; expected one of {', '.join(GENDERS)}")
    for name in ("A-coref", "B-coref"):
        if row[name].lower() not in _TRUTH:
            raise CorefError(f"{name} is {row[name]!r}; expected TRUE or FALSE")
    names = _place(row, "A"), _place(row, "B")
    coref = _TRUTH[row["A-coref"].lower()], _TRUTH[row["B-coref"].lower()]
    return GapCase(row["ID"], row["Text"], pronoun, names, coref)


def _place(row: dict[str, str], name: str) -> Place:
    offset = row[f"{name}-offset"]
    begin = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else -1
    end = begin + len(row[name])
    if begin < 0 or not row[name] or row["Text"][begin:end] != row[name]:
        raise CorefError(f"{name} is {row[name]!r:.40} at {offset!r:.40}; expected its offset in Text")
    return Place(begin, end)


class GapSuite(Suite):
    """Processes each text as plain text, and checks for both names whether the clusters link them to the pronoun."""

    name = "gap"
    title = "GAP"
    argument = "FILE.tsv"
    summary = "which of two names a pronoun refers to"

    def __init__(self, argument: str):
        self.source = argument
        self.cases = read_gap(argument)
        self.documents = [document_from_text(case.text, case.id) for case in self.cases]

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Computes precision, recall and F1 over all names, and by the gender of the pronoun."""
        links = [linked_names(case, answer) for case, answer in zip(self.cases, answers, strict=True)]
        scores = gap_scores(self.cases, links)
        ratio = bias(scores)
        intervals = gap_intervals(self.cases, links)
        shown = {name: within and within.as_text() for name, within in intervals.items()}
        rows = [
            [name, _count(self.cases, name), *_percents(score), shown[name]] for name, score in scores.items()
        ]
        within = intervals["bias"] and intervals["bias"].as_text(factor=1, decimals=2)
        rows.append(["F/M", None, None, None, "-" if ratio is None else f"{ratio:.2f}", within])
        table = Table("", ["pronouns", "texts", "precision", "recall", "F1", "95%"], rows)
        figures = {name: score.as_dict() for name, score in scores.items()} | {
            "bias": ratio,
            "intervals": {name: within and within._asdict() for name, within in intervals.items()},
        }
        files = {f"{Path(self.source).stem}.submission.tsv": submission(self.cases, links)}
        return SuiteResult(
            self.name, f"{self.title}: {self.summary}", self.source, figures, [table], [NOTE], files=files
        )


def linked_names(case: GapCase, answer: Answer) -> tuple[bool, bool]:
    """Returns whether the model's clusters link A and B to the pronoun."""
    offsets = answer.document.offsets or ()
    # The pronoun in the document's tokens: exactly the tokens that it consists of.
    words = [number for number, (b, e) in enumerate(offsets) if case.pronoun.overlaps(Place(b, e))]
    if not words:
        return False, False
    pronoun = (words[0], words[-1])
    mentions = [
        Place(offsets[start][0], offsets[end][1])
        for cluster in answer.clusters
        if pronoun in cluster
        for start, end in cluster
        if (start, end) != pronoun
    ]
    a, b = case.names
    return _is_linked(a, b, mentions), _is_linked(b, a, mentions)


def _is_linked(name: Place, other: Place, mentions: Iterable[Place]) -> bool:
    return any(mention.overlaps(name) and not mention.overlaps(other) for mention in mentions)


def gap_scores(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> dict[str, MetricScore]:
    """Scores each name of each text as a binary decision, like GAP's own scorer, over all texts and by gender."""
    return _scores(_counts(cases, links).sum(axis=0))


def gap_intervals(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> dict[str, Interval | None]:
    """Returns the intervals of F1, overall and by gender, and of their ratio; None if a sample has no ratio."""
    counts = _counts(cases, links)
    drawn = [_scores(sample) for sample in np.tensordot(draw(len(cases)), counts, axes=1)]
    intervals = {group: Interval.from_values([scores[group].f1 for scores in drawn]) for group in GROUPS}
    ratios = [ratio for scores in drawn if (ratio := bias(scores)) is not None]
    return {**intervals, "bias": Interval.from_values(ratios) if len(ratios) == len(drawn) else None}


def _counts(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> np.ndarray:
    """Counts the names that are both linked and correct, correct, and linked: [texts, groups, 3]."""
    of_texts = [
        [
            sum(gold and ours for gold, ours in zip(case.coref, linked, strict=True)),
            sum(case.coref),
            sum(linked),
        ]
        for case, linked in zip(cases, links, strict=True)
    ]
    belongs = [[group in ("all", case.gender) for group in GROUPS] for case in cases]
    return np.array(of_texts)[:, None, :] * np.array(belongs)[:, :, None]


def _scores(counts: np.ndarray) -> dict[str, MetricScore]:
    return {
        group: MetricScore(right, meant, right, linked)
        for group, (right, meant, linked) in zip(GROUPS, counts.tolist(), strict=True)
    }


def bias(scores: Mapping[str, MetricScore]) -> float | None:
    """Returns the feminine F1 divided by the masculine F1; None if either is 0, as in GAP's own scorer."""
    feminine, masculine = scores[FEMININE].f1, scores[MASCULINE].f1
    return feminine / masculine if feminine and masculine else None


def submission(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> str:
    """Returns the file for GAP's own scorer: ID, A-coref and B-coref, without a header."""
    lines = [
        "\t".join([case.id, *(str(link).upper() for link in linked)])
        for case, linked in zip(cases, links, strict=True)
    ]
    return "".join(f"{line}\n" for line in lines)


def _count(cases: Iterable[GapCase], gender: str) -> int:
    return sum(gender in ("all", case.gender) for case in cases)


def _percents(score: MetricScore) -> list[float]:
    return [100 * value for value in (score.precision, score.recall, score.f1)]


SUITE = GapSuite
