"""The dial between precision and recall: which least probability gives which precision; NumPy alone."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coref_tf.checkpoints.checkpoint import model_path, read_checkpoint
from coref_tf.config import Experiment
from coref_tf.support.errors import CorefError

STATE = "dial"  # its name in a checkpoint's state
THRESHOLDS = tuple(number / 100 for number in range(101))


class Dial(NamedTuple):
    """What the links are worth, on the dev set, that are left at each least probability of a mention's place.

    Example:
        Dial((0.0, 0.5), (0.7, 0.9), (0.8, 0.6)).threshold(0.85)   # 0.5
    """

    thresholds: tuple[float, ...]  # from 0 to 1
    precision: tuple[float | None, ...]  # the share of the links left that are right; None where none is left
    recall: tuple[float, ...]  # the share of the gold links that they are

    @classmethod
    def of(cls, state: Mapping[str, Any], path: str | os.PathLike) -> "Dial":
        """What was measured after training: part of a checkpoint's state, and of what an export says of itself."""
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
        return cls(*(tuple(kept[name]) for name in cls._fields))

    def as_state(self) -> dict[str, list]:
        """What a checkpoint keeps."""
        return {name: list(values) for name, values in self._asdict().items()}

    def threshold(self, precision: float) -> float | None:
        """The lowest at which so large a share of the links is right, which leaves most of them; or None."""
        points = zip(self.thresholds, self.precision, strict=True)
        return next((least for least, share in points if share is not None and share >= precision), None)

    def require_threshold(self, precision: float, path: str | os.PathLike) -> float:
        """The same, or an error that says what can be had."""
        least = self.threshold(precision)
        if least is None:
            shares = [share for share in self.precision if share is not None]
            most = f"the highest is {max(shares):.3f}" if shares else "it has no links there"
            raise CorefError(f"{path}: its links reach no precision of {precision:g} on the dev set; {most}")
        return least


def threshold_for(
    precision: float, experiments: Sequence[Experiment], checkpoint: str | os.PathLike | None = None
) -> tuple[float, Dial]:
    """The least probability that gives a model's links this precision, and its dial.

    Args:
        precision: from 0 to 1.
        experiments: the trained one.
        checkpoint: where it isn't the best one.
    """
    if len(experiments) > 1:
        raise CorefError(
            "the precision of an ensemble's links isn't known, only that of each of its models; name one model, or"
            " say a least probability instead"
        )
    path = checkpoint or model_path(experiments[0])
    dial = Dial.of(read_checkpoint(path).state, path)
    return dial.require_threshold(precision, path), dial


def _is_whole(kept: object) -> bool:
    """Whether it is what training writes; anything may stand in a file."""
    if not isinstance(kept, dict) or set(kept) != set(Dial._fields):
        return False
    columns = list(kept.values())
    if not all(isinstance(column, list) for column in columns) or len(set(map(len, columns))) != 1:
        return False
    shares = [
        *kept["thresholds"],
        *(share for share in kept["precision"] if share is not None),
        *kept["recall"],
    ]
    numbers = [share for share in shares if isinstance(share, int | float) and not isinstance(share, bool)]
    if len(numbers) != len(shares) or not all(0 <= share <= 1 for share in numbers):
        return False
    return kept["thresholds"] == sorted(kept["thresholds"]) and len(kept["thresholds"]) > 0
