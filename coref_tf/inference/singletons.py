"""Mentions that are in no cluster, for those who want every mention; NumPy alone."""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coref_tf.checkpoints.checkpoint import model_path, read_checkpoint
from coref_tf.config import Experiment
from coref_tf.support.errors import CorefError

STATE = "singletons"  # the name of the threshold in a checkpoint's state


def singleton_score(experiments: Sequence[Experiment], checkpoint: str | os.PathLike | None = None) -> float:
    """The mention score from which on a model's spans are mentions by themselves, as it was fitted.

    Args:
        experiments: the trained one.
        checkpoint: where it isn't the best one.
    """
    if len(experiments) > 1:
        raise CorefError("no threshold for singletons is fitted for an ensemble; name one model")
    path = checkpoint or model_path(experiments[0])
    return _read(read_checkpoint(path).state, path)


def _read(state: Mapping[str, Any], path: str | os.PathLike) -> float:
    kept = state.get(STATE)
    if kept is None:
        raise CorefError(
            f"{path}: no threshold for singletons is fitted; run `coref analyse singletons MODEL DATA --keep`, with a"
            " corpus that has them"
        )
    if isinstance(kept, bool) or not isinstance(kept, int | float) or not math.isfinite(kept):
        raise CorefError(
            f"{path}: its threshold for singletons is {kept!r:.80}; expected a number: fit it again"
        )
    return float(kept)


def are_singletons(antecedents: np.ndarray, mention_scores: np.ndarray, least: float) -> np.ndarray:
    """Which spans are mentions in no cluster, bool [spans].

    Args:
        antecedents: int [spans], the antecedent of each, -1 for none.
        mention_scores: float [spans], s_m.
        least: the mention score from which on a span is a mention.

    Example:
        are_singletons(np.array([-1, 0, -1, -1]), np.array([5.0, 1.0, 2.0, -3.0]), 0.0)   # the third alone
    """
    alone = antecedents < 0
    alone[antecedents[antecedents >= 0]] = False
    return alone & (mention_scores >= least)
