"""Finds the shift of all antecedent scores that maximises F1; NumPy only.

The dummy antecedent has score 0, so the balance between linking and not linking depends on one number, the last bias of
s_a. A model that was trained on another model's annotations links too seldom, because it has learned the links that the
other model missed as non-links.
"""

from typing import NamedTuple

import numpy as np

from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.inference.prediction import Prediction
from coref_tf.scoring import Scorer

SHIFTS = tuple(number / 10 for number in range(-20, 21))


class Balance(NamedTuple):
    """A shift, and the F1 with and without it."""

    shift: float
    average_f1: float
    average_f1_before: float


class BalanceFit:
    """Collects predictions, and finds the shift with the best CoNLL F1; the smallest one in case of a tie.

    Example:
        fit = BalanceFit()
        for prediction in predictor.predict_all(dev, details=True):
            fit.add(prediction)
        fit.result().shift      # 0.6
    """

    def __init__(self) -> None:
        self._scorers = {shift: Scorer(["muc", "bcub", "ceafe"]) for shift in SHIFTS}

    def add(self, prediction: Prediction) -> None:
        """Decodes and scores the clusters of one document with each shift."""
        antecedents = prediction.require_output().antecedents
        starts, ends = np.array(prediction.top_spans, int).reshape(-1, 2).T
        # [spans, 1 + antecedents]
        scores = np.array(antecedents.scores)
        for shift, scorer in self._scorers.items():
            scores[:, 0] = -shift  # equivalent to adding the shift to all other scores
            clusters = clusters_of(starts, ends, best_antecedents(antecedents.indices, scores))
            scorer.add(prediction.document.clusters, clusters, prediction.document.key)

    def result(self) -> Balance:
        """Returns the best shift."""
        f1 = {shift: scorer.result().conll_f1 for shift, scorer in self._scorers.items()}
        best = max(sorted(f1, key=abs), key=f1.__getitem__)
        return Balance(best, f1[best], f1[0.0])
