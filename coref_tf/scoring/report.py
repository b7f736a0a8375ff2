"""Scores as JSON values, as `coref score` and `coref evaluate` write with --json, and a scorer from such values."""

from collections.abc import Iterable, Mapping
from typing import Any

from coref_tf.scoring.coref_scores import MENTIONS
from coref_tf.scoring.metrics import MetricScore, metric_table
from coref_tf.scoring.scorer import Scorer
from coref_tf.support.errors import CorefError

_FIGURES = tuple(MetricScore.__annotations__)


def report_of(scorer: Scorer, per_document: bool = False, intervals: dict | None = None) -> dict[str, Any]:
    """Returns the scores of all documents, followed by those of genres and, if requested, of each document."""
    report = scorer.result().as_dict()
    report["genres"] = {genre: scores.as_dict() for genre, scores in scorer.per_genre().items()}
    if per_document:
        report["documents"] = {name: scores.as_dict() for name, scores in scorer.per_document().items()}
    if intervals:
        report["intervals"] = {
            name: {figure: interval._asdict() for figure, interval in figures.items()}
            for name, figures in intervals.items()
        }
    return report


def scorer_of(report: Mapping[str, Any], metrics: Iterable[str] | None = None) -> Scorer:
    """Returns a scorer with the documents of a report; the number of dropped repeats is not in a report, and is 0.

    Args:
        report: What `report_of` returns with `per_document`.
        metrics: Some of the metrics of the report; all by default.

    Example:
        paired_bootstrap(scorer_of(a), scorer_of(b), samples=10000)["average_f1"].p_value
    """
    if not report.get("documents"):
        raise CorefError("the report has no scores of single documents; expected a report with them")
    documents = {name: _figures(scores) for name, scores in report["documents"].items()}
    kept = [name for name in metric_table() if name in report] if metrics is None else metrics
    return Scorer.from_figures(documents, kept)


def _figures(scores: Mapping[str, Any]) -> tuple[float, ...]:
    """Returns the figures of a document as the C++ library returns them: four for each part of each metric."""
    parts = [scores[MENTIONS]]
    for metric in metric_table().values():
        score = scores.get(metric.name)
        if score is None:
            parts += [dict.fromkeys(_FIGURES, 0.0)] * metric.parts
        elif metric.parts == 1:
            parts.append(score)
        else:
            parts += [score["coreference_links"], score["non_coreference_links"]]
    return (*(part[name] for part in parts for name in _FIGURES), 0.0)
