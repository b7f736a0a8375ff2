"""The metrics, from the table in kernels/scorer/metrics.h; and the recall, precision and F1 of a metric."""

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
    averaged: bool  # whether it is part of the CoNLL average
    parts: int  # the number of groups of four figures that it is computed from


@functools.cache
def metric_table() -> dict[str, Metric]:
    """Returns the metrics by name, in the usual order; loads the library that defines them."""
    return {row[0]: Metric(*row) for row in algorithms().METRICS}


def flags_of(metrics: Iterable[str]) -> int:
    """Returns the flags that request some metrics from the C++ library."""
    places = list(metric_table())
    return sum(1 << places.index(metric) for metric in metrics)


def check_metrics(metrics: Iterable[str] | None) -> tuple[str, ...]:
    """Returns the requested metrics, all for None, in the usual order; an unknown one is an error."""
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
    """Recall, precision and F1 between 0 and 1; 0/0 is 0, as in the official scorer.

    The four counts may also be arrays, as for bootstrap samples; recall, precision and F1 then are, too.

    Example:
        MetricScore(1, 3, 1, 2).f1          # 0.4
    """

    recall_numerator: float
    recall_denominator: float
    precision_numerator: float
    precision_denominator: float

    @property
    def recall(self) -> float:
        """The fraction of the key that was found."""
        return _ratio(self.recall_numerator, self.recall_denominator)

    @property
    def precision(self) -> float:
        """The fraction of the response that is correct."""
        return _ratio(self.precision_numerator, self.precision_denominator)

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return _ratio(2 * self.precision * self.recall, self.precision + self.recall)

    def as_dict(self) -> dict[str, float]:
        """Returns the numerators, denominators, recall, precision and F1 by name."""
        return _by_name(self)


@dataclasses.dataclass(frozen=True)
class BlancScore:
    """BLANC for predicted mentions (Luo et al. 2014), as defined by the official scorer v8.01.

    A link is a pair of mentions on the same side. It is a coreference link if the two are in one cluster, otherwise a
    non-coreference link, and it is right if the other side has it as the same kind. Recall, precision and F1 of BLANC
    are the means over the two kinds. If the key has no links of one kind, only the other kind counts; if it has none at
    all, BLANC is 0.

    Example:
        BlancScore(MetricScore(1, 4, 1, 1), MetricScore(2, 11, 2, 2)).recall    # (1/4 + 2/11) / 2
    """

    coreference_links: MetricScore
    non_coreference_links: MetricScore

    @property
    def recall(self) -> float:
        """The mean recall of both kinds."""
        return self._mean("recall")

    @property
    def precision(self) -> float:
        """The mean precision of both kinds."""
        return self._mean("precision")

    @property
    def f1(self) -> float:
        """The mean F1 of both kinds, which is not the harmonic mean of BLANC's recall and precision."""
        return self._mean("f1")

    # BLANC is not a fraction of two counts. Like the official scorer, we give it with the denominator 1.
    recall_numerator = recall
    precision_numerator = precision
    recall_denominator = precision_denominator = 1.0

    def as_dict(self) -> dict[str, float | dict[str, float]]:
        """Returns what `MetricScore.as_dict` does, and the same for the two kinds of links."""
        links = {
            "coreference_links": self.coreference_links,
            "non_coreference_links": self.non_coreference_links,
        }
        return {**_by_name(self), **{kind: score.as_dict() for kind, score in links.items()}}

    def _mean(self, name: str) -> float:
        kinds = [self.coreference_links, self.non_coreference_links]
        weights = [1.0 * (kind.recall_denominator != 0) for kind in kinds]
        values = [getattr(kind, name) for kind in kinds]
        return _ratio(weights[0] * values[0] + weights[1] * values[1], weights[0] + weights[1])


def _by_name(score: MetricScore | BlancScore) -> dict[str, float]:
    names = (*MetricScore.__annotations__, "recall", "precision", "f1")
    return {name: getattr(score, name) for name in names}


def _ratio(numerator: float, denominator: float) -> float:
    """Divides; if the denominator is 0, the numerator is, too, and so is the result. Arrays are divided elementwise."""
    return numerator / (denominator + (denominator == 0))
