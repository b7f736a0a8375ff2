"""The scores of one or more documents, by all metrics."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from coref_tf.scoring.metrics import BlancScore, MetricScore, metric_table

MENTIONS = "mentions"
AVERAGE = "average_f1"
_FIGURES_PER_PART = 4


@dataclasses.dataclass(frozen=True)
class CorefScores:
    """Scores by metric, also as attributes; None for a metric that was not requested.

    LEA is defined as by Moosavi and Strube (2016), where a singleton has one link, to itself. `mentions` is mention
    detection: which of the key's mentions are in the response, in any cluster.

    Example:
        scores = score(key, response)
        scores.bcub.precision, scores.average_f1, scores["lea"].f1
    """

    mentions: MetricScore
    by_metric: Mapping[str, MetricScore | BlancScore]

    @classmethod
    def from_figures(cls, figures: Sequence[float], metrics: Iterable[str]) -> "CorefScores":
        """Creates the scores from the figures of the C++ library for a document, or their sums over documents."""
        parts = (
            MetricScore(*figures[place : place + _FIGURES_PER_PART])
            for place in range(0, repeats_dropped_place(), _FIGURES_PER_PART)
        )
        mentions = next(parts)
        scores = {}
        for metric in metric_table().values():
            own = [next(parts) for _ in range(metric.parts)]
            if metric.name in metrics:
                scores[metric.name] = own[0] if len(own) == 1 else BlancScore(*own)
        return cls(mentions, scores)

    @property
    def average_f1(self) -> float | None:
        """The CoNLL average, the mean of the F1 of MUC, B-cubed and CEAF-e; None if one is missing."""
        averaged = [metric.name for metric in metric_table().values() if metric.averaged]
        scores = [score for name in averaged if (score := self[name])]
        return sum(score.f1 for score in scores) / len(scores) if len(scores) == len(averaged) else None

    @property
    def conll_f1(self) -> float:
        """The CoNLL average, if its three metrics were requested, as they are by default."""
        average = self.average_f1
        if average is None:
            raise ValueError(
                f"the CoNLL average needs MUC, B-cubed and CEAF-e. Received: {list(self.by_metric)}"
            )
        return average

    def __getitem__(self, metric: str) -> MetricScore | BlancScore | None:
        return getattr(self, metric)

    def __getattr__(self, name: str) -> MetricScore | BlancScore | None:
        if name.startswith("_") or name not in metric_table():
            raise AttributeError(f"{type(self).__name__} has no {name}")
        return self.by_metric.get(name)

    def computed(self) -> dict[str, MetricScore | BlancScore]:
        """Returns the requested metrics and, last, "mentions"."""
        return {**self.by_metric, MENTIONS: self.mentions}

    def as_dict(self) -> dict:
        """Returns the figures of every metric, "mentions" and "average_f1", by name, as JSON values."""
        scores = {name: score.as_dict() for name, score in self.computed().items()}
        return scores | {AVERAGE: self.average_f1}


def repeats_dropped_place() -> int:
    """Returns the index of the number of dropped repeats in a document's figures from the C++ library: the last."""
    return _FIGURES_PER_PART * (1 + sum(metric.parts for metric in metric_table().values()))
