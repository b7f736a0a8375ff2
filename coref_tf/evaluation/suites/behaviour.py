"""The behaviour suite: short texts that any reader understands, by kind (after CheckList, Ribeiro et al. 2020)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coref_tf.documents import Document
from coref_tf.evaluation.suites.behaviour_case import (
    DIRECTION,
    FUNCTIONALITY,
    INVARIANCE,
    TYPES,
    BehaviourCase,
    read_behaviour,
)
from coref_tf.evaluation.suites.behaviour_check import Outcome, Span, check_case
from coref_tf.evaluation.suites.suite import Answer, ModelFacts, Suite, SuiteResult
from coref_tf.scoring.intervals import Interval, wilson_interval
from coref_tf.support.resources import resources_folder
from coref_tf.support.table import Table

FOLDER = "data/behaviour"
DEV, TEST = HALVES = ("dev", "test")
COLUMNS = ("", "cases", "pass", "95%", "miss a link", "95%", "wrong link", "95%")
TITLES = {
    FUNCTIONALITY: "minimum functionality",
    INVARIANCE: "invariance: other names",
    DIRECTION: "direction: changing a word changes the link",
}
NOTE = (
    "In percent of the cases. A case passes if all required links are found and none is wrong; a case may both miss a"
    " link and have a wrong one. 95%: Wilson interval. groups: cases that differ in one respect. A group of invariance"
    " cases is right if all are answered alike, a group of direction cases if all pass."
)

Judged = Sequence[tuple[BehaviourCase, Outcome]]


class BehaviourSuite(Suite):
    """Cases of many kinds, each of which passes or fails; one half is for development, the other for testing."""

    name = "behaviour"
    title = "Behaviour"
    argument = "dev|test|FILE|FOLDER"
    default = DEV
    summary = "short texts in which any reader knows who is who"

    def __init__(self, argument: str):
        self.source = argument
        self.cases = read_behaviour(
            resources_folder() / FOLDER / argument if argument in HALVES else argument
        )
        self.documents: list[Document] = [case.document for case in self.cases]

    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Counts the cases that pass, miss a link or have a wrong link, by kind and by type."""
        clusters = [answer.clusters for answer in answers]
        judged = [(case, check_case(case, found)) for case, found in zip(self.cases, clusters, strict=True)]
        kinds = dict.fromkeys(case.kind for case in self.cases)
        figures: dict[str, Any] = {
            "all": outcome_figures(judged),
            "kinds": {
                kind: outcome_figures([item for item in judged if item[0].kind == kind]) for kind in kinds
            },
            "types": {
                name: type_figures(name, judged) for name in TYPES if any(c.type == name for c, _ in judged)
            },
        }
        failures = [
            describe_failure(case, outcome, found)
            for (case, outcome), found in zip(judged, clusters, strict=True)
            if not outcome.passed
        ]
        return SuiteResult(
            self.name,
            f"{self.title}: {self.summary}",
            self.source,
            figures | {"failures": failures},
            [_kinds_table(figures), _types_table(figures["types"])],
            [NOTE],
            page_tables=[_failures_table(failures)],
        )


def outcome_figures(judged: Judged) -> dict[str, Any]:
    """Returns how many cases pass, miss a link and have a wrong link, as counts, fractions and intervals."""
    outcomes = [outcome for _, outcome in judged]
    counts = {
        "pass": sum(outcome.passed for outcome in outcomes),
        "miss": sum(bool(outcome.missed) for outcome in outcomes),
        "wrong": sum(bool(outcome.wrong) for outcome in outcomes),
    }
    figures: dict[str, Any] = {"cases": len(outcomes)}
    for name, count in counts.items():
        interval = wilson_interval(count, len(outcomes))._asdict()
        figures[name] = {"count": count, "share": count / len(outcomes), "interval": interval}
    return figures


def type_figures(name: str, judged: Judged) -> dict[str, Any]:
    """Returns the results for the cases of a type and, if they form groups, how many groups are correct."""
    own = [(case, outcome) for case, outcome in judged if case.type == name]
    groups: dict[tuple[str, str | None], list[Outcome]] = {}
    for case, outcome in own:
        groups.setdefault((case.kind, case.group), []).append(outcome)
    if name == FUNCTIONALITY:
        return outcome_figures(own)
    right = sum(_is_right_group(name, outcomes) for outcomes in groups.values())
    return outcome_figures(own) | {"groups": len(groups), "groups_right": right}


def _is_right_group(name: str, outcomes: Iterable[Outcome]) -> bool:
    if name == INVARIANCE:
        return len({outcome.partition for outcome in outcomes}) == 1
    return all(outcome.passed for outcome in outcomes)


def describe_failure(
    case: BehaviourCase, outcome: Outcome, clusters: Iterable[Sequence[Span]]
) -> dict[str, Any]:
    """Describes a failed case: its text, the expected and the predicted clusters, and the errors."""
    document = case.document
    expected: dict[str, list[Span]] = {}
    for mention in case.mentions:
        expected.setdefault(mention.entity, []).append(mention.span)
    return {
        "case": case.id,
        "type": case.type,
        "text": document.text,
        "expected": {entity: _in_words(document, spans) for entity, spans in expected.items()},
        "found": [_in_words(document, cluster) for cluster in clusters],
        "missed": _in_words(document, outcome.missed),
        "wrong": [_in_words(document, cluster) for cluster in outcome.wrong],
    }


def _in_words(document: Document, spans: Iterable[Span]) -> list[str]:
    return [" ".join(document.words[start : end + 1]) for start, end in spans]


def _kinds_table(figures: Mapping[str, Any]) -> Table:
    rows = [_row(kind, of_kind) for kind, of_kind in figures["kinds"].items()]
    return Table("", COLUMNS, [*rows, _row("all", figures["all"])])


def _types_table(types: Mapping[str, Any]) -> Table:
    rows = [
        [*_row(TITLES[name], figures), figures.get("groups"), figures.get("groups_right")]
        for name, figures in types.items()
    ]
    return Table("", [*COLUMNS, "groups", "groups right"], rows)


def _row(name: str, figures: Mapping[str, Any]) -> list[Any]:
    row: list[Any] = [name, figures["cases"]]
    for part in ("pass", "miss", "wrong"):
        row += [100 * figures[part]["share"], Interval(**figures[part]["interval"]).as_text()]
    return row


def _failures_table(failures: Sequence[Mapping[str, Any]]) -> Table:
    """Returns the failures as a table for the page; long texts are abridged in the middle."""
    rows = [
        [
            failure["case"],
            _shorten(failure["text"]),
            _clusters_text(f"{entity}: {', '.join(words)}" for entity, words in failure["expected"].items()),
            _clusters_text(", ".join(words) for words in failure["found"]),
            "; ".join(
                [f"missed: {', '.join(failure['missed'])}"] * bool(failure["missed"])
                + [f"wrong: {', '.join(words)}" for words in failure["wrong"]]
            ),
        ]
        for failure in failures
    ]
    return Table(
        "Cases that failed", ["case", "text", "expected", "found", "what is wrong"], rows, prose=True
    )


def _clusters_text(clusters: Iterable[str]) -> str:
    return " ".join(f"[{cluster}]" for cluster in clusters)


def _shorten(text: str, longest: int = 900) -> str:
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"


SUITE = BehaviourSuite
