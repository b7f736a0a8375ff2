"""GAP: which of two names a pronoun means, in texts of Wikipedia (Webster et al. 2018)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from coref_tf.documents.text import document_from_text
from coref_tf.evaluation.suites.gap_case import FEMININE, MASCULINE, GapCase, Place, read_gap
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring import MetricScore
from coref_tf.scoring.intervals import Interval, draw
from coref_tf.support.table import Table

GROUPS = ("all", MASCULINE, FEMININE)
NOTE = (
    "A name is linked to the pronoun when a mention of the pronoun's cluster overlaps it and not the other name."
    " F/M is the feminine F1 over the masculine one; 1 is fair. 95 %: where a figure lies in most samples of the texts."
)


class GapSuite(Suite):
    """Each text goes through the model as plain text; the clusters then answer for each of the two names."""

    name = "gap"
    title = "GAP"
    argument = "FILE.tsv"
    summary = "which of two names a pronoun means"

    def __init__(self, argument: str):
        self.source = argument
        self.cases = read_gap(argument)
        self.documents = [document_from_text(case.text, case.id) for case in self.cases]

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Precision, recall and F1 over all names, and by the pronoun's gender."""
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
        table = Table("", ["pronouns", "texts", "precision", "recall", "F1", "95 %"], rows)
        figures = {name: score.as_dict() for name, score in scores.items()} | {
            "bias": ratio,
            "intervals": {name: within and within._asdict() for name, within in intervals.items()},
        }
        files = {f"{Path(self.source).stem}.submission.tsv": submission(self.cases, links)}
        return SuiteResult(
            self.name, f"{self.title}: {self.summary}", self.source, figures, [table], [NOTE], files=files
        )


def linked_names(case: GapCase, answer: Answer) -> tuple[bool, bool]:
    """Whether the model's clusters link A and B to the pronoun."""
    offsets = answer.document.offsets or ()
    # The pronoun as the tokenizer has it: the words that it is made of, and no more.
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
    """What GAP's own scorer counts: each of the two names of each text is a yes or no, over all and by gender."""
    return _scores(_counts(cases, links).sum(axis=0))


def gap_intervals(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> dict[str, Interval | None]:
    """The interval of F1, over all and by gender, and of their ratio; None for one that a sample does not have."""
    counts = _counts(cases, links)
    drawn = [_scores(sample) for sample in np.tensordot(draw(len(cases)), counts, axes=1)]
    intervals = {group: Interval.from_values([scores[group].f1 for scores in drawn]) for group in GROUPS}
    ratios = [ratio for scores in drawn if (ratio := bias(scores)) is not None]
    return {**intervals, "bias": Interval.from_values(ratios) if len(ratios) == len(drawn) else None}


def _counts(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> np.ndarray:
    """Of each text, for each group: names that are linked and meant, meant, linked. [texts, groups, 3]"""
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
    """The feminine F1 over the masculine one; None where either is 0, as in GAP's own scorer."""
    feminine, masculine = scores[FEMININE].f1, scores[MASCULINE].f1
    return feminine / masculine if feminine and masculine else None


def submission(cases: Sequence[GapCase], links: Sequence[tuple[bool, bool]]) -> str:
    """The file that GAP's own scorer takes: ID, A-coref and B-coref, without a header."""
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
