"""GAP: which of two names a pronoun means, in texts of Wikipedia (Webster et al. 2018)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from coref_tf.documents.text import document_from_text
from coref_tf.evaluation.suites.gap_case import FEMININE, MASCULINE, GapCase, Place, read_gap
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring import MetricScore
from coref_tf.support.table import Table

NOTE = (
    "A name is linked to the pronoun when a mention of the pronoun's cluster overlaps it and not the other name."
    " F/M is the feminine F1 over the masculine one; 1 is fair."
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
        rows = [
            [name, len(self.cases) if name == "all" else _count(self.cases, name), *_percents(score)]
            for name, score in scores.items()
        ]
        rows.append(["F/M", None, None, None, "-" if ratio is None else f"{ratio:.2f}"])
        table = Table("", ["pronouns", "texts", "precision", "recall", "F1"], rows)
        figures = {name: score.as_dict() for name, score in scores.items()} | {"bias": ratio}
        files = {f"{Path(self.source).stem}.submission.tsv": submission(self.cases, links)}
        return SuiteResult(
            self.name, f"{self.title}: {self.summary}", self.source, figures, [table], [NOTE], files=files
        )


def linked_names(case: GapCase, answer: Answer) -> tuple[bool, bool]:
    """Whether the model's clusters link A and B to the pronoun."""
    offsets = answer.document.offsets
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
    scores = {}
    for group in ("all", MASCULINE, FEMININE):
        pairs = [
            pair
            for case, linked in zip(cases, links, strict=True)
            if group in ("all", case.gender)
            for pair in zip(case.coref, linked, strict=True)
        ]
        right = sum(gold and ours for gold, ours in pairs)
        scores[group] = MetricScore(
            right, sum(gold for gold, _ in pairs), right, sum(ours for _, ours in pairs)
        )
    return scores


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
    return sum(case.gender == gender for case in cases)


def _percents(score: MetricScore) -> list[float]:
    return [100 * value for value in (score.precision, score.recall, score.f1)]


SUITE = GapSuite
