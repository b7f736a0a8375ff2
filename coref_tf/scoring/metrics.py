"""Which metrics there are, by the table of kernels/scorer/metrics.h; and one metric's recall, precision and F1."""

import dataclasses
import functools
from collections.abc import Iterable
from typing import NamedTuple

from coref_tf.support.errors import CorefError
from coref_tf.support.libraries import algorithms


class Metric(NamedTuple):
    """A row of that table."""

    name: str
    title: str  # in tables
    averaged: bool  # whether the CoNLL average has it
    parts: int  # how many times four figures it comes from


@functools.cache
def metric_table() -> dict[str, Metric]:
    """The metrics by name, in the usual order; loads the library that has them."""
    return {row[0]: Metric(*row) for row in algorithms().METRICS}


def flags_of(metrics: Iterable[str]) -> int:
    """How the C++ part is asked for some of them."""
    places = list(metric_table())
    return sum(1 << places.index(metric) for metric in metrics)


def check_metrics(metrics: Iterable[str] | None) -> tuple[str, ...]:
    """The metrics asked for, None for all, in the usual order; an unknown one is an error."""
    known = metric_table()
    if isinstance(metrics, str):
        metrics = [metrics]
    asked = set(known if metrics is None else metrics)
    unknown = sorted(asked.difference(known))
    if unknown or not asked:
        received = f"unknown metric {unknown[0]!r}" if unknown else "no metric"
        raise CorefError(f"{received}; expected some of {', '.join(known)}")
    return tuple(metric for metric in known if metric in asked)


@dataclasses.dataclass(frozen=True)
class MetricScore:
    """Recall, precision and F1 between 0 and 1. Nothing over nothing is 0, as in the official scorer.

    Example:
        MetricScore(1, 3, 1, 2).f1          # 0.4
    """

    recall_numerator: float
    recall_denominator: float
    precision_numerator: float
    precision_denominator: float

    @property
    def recall(self) -> float:
        """What was found of the key."""
        return _ratio(self.recall_numerator, self.recall_denominator)

    @property
    def precision(self) -> float:
        """What is right of the response."""
        return _ratio(self.precision_numerator, self.precision_denominator)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return _ratio(2 * self.precision * self.recall, self.precision + self.recall)

    def as_dict(self) -> dict[str, float]:
        """The four figures, recall, precision and f1, by their names."""
        return _by_name(self)


@dataclasses.dataclass(frozen=True)
class BlancScore:
    """BLANC for predicted mentions (Luo et al. 2014), as the official scorer v8.01 has it.

    A link is a pair of mentions on the same side. It is a coreference link if the two are in one cluster and
    a non-coreference link otherwise, and right if the other side has it as the same kind. BLANC's recall,
    precision and F1 are each the mean over the two kinds. If the key has no links of one kind, the other
    kind alone counts; if it has none at all, BLANC is 0.

    Example:
        BlancScore(MetricScore(1, 4, 1, 1), MetricScore(2, 11, 2, 2)).recall    # (1/4 + 2/11) / 2
    """

    coreference_links: MetricScore
    non_coreference_links: MetricScore

    @property
    def recall(self) -> float:
        """The mean of both kinds' recall."""
        return self._mean("recall")

    @property
    def precision(self) -> float:
        """The mean of both kinds' precision."""
        return self._mean("precision")

    @property
    def f1(self) -> float:
        """The mean of both kinds' F1, which is not the harmonic mean of BLANC's recall and precision."""
        return self._mean("f1")

    # BLANC is no fraction of two counts. The official scorer prints it over 1, and so do we.
    recall_numerator = recall
    precision_numerator = precision
    recall_denominator = precision_denominator = 1.0

    def as_dict(self) -> dict[str, float | dict[str, float]]:
        """What `MetricScore.as_dict` has, and the same for the two kinds of links."""
        links = {
            "coreference_links": self.coreference_links,
            "non_coreference_links": self.non_coreference_links,
        }
        return {**_by_name(self), **{kind: score.as_dict() for kind, score in links.items()}}

    def _mean(self, name: str) -> float:
        kinds = [self.coreference_links, self.non_coreference_links]
        values = [getattr(kind, name) for kind in kinds if kind.recall_denominator]
        return sum(values) / len(values) if values else 0.0


def _by_name(score: MetricScore | BlancScore) -> dict[str, float]:
    names = (*MetricScore.__annotations__, "recall", "precision", "f1")
    return {name: getattr(score, name) for name in names}


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0
