"""The scores of a document or of many, by all metrics."""

import dataclasses
from collections.abc import Iterable, Sequence

from coref_tf.scoring.metric_scores import BlancScore, MetricScore
from coref_tf.support.errors import CorefError

METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea")
_AVERAGED = ("muc", "bcub", "ceafe")

# What the C++ part returns for a document, four figures each; after them, one more: repeats dropped.
_FIGURES = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "coreference", "non_coreference")
_PLACES = {name: slice(4 * i, 4 * i + 4) for i, name in enumerate(_FIGURES)}
REPEATS_DROPPED = 4 * len(_FIGURES)


@dataclasses.dataclass(frozen=True)
class CorefScores:
    """Scores by metric; None for a metric that was not asked for.

    LEA is that of Moosavi and Strube (2016), where a singleton has one link, to itself. `mentions` is
    mention detection: which of the key's mentions the response has, in whatever cluster.

    Example:
        scores = score(key, response)
        scores.bcub.precision, scores.average_f1, scores["lea"].f1
    """

    mentions: MetricScore
    muc: MetricScore | None = None
    bcub: MetricScore | None = None
    ceafm: MetricScore | None = None
    ceafe: MetricScore | None = None
    blanc: BlancScore | None = None
    lea: MetricScore | None = None

    @classmethod
    def from_figures(cls, figures: Sequence[float], metrics: Iterable[str] = METRICS) -> "CorefScores":
        """Reads the scores off the C++ part's figures for a document, or their sums over documents."""

        def read(name: str) -> MetricScore:
            return MetricScore(*figures[_PLACES[name]])

        scores = {name: read(name) for name in ("mentions", *metrics) if name != "blanc"}
        if "blanc" in metrics:
            scores["blanc"] = BlancScore(read("coreference"), read("non_coreference"))
        return cls(**scores)

    @property
    def average_f1(self) -> float | None:
        """The CoNLL average, the mean of the F1 of MUC, B-cubed and CEAF-e; None if one is not there."""
        averaged = [self[name] for name in _AVERAGED]
        return sum(score.f1 for score in averaged) / 3 if all(averaged) else None

    def __getitem__(self, metric: str) -> MetricScore | BlancScore | None:
        return getattr(self, metric)

    def computed(self) -> dict[str, MetricScore | BlancScore]:
        """The metrics that were asked for and, last, "mentions"."""
        return {name: self[name] for name in (*METRICS, "mentions") if self[name]}

    def as_dict(self) -> dict:
        """Every metric's figures under its name, "mentions" and "average_f1", ready for JSON."""
        scores = {name: score.as_dict() for name, score in self.computed().items()}
        return scores | {"average_f1": self.average_f1}


def check_metrics(metrics: Iterable[str]) -> tuple[str, ...]:
    """The metrics asked for, in the usual order; an unknown one is an error."""
    if isinstance(metrics, str):
        metrics = [metrics]
    asked = set(metrics)
    unknown = sorted(asked.difference(METRICS))
    if unknown or not asked:
        received = f"unknown metric {unknown[0]!r}" if unknown else "no metric"
        raise CorefError(f"{received}; expected some of {', '.join(METRICS)}")
    return tuple(metric for metric in METRICS if metric in asked)
