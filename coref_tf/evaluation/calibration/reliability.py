"""How far probabilities are off: of the decisions that are 80 % sure, are 80 % right? NumPy alone."""

from typing import NamedTuple

import numpy as np

from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.models.calibration import Calibration

BINS = 10
DRAWS = 200  # of answers, for what chance alone makes of the error


class Reliability(NamedTuple):
    """Decisions by how sure they are, in bins of equal width."""

    counts: np.ndarray  # int64 [bins]
    confidence: np.ndarray  # float64 [bins], the mean probability; NaN of an empty bin
    accuracy: np.ndarray  # float64 [bins], the share that is right; NaN of an empty bin

    @property
    def error(self) -> float:
        """The expected calibration error: how far confidence and accuracy are apart, on average over decisions."""
        full = self.counts > 0
        gaps = np.abs(self.confidence[full] - self.accuracy[full])
        return float((self.counts[full] * gaps).sum() / max(self.counts.sum(), 1))


def reliability(probabilities: np.ndarray, right: np.ndarray, bins: int = BINS) -> Reliability:
    """Sorts decisions into bins.

    Args:
        probabilities: float [decisions].
        right: bool [decisions].
        bins: how many.

    Example:
        reliability(np.array([0.9, 0.8]), np.array([True, False])).error      # 0.1 and 0.8, halved: 0.45
    """
    numbers = np.clip((probabilities * bins).astype(np.int64), 0, bins - 1)
    counts = np.bincount(numbers, minlength=bins)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(numbers, probabilities, bins) / counts
        accuracy = np.bincount(numbers, right, bins) / counts
    return Reliability(counts, confidence, accuracy)


def sureness(decisions: Decisions, calibration: Calibration) -> np.ndarray:
    """How sure the model is of each decision, float64 [spans]: the probability of the dummy, or of all antecedents in
    the predicted cluster together, since a link to any of them says the same.
    """
    return (calibration.probabilities(decisions.scores) * decisions.place).sum(axis=1)


def reliability_of(decisions: Decisions, calibration: Calibration, links_only: bool = False) -> Reliability:
    """The reliability of all decisions, or of the links among them."""
    chosen = _chosen(decisions, links_only)
    return reliability(sureness(decisions, calibration)[chosen], decisions.right[chosen])


def chance_error(decisions: Decisions, calibration: Calibration, links_only: bool = False) -> float:
    """The error that so few decisions have on average even if their probabilities are exactly right: that of answers
    which are drawn from these.
    """
    probabilities = sureness(decisions, calibration)[_chosen(decisions, links_only)]
    generator = np.random.default_rng(0)
    drawn = (generator.random(len(probabilities)) < probabilities for _ in range(DRAWS))
    return float(np.mean([reliability(probabilities, right).error for right in drawn]))


def _chosen(decisions: Decisions, links_only: bool) -> np.ndarray:
    return decisions.links if links_only else np.ones(len(decisions.links), bool)
