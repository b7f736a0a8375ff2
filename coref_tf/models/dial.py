"""The dial between precision and recall: which probability threshold gives which precision on the dev set."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from coref_tf.support.errors import CorefError

STATE = "dial"  # its name in a checkpoint's state
CAUTIOUS_PRECISION = 0.95  # of the links that resolved text goes by
CAUTIOUS_PROBABILITY = 0.9  # how probable they are at least, where a model's dial doesn't tell
THRESHOLDS = tuple(number / 100 for number in range(101))


class Dial(NamedTuple):
    """Precision and recall of the links on the dev set, by the least probability that a mention's place must have.

    Example:
        Dial((0.0, 0.5), (0.7, 0.9), (0.8, 0.6), (0.65, 0.86)).threshold(0.85)   # 0.5
    """

    thresholds: tuple[float, ...]  # from 0 to 1
    # the share of the remaining links that are right; None where none remains
    precision: tuple[float | None, ...]
    recall: tuple[float, ...]  # the share of the gold links among them
    # The lower bound of a one-sided 90 % confidence interval of the precision: what is promised must hold on other
    # documents, too.
    lower_precision: tuple[float | None, ...]

    @classmethod
    def from_state(cls, state: Mapping[str, Any], path: str | os.PathLike) -> "Dial":
        """The dial in a checkpoint's state, or in the description of an export; a CorefError if there is none."""
        kept = state.get(STATE)
        if kept is None:
            raise CorefError(
                f"{path}: doesn't know the precision of its links, which is measured on the dev set after training;"
                " run its `coref train` command again, or say a least probability instead"
            )
        if not _is_whole(kept):
            raise CorefError(
                f"{path}: its dial is {kept!r:.80}; expected thresholds with their precision and recall: train again,"
                " or use another checkpoint"
            )
        # Checkpoints of earlier versions have no bound.
        kept = {"lower_precision": kept["precision"], **kept}
        return cls(*(tuple(kept[name]) for name in cls._fields))

    def as_state(self) -> dict[str, list]:
        """The dial as a checkpoint keeps it."""
        return {name: list(values) for name, values in self._asdict().items()}

    def threshold(self, precision: float) -> float | None:
        """Returns the lowest threshold at which the lower bound of the links' precision reaches this one, or None."""
        points = zip(self.thresholds, self.lower_precision, strict=True)
        return next((least for least, share in points if share is not None and share >= precision), None)

    def require_threshold(self, precision: float, path: str | os.PathLike) -> float:
        """The same; a CorefError that names the highest precision if this one is never reached."""
        least = self.threshold(precision)
        if least is None:
            shares = [share for share in self.lower_precision if share is not None]
            most = f"the highest is {max(shares):.3f}" if shares else "it has no links there"
            raise CorefError(f"{path}: its links reach no precision of {precision:g} on the dev set; {most}")
        return least


def cautious_threshold(state: Mapping[str, Any], path: str | os.PathLike) -> float:
    """The least probability of the links that resolved text goes by: of those, 95 % were right on the dev set.

    Args:
        state: of a checkpoint, or the description of an export. Where it has no dial, or the links never reach that
            precision, the answer is `CAUTIOUS_PROBABILITY`.
        path: of the checkpoint or export, for messages.
    """
    least = Dial.from_state(state, path).threshold(CAUTIOUS_PRECISION) if STATE in state else None
    return CAUTIOUS_PROBABILITY if least is None else least


def _is_whole(kept: object) -> bool:
    """Whether a saved value is what training writes; a file may hold anything."""
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
