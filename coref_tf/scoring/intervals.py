"""Confidence intervals over documents or cases: the bootstrap, and the Wilson score interval (1927)."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from coref_tf.scoring.coref_scores import CorefScores
from coref_tf.scoring.scorer import Scorer
from coref_tf.support.errors import CorefError

if TYPE_CHECKING:  # imported where it is needed, because scores without intervals do not need it
    import numpy as np

LEVEL = 0.95
SAMPLES = 1000  # the default number of samples


class Interval(NamedTuple):
    """The middle 95% of the values over the samples."""

    low: float
    high: float

    @classmethod
    def from_values(cls, values: "Sequence[float] | np.ndarray") -> "Interval":
        """Computes the interval of some values."""
        import numpy as np

        low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return cls(float(low), float(high))

    def as_text(self, factor: float = 100, decimals: int = 1) -> str:
        """Formats the interval, by default in percent."""
        return " to ".join(f"{factor * bound:.{decimals}f}" for bound in self)


class Difference(NamedTuple):
    """The difference between the F1 of system B and that of system A.

    `p_value` is two-sided: twice the fraction of the samples on the rarer side of 0, where 0 itself counts on both
    sides and one sample is added to each, so that it is never 0; at most 1.
    """

    a: float
    b: float
    difference: float
    interval: Interval
    p_value: float

    def as_dict(self) -> dict:
        """Returns all values by name, as JSON values."""
        return self._asdict() | {"interval": self.interval._asdict()}


def confidence_intervals(scorer: Scorer, samples: int, seed: int = 0) -> dict[str, dict[str, Interval]]:
    """Returns the intervals of recall, precision and f1 by metric, and that of "average_f1".

    Example:
        confidence_intervals(scorer, samples=1000)["muc"]["f1"]       # Interval(low=0.71, high=0.78)
    """
    scores = _samples(scorer, draw(len(scorer.documents), samples, seed))
    return {
        name: {figure: Interval.from_values(drawn) for figure, drawn in metric.items()}
        for name, metric in _figures(scores).items()
    }


def paired_bootstrap(a: Scorer, b: Scorer, samples: int, seed: int = 0) -> dict[str, Difference]:
    """Compares two systems on the same bootstrap samples of documents; returns the difference by metric.

    Example:
        paired_bootstrap(a, b, samples=10000)["average_f1"].p_value       # 0.013
    """
    if a.documents != b.documents:
        raise CorefError(
            "the two systems were scored on different documents; expected the same documents in the same order"
        )
    draws = draw(len(a.documents), samples, seed)
    observed_a, observed_b = (_f1(scorer.result()) for scorer in (a, b))
    drawn_a, drawn_b = (_f1(_samples(scorer, draws)) for scorer in (a, b))
    drawn = {name: drawn_b[name] - drawn_a[name] for name in observed_a}
    return {
        name: Difference(
            observed_a[name],
            observed_b[name],
            observed_b[name] - observed_a[name],
            Interval.from_values(differences),
            _p_value(differences),
        )
        for name, differences in drawn.items()
    }


def sampled_f1(scorer: Scorer, samples: int = SAMPLES, seed: int = 0) -> list[float]:
    """Returns the average F1 of each bootstrap sample of a scorer's documents."""
    average = _samples(scorer, draw(len(scorer.documents), samples, seed)).average_f1
    return [] if average is None else average.tolist()


def draw(count: int, samples: int = SAMPLES, seed: int = 0) -> "np.ndarray":
    """Draws bootstrap samples; returns how often each contains each document, [samples, documents]."""
    import numpy as np

    if not count or samples < 1:
        raise CorefError(f"{samples} samples of {count} documents; expected at least one of each")
    return np.random.default_rng(seed).multinomial(count, [1 / count] * count, size=samples)


def wilson_interval(successes: int, cases: int, confidence: float = LEVEL) -> Interval:
    """Returns the confidence interval of a fraction; unlike the bootstrap, it works if all or no cases succeed.

    Example:
        wilson_interval(9, 10)      # Interval(low=0.596, high=0.982)
    """
    if not 0 <= successes <= cases or not cases:
        raise ValueError(
            f"successes must be between 0 and cases, at least 1. Received: {successes} of {cases}"
        )
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, scale = successes / cases, 1 + z**2 / cases
    middle = (share + z**2 / (2 * cases)) / scale
    reach = z / scale * (share * (1 - share) / cases + z**2 / (4 * cases**2)) ** 0.5
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def _samples(scorer: Scorer, draws: "np.ndarray") -> Any:
    """Returns scores whose figures are arrays with a value for each sample."""
    import numpy as np

    return CorefScores.from_figures(list((draws @ np.array(scorer.figures)).T), scorer.metrics)


def _figures(scores: CorefScores) -> dict[str, dict[str, Any]]:
    figures = {}
    for name, metric in scores.computed().items():
        figures[name] = {figure: getattr(metric, figure) for figure in ("recall", "precision", "f1")}
    if scores.average_f1 is not None:
        figures["average_f1"] = {"f1": scores.average_f1}
    return figures


def _f1(scores: CorefScores) -> dict[str, Any]:
    return {name: figures["f1"] for name, figures in _figures(scores).items()}


def _p_value(differences: "np.ndarray") -> float:
    not_better, not_worse = int((differences <= 0).sum()), int((differences >= 0).sum())
    return min(1.0, 2 * (min(not_better, not_worse) + 1) / (len(differences) + 1))
