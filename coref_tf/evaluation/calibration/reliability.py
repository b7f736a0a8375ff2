"""Measures calibration: are 80% of the decisions with a probability of 80% correct? NumPy only."""

from typing import NamedTuple

import numpy as np

from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.models.calibration import Calibration

BINS = 10
DRAWS = 200  # the number of random draws for estimating the error due to chance


class Reliability(NamedTuple):
    """Decisions by probability, in bins of equal width."""

    counts: np.ndarray  # int64 [bins]
    confidence: np.ndarray  # float64 [bins], the mean probability; NaN for an empty bin
    accuracy: np.ndarray  # float64 [bins], the fraction that is correct; NaN for an empty bin

    @property
    def error(self) -> float:
        """The expected calibration error: the mean difference between confidence and accuracy, over decisions."""
        full = self.counts > 0
        gaps = np.abs(self.confidence[full] - self.accuracy[full])
        return float((self.counts[full] * gaps).sum() / max(self.counts.sum(), 1))


def reliability(probabilities: np.ndarray, right: np.ndarray, bins: int = BINS) -> Reliability:
    """Sorts decisions into bins.

    Args:
        probabilities: float [decisions].
        right: bool [decisions], whether each is correct.
        bins: The number of bins.

    Example:
        reliability(np.array([0.9, 0.8]), np.array([True, False])).error      # 0.1 and 0.8, halved: 0.45
    """
    numbers = np.clip((probabilities * bins).astype(np.int64), 0, bins - 1)
    counts = np.bincount(numbers, minlength=bins)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(numbers, probabilities, bins) / counts
        accuracy = np.bincount(numbers, right, bins) / counts
    return Reliability(counts, confidence, accuracy)


def decision_probabilities(decisions: Decisions, calibration: Calibration) -> np.ndarray:
    """Returns the probability of each decision, float64 [spans].

    This is the probability of the dummy, or the total probability of all antecedents in the predicted cluster, because
    a link to any of them gives the same cluster.
    """
    return (calibration.probabilities(decisions.scores) * decisions.place).sum(axis=1)


def reliability_of(decisions: Decisions, calibration: Calibration, links_only: bool = False) -> Reliability:
    """Returns the reliability of all decisions, or only of links."""
    chosen = _chosen(decisions, links_only)
    return reliability(decision_probabilities(decisions, calibration)[chosen], decisions.right[chosen])


def chance_error(decisions: Decisions, calibration: Calibration, links_only: bool = False) -> float:
    """Returns the mean error that this number of decisions would have by chance if their probabilities were exact.

    It is measured on outcomes drawn from the probabilities.
    """
    probabilities = decision_probabilities(decisions, calibration)[_chosen(decisions, links_only)]
    generator = np.random.default_rng(0)
    drawn = (generator.random(len(probabilities)) < probabilities for _ in range(DRAWS))
    return float(np.mean([reliability(probabilities, right).error for right in drawn]))


def _chosen(decisions: Decisions, links_only: bool) -> np.ndarray:
    return decisions.links if links_only else np.ones(len(decisions.links), bool)
