"""The dial between precision and recall: maps precision on the dev set to a probability threshold."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from coref_tf.support.errors import CorefError

STATE = "dial"  # its key in the state of a checkpoint
CAUTIOUS_PRECISION = 0.95  # the precision of links that are used to resolve text
CAUTIOUS_PROBABILITY = 0.9  # the minimum probability of such links if the model has no suitable dial
THRESHOLDS = tuple(number / 100 for number in range(101))


class Dial(NamedTuple):
    """Precision and recall of links on the dev set, by minimum place probability.

    Example:
        Dial((0.0, 0.5), (0.7, 0.9), (0.8, 0.6), (0.65, 0.86)).threshold(0.85)   # 0.5
    """

    thresholds: tuple[float, ...]  # from 0 to 1
    # the fraction of the remaining links that are correct; None if none remains
    precision: tuple[float | None, ...]
    recall: tuple[float, ...]  # the fraction of the gold links among them
    # the lower bound of a one-sided 90% confidence interval of the precision, which should also hold on other
    # documents
    lower_precision: tuple[float | None, ...]

    @classmethod
    def from_state(cls, state: Mapping[str, Any], path: str | os.PathLike) -> "Dial":
        """Reads the dial from a checkpoint's state or an export's description; raises a CorefError if there is none."""
        kept = state.get(STATE)
        if kept is None:
            raise CorefError(
                f"{path}: the precision of its links has not been measured; run its `coref train` command again, which"
                " measures it on the dev set, or give a minimum probability instead"
            )
        if not _is_valid(kept):
            raise CorefError(
                f"{path}: its dial is {kept!r:.80}; expected thresholds with their precision and recall; train again,"
                " or use another checkpoint"
            )
        # Checkpoints of earlier versions lack the lower bound.
        kept = {"lower_precision": kept["precision"], **kept}
        return cls(*(tuple(kept[name]) for name in cls._fields))

    def as_state(self) -> dict[str, list]:
        """Returns the dial as JSON values for the state of a checkpoint."""
        return {name: list(values) for name, values in self._asdict().items()}

    def threshold(self, precision: float) -> float | None:
        """Returns the lowest threshold at which the lower bound of the precision reaches this one, or None."""
        return self._lowest_threshold(precision, self.lower_precision)

    def expected_threshold(self, precision: float) -> float | None:
        """Returns the lowest threshold at which the measured precision reaches this one, or None."""
        return self._lowest_threshold(precision, self.precision)

    def _lowest_threshold(self, precision: float, shares: tuple[float | None, ...]) -> float | None:
        points = zip(self.thresholds, shares, strict=True)
        return next(
            (threshold for threshold, share in points if share is not None and share >= precision), None
        )

    def require_threshold(self, precision: float, model: str | os.PathLike) -> float:
        """Returns the threshold; raises a CorefError that names the highest precision if this one is never reached."""
        threshold = self.threshold(precision)
        if threshold is None:
            shares = [share for share in self.lower_precision if share is not None]
            most = f"the highest is {max(shares):.3f}" if shares else "the model has no links there"
            raise CorefError(
                f"{model}: its links do not reach a precision of {precision:g} on the dev set; {most}"
            )
        return threshold


def cautious_threshold(state: Mapping[str, Any], path: str | os.PathLike) -> float:
    """Returns the minimum probability of links that are used to resolve text; 95% of these are correct on the dev set.

    Args:
        state: The state of a checkpoint, or the description of an export. If it has no dial, or the links never reach
            that precision, the result is `CAUTIOUS_PROBABILITY`.
        path: The path of the checkpoint or export, for messages.
    """
    threshold = (
        Dial.from_state(state, path).expected_threshold(CAUTIOUS_PRECISION) if STATE in state else None
    )
    return CAUTIOUS_PROBABILITY if threshold is None else threshold


def _is_valid(kept: object) -> bool:
    """Returns whether a saved value has the form that training writes, since a file may contain anything."""
    if not isinstance(kept, dict) or set(kept) | {"lower_precision"} != set(Dial._fields):
        return False
    columns = list(kept.values())
    if not all(isinstance(column, list) for column in columns) or len(set(map(len, columns))) != 1:
        return False
    shares = [
        *kept["thresholds"],
        *(share for share in kept["precision"] if share is not None),
        *(share for share in kept.get("lower_precision", ()) if share is not None),
        *kept["recall"],
    ]
    numbers = [share for share in shares if isinstance(share, int | float) and not isinstance(share, bool)]
    if len(numbers) != len(shares) or not all(0 <= share <= 1 for share in numbers):
        return False
    return kept["thresholds"] == sorted(kept["thresholds"]) and len(kept["thresholds"]) > 0
