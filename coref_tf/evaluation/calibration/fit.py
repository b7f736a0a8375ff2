"""Fits the temperature and the offset of the dummy by maximum likelihood of the gold decisions; NumPy only."""

from typing import NamedTuple

import numpy as np

from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.models.calibration import Calibration
from coref_tf.support.errors import CorefError

STEPS = 100
SMALLEST_INVERSE, LARGEST_INVERSE = 0.01, 100.0  # bounds of 1 / temperature


class _Likelihood(NamedTuple):
    """The mean log-likelihood of the gold decisions, and its derivatives in 1 / temperature and the offset."""

    value: float
    gradient: np.ndarray  # float64 [2]
    curvature: np.ndarray  # float64 [2, 2]


def fit(decisions: Decisions) -> Calibration:
    """Fits both parameters with Newton's method, with steps that never decrease the likelihood.

    Args:
        decisions: The decisions for documents that the model was not trained on.

    Example:
        fit(Decisions.joined([Decisions.from_prediction(p) for p in predictor.predict_all(dev, details=True)]))
    """
    dummies = int(decisions.gold[:, 0].sum())
    if dummies in (0, len(decisions.gold)):
        raise CorefError(
            f"{dummies:,} of the {len(decisions.gold):,} kept spans have no correct antecedent; expected documents with"
            " gold clusters, and a model that keeps some of their mentions"
        )
    parameters = np.array([1.0, 0.0])  # 1 / temperature, offset
    now = _likelihood(decisions, parameters)
    for _ in range(STEPS):
        moved, then = _better(decisions, parameters, now)
        if then.value - now.value < 1e-12:
            break
        parameters, now = moved, then
    return Calibration(1 / float(parameters[0]), float(parameters[1]))


def log_likelihood(decisions: Decisions, calibration: Calibration) -> float:
    """Returns the mean over spans of the log of the total probability of all correct antecedents."""
    return _likelihood(decisions, np.array([1 / calibration.temperature, calibration.offset])).value


def _better(decisions: Decisions, parameters: np.ndarray, now: _Likelihood) -> tuple[np.ndarray, _Likelihood]:
    """Takes a Newton step, or a gradient step if the likelihood is not concave; halves it until it helps."""
    concave = np.linalg.eigvalsh(now.curvature)[-1] < -1e-12
    step = -np.linalg.solve(now.curvature, now.gradient) if concave else now.gradient
    for _ in range(60):
        moved = parameters + step
        moved[0] = np.clip(moved[0], SMALLEST_INVERSE, LARGEST_INVERSE)
        then = _likelihood(decisions, moved)
        if then.value >= now.value:
            return moved, then
        step = step / 2
    return parameters, now


def _likelihood(decisions: Decisions, parameters: np.ndarray) -> _Likelihood:
    """Computes the likelihood and its derivatives.

    The logit of an antecedent is parameters . (its score, whether it is the dummy). The derivatives are therefore the
    means and covariances of these two over the gold antecedents, minus those over all antecedents.
    """
    scores = np.where(np.isfinite(decisions.scores), decisions.scores, 0.0)
    # [spans, 1 + antecedents]
    logits = np.where(np.isfinite(decisions.scores), parameters[0] * scores, -np.inf)
    logits[:, 0] += parameters[1]
    of_gold, mean_gold, covariance_gold = _moments(np.where(decisions.gold, logits, -np.inf), scores)
    of_all, mean_all, covariance_all = _moments(logits, scores)
    return _Likelihood(
        float((of_gold - of_all).mean()),
        (mean_gold - mean_all).mean(axis=0),
        (covariance_gold - covariance_all).mean(axis=0),
    )


def _moments(logits: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Computes, for each span, the log of the sum of exp(logits), and moments under their softmax.

    The moments are the mean [spans, 2] and the covariance [spans, 2, 2] of (score, whether it is the dummy).
    """
    largest = logits.max(axis=1, keepdims=True)
    weights = np.exp(logits - largest)
    total = weights.sum(axis=1, keepdims=True)
    weights /= total
    score, dummy = (weights * scores).sum(axis=1), weights[:, 0]
    squares = (weights * scores**2).sum(axis=1) - score**2
    # The model always gives the dummy a score of 0; nothing here depends on that.
    crossed = dummy * scores[:, 0] - dummy * score
    covariance = np.stack([squares, crossed, crossed, dummy - dummy**2], axis=1).reshape(-1, 2, 2)
    return (np.log(total) + largest)[:, 0], np.stack([score, dummy], axis=1), covariance
