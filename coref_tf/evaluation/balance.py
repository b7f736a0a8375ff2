"""How readily a model links: what is added to the scores of all antecedents so that F1 is best; NumPy alone.

The dummy antecedent's score is 0, so that this is a matter of one number, the last bias of s_a. A model that has
learned from what another one annotated links too seldom: what the other missed was there as nothing.
"""

from typing import NamedTuple

import numpy as np

from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.inference.prediction import Prediction
from coref_tf.scoring import Scorer

SHIFTS = tuple(number / 10 for number in range(-20, 21))


class Balance(NamedTuple):
    """What to add, and what it is worth."""

    shift: float
    average_f1: float
    average_f1_before: float


class BalanceFit:
    """Gathers predictions, and finds the shift with the best CoNLL F1 of all; of several the smallest.

    Example:
        fit = BalanceFit()
        for prediction in predictor.predict_all(dev, details=True):
            fit.add(prediction)
        fit.result().shift      # 0.6
    """

    def __init__(self) -> None:
        self._scorers = {shift: Scorer(["muc", "bcub", "ceafe"]) for shift in SHIFTS}

    def add(self, prediction: Prediction) -> None:
        """Decides anew for one document, with each shift."""
        antecedents = prediction.require_output().antecedents
        starts, ends = np.array(prediction.top_spans, int).reshape(-1, 2).T
        # [spans, 1 + antecedents]
        scores = np.array(antecedents.scores)
        for shift, scorer in self._scorers.items():
            scores[:, 0] = -shift  # the same decisions as with all others larger by it
            clusters = clusters_of(starts, ends, best_antecedents(antecedents.indices, scores))
            scorer.add(prediction.document.clusters, clusters, prediction.document.key)

    def result(self) -> Balance:
        """The best of the shifts."""
        f1 = {shift: scorer.result().conll_f1 for shift, scorer in self._scorers.items()}
        best = max(sorted(f1, key=abs), key=f1.__getitem__)
        return Balance(best, f1[best], f1[0.0])
