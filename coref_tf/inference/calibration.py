"""From scores to probabilities that mean what they say; NumPy alone."""

from typing import NamedTuple

import numpy as np


class Calibration(NamedTuple):
    """What is done to the scores of a span's antecedents before they become probabilities.

    P(y) = softmax(s(i, y) / temperature), with `offset` added to the dummy's. Decisions don't change: clusters come
    from the scores as they are.

    Example:
        Calibration(temperature=1.4, offset=-0.2).probabilities(np.array([[0.0, 2.0, -1.0]]))   # the dummy first
    """

    temperature: float = 1.0
    offset: float = 0.0

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """The probability of each antecedent, float64 [spans, 1 + antecedents].

        Args:
            scores: float [spans, 1 + antecedents], the dummy first; -inf for padding.
        """
        # [spans, 1 + antecedents]
        logits = np.asarray(scores, np.float64) / self.temperature
        logits[:, 0] += self.offset
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)
