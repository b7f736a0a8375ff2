"""Fits the mention score above which spans outside clusters count as mentions; does not import TensorFlow."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.inference.prediction import Prediction, are_singletons


class SingletonFit(NamedTuple):
    """A threshold, and the F1 of mention detection with and without it."""

    threshold: float
    f1: float  # of all mentions, in clusters and singletons
    f1_without: float  # of mentions in clusters only


class SingletonsFit:
    """Collects predictions, and fits one threshold for all of them.

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
        """Adds the spans of one document."""
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
        """Returns the best threshold."""
        scores, gold = np.concatenate(self._scores), np.concatenate(self._gold)
        return fit_singletons(scores, gold, (self._clustered, self._right), self._mentions)


def fit_singletons(
    scores: np.ndarray, gold: np.ndarray, clustered: Sequence[int], mentions: int
) -> SingletonFit:
    """Finds the threshold with the best F1 of mention detection; the highest one in case of a tie.

    Args:
        scores: float [spans], s_m of the kept spans that are in no cluster.
        gold: bool [spans], whether each is a gold mention.
        clustered: The number of spans in predicted clusters, and how many of them are gold mentions.
        mentions: The number of gold mentions.

    Example:
        fit_singletons(np.array([3.0, 1.0]), np.array([True, False]), (10, 8), 12).threshold    # 3.0
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    # [1 + spans]: for each number of highest-scoring spans
    found = clustered[0] + np.arange(len(scores) + 1)
    right = clustered[1] + np.concatenate([[0], np.cumsum(gold[order])])
    f1 = 2 * right / np.maximum(found + mentions, 1)
    # Spans with equal scores are accepted together or not at all.
    whole = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]) if len(ranked) else np.array([True])
    best = int(np.argmax(np.where(whole, f1, -1.0)))
    # Halfway between the last accepted and the first rejected score, so that rounding does not matter.
    ends = ranked[best - 1] if best else np.inf, ranked[best] if best < len(ranked) else -np.inf
    finite = [float(end) for end in ends if np.isfinite(end)]
    threshold = sum(finite) / len(finite) if finite else 0.0
    if not best and finite:
        threshold = finite[0] + 1.0  # accepts none
    return SingletonFit(threshold, float(f1[best]), float(f1[0]))
