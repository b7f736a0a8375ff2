"""Turns scores into calibrated probabilities; imports only NumPy."""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from coref_tf.support.errors import CorefError

STATE = "calibration"  # its key in the state of a checkpoint


class Calibration(NamedTuple):
    """Temperature scaling of the scores of a span's antecedents.

    P(y) = softmax(s(i, y) / temperature), with `offset` added to the logit of the dummy. Clusters are decoded from the
    scores themselves, so calibration does not change them.

    Example:
        Calibration(temperature=1.4, offset=-0.2).probabilities(np.array([[0.0, 2.0, -1.0]]))   # the dummy first
    """

    temperature: float = 1.0
    offset: float = 0.0

    @classmethod
    def from_state(cls, state: Mapping[str, Any], path: str | os.PathLike) -> "Calibration":
        """Reads the calibration from a checkpoint's state; without one, returns the identity."""
        kept = state.get(STATE)
        if kept is None:
            return cls()
        if not _is_valid(kept):
            raise CorefError(
                f"{path}: its calibration is {kept!r:.80}; expected a temperature above 0 and an offset; train again,"
                " or use another checkpoint"
            )
        return cls(float(kept["temperature"]), float(kept["offset"]))

    @classmethod
    def mean(cls, calibrations: Sequence["Calibration"]) -> "Calibration":
        """Returns the calibration of an ensemble, whose scores are the mean of its models' scores.

        It is the mean of the inverse temperatures and of the offsets. If all models have the same temperature, the log
        probabilities of the ensemble are, up to normalisation, the mean of the log probabilities of the models.
        """
        inverse = math.fsum(1 / each.temperature for each in calibrations) / len(calibrations)
        return cls(1 / inverse, math.fsum(each.offset for each in calibrations) / len(calibrations))

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """Returns the probability of each antecedent, float64 [spans, 1 + antecedents].

        Args:
            scores: float [spans, 1 + antecedents], the dummy first; -inf for padding.
        """
        # [spans, 1 + antecedents]
        logits = np.asarray(scores, np.float64) / self.temperature
        logits[:, 0] += self.offset
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)


AS_THEY_ARE = Calibration()  # the identity, for a model without a fit: the softmax of the scores


def check_probability(value: float) -> float:
    """Returns the value if it is a probability; raises a CorefError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise CorefError(f"expected a probability from 0 to 1, such as 0.5. Received: {value!r:.80}")
    return float(value)


def _is_valid(kept: object) -> bool:
    """Returns whether a saved value has the form that training writes, since a file may contain anything."""
    if not isinstance(kept, dict) or set(kept) != set(Calibration._fields):
        return False
    numbers = [
        value for value in kept.values() if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return len(numbers) == 2 and all(abs(n) < 1e6 for n in numbers) and kept["temperature"] > 1e-6
