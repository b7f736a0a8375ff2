"""From scores to probabilities that mean what they say; NumPy alone."""

import math
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.checkpoints.checkpoint import Checkpoint
from coref_tf.support.errors import CorefError

STATE = "calibration"  # its name in a checkpoint's state


class Calibration(NamedTuple):
    """What is done to the scores of a span's antecedents before they become probabilities.

    P(y) = softmax(s(i, y) / temperature), with `offset` added to the dummy's. Decisions don't change: clusters come
    from the scores as they are.

    Example:
        Calibration(temperature=1.4, offset=-0.2).probabilities(np.array([[0.0, 2.0, -1.0]]))   # the dummy first
    """

    temperature: float = 1.0
    offset: float = 0.0

    @classmethod
    def of(cls, checkpoint: Checkpoint, path: str | os.PathLike) -> "Calibration":
        """What was fitted after training; the scores as they are where nothing was."""
        kept = checkpoint.state.get(STATE)
        if kept is None:
            return cls()
        if not _is_whole(kept):
            raise CorefError(
                f"{path}: its calibration is {kept!r:.80}; expected a temperature above 0 and an offset: train again,"
                " or use another checkpoint"
            )
        return cls(float(kept["temperature"]), float(kept["offset"]))

    @classmethod
    def mean(cls, calibrations: Sequence["Calibration"]) -> "Calibration":
        """That of an ensemble, whose scores are the mean of its models': the mean of what each does to a score of 1,
        and of the offsets. With one temperature for all, these are the models' own probabilities, averaged as logs.
        """
        inverse = math.fsum(1 / each.temperature for each in calibrations) / len(calibrations)
        return cls(1 / inverse, math.fsum(each.offset for each in calibrations) / len(calibrations))

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


AS_THEY_ARE = Calibration()  # probabilities of scores that nothing was fitted to


def check_probability(value: float) -> float:
    """The value, where it is a probability; a CorefError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise CorefError(f"expected a probability from 0 to 1, such as 0.5. Received: {value!r:.80}")
    return float(value)


def _is_whole(kept: object) -> bool:
    """Whether it is what training writes; anything may stand in a file."""
    if not isinstance(kept, dict) or set(kept) != set(Calibration._fields):
        return False
    numbers = [
        value for value in kept.values() if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return len(numbers) == 2 and all(abs(n) < 1e6 for n in numbers) and kept["temperature"] > 1e-6
