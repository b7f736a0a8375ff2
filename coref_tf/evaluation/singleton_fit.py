"""From which mention score on spans that are in no cluster are mentions; needs no TensorFlow."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.inference.prediction import Prediction, are_singletons


class SingletonFit(NamedTuple):
    """A threshold, and what finding mentions is worth with it."""

    threshold: float
    f1: float  # of all mentions, those in clusters and those alone
    f1_without: float  # of those in clusters alone


class SingletonsFit:
    """Gathers predictions, and finds the threshold for all of them.

    Example:
        fit = SingletonsFit()
        for prediction in predictor.predict_all(dev):
            fit.add(prediction)
        fit.result().threshold      # 2.4
    """

    def __init__(self) -> None:
        self._scores, self._gold = [np.zeros(0)], [np.zeros(0, bool)]
        self._clustered = self._right = self._mentions = 0

    def add(self, prediction: Prediction) -> None:
        """Takes in the spans of one document."""
        known = {span for cluster in prediction.document.clusters for span in cluster}
        linked = {span for cluster in prediction.clusters for span in cluster}
        self._clustered += len(linked)
        self._right += len(linked & known)
        self._mentions += len(known)
        alone = are_singletons(prediction.antecedents, prediction.mention_scores, -np.inf)
        self._scores.append(prediction.mention_scores[alone])
        spans = (span for span, own in zip(prediction.top_spans, alone, strict=True) if own)
        self._gold.append(np.array([span in known for span in spans], bool))

    def result(self) -> SingletonFit:
        """The best threshold."""
        scores, gold = np.concatenate(self._scores), np.concatenate(self._gold)
        return fit_singletons(scores, gold, (self._clustered, self._right), self._mentions)


def fit_singletons(
    scores: np.ndarray, gold: np.ndarray, clustered: Sequence[int], mentions: int
) -> SingletonFit:
    """The threshold with the best F1 of mention detection; of several the highest.

    Args:
        scores: float [spans], s_m of the spans that are kept and in no cluster.
        gold: bool [spans], whether each is a gold mention.
        clustered: how many spans are in predicted clusters, and how many of those are gold mentions.
        mentions: how many gold mentions there are.

    Example:
        fit_singletons(np.array([3.0, 1.0]), np.array([True, False]), (10, 8), 12).threshold    # 3.0
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # [1 + spans]: with so many of the best
    found = clustered[0] + np.arange(len(scores) + 1)
    right = clustered[1] + np.concatenate([[0], np.cumsum(gold[order])])
    f1 = 2 * right / np.maximum(found + mentions, 1)
    # Equal scores are taken together or not at all.
    whole = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]) if len(ranked) else np.array([True])
    best = int(np.argmax(np.where(whole, f1, -1.0)))
    # Between the last that is taken and the first that isn't, so that rounding doesn't matter.
    ends = ranked[best - 1] if best else np.inf, ranked[best] if best < len(ranked) else -np.inf
    finite = [float(end) for end in ends if np.isfinite(end)]
    threshold = sum(finite) / len(finite) if finite else 0.0
    if not best and finite:
        threshold = finite[0] + 1.0  # none is taken
    return SingletonFit(threshold, float(f1[best]), float(f1[0]))
