"""What follows training: the best model's probabilities are fitted on the dev set, and kept in its checkpoint."""

import dataclasses
import sys
from collections.abc import Sequence

from coref_tf.checkpoints.checkpoint import best_checkpoint_path, read_checkpoint, write_checkpoint
from coref_tf.config import Experiment
from coref_tf.documents import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.fit import fit as fit_calibration
from coref_tf.inference.calibration import STATE
from coref_tf.inference.predictor import Predictor
from coref_tf.support.errors import CorefError


def needs_calibration(experiment: Experiment) -> bool:
    """Whether there is a best model whose probabilities are still to be fitted: each new best one is without a fit."""
    path = best_checkpoint_path(experiment)
    return path.exists() and STATE not in read_checkpoint(path).state


def calibrate_best(experiment: Experiment, documents: Sequence[Document]) -> None:
    """Fits temperature and offset, and writes the best model's checkpoint again, with them; nothing else of it changes.

    Where the documents don't allow a fit, the checkpoint stays without one, and stderr has the reason.

    Args:
        experiment: whose best model it is.
        documents: the dev set, with gold clusters.
    """
    path = best_checkpoint_path(experiment)
    predictions = Predictor.load([experiment]).predict_all(documents, details=True)
    try:
        calibration = fit_calibration(Decisions.joined([Decisions.of(each) for each in predictions]))
    except CorefError as error:
        print(f"warning: {path}: its probabilities stay as they are: {error}", file=sys.stderr)
        return
    checkpoint = read_checkpoint(path)
    state = {**checkpoint.state, STATE: calibration._asdict()}
    write_checkpoint(path, dataclasses.replace(checkpoint, state=state))
    print(
        f"probabilities fitted on the dev set: temperature {calibration.temperature:.3f}, offset of the dummy"
        f" {calibration.offset:+.3f}",
        flush=True,
    )
