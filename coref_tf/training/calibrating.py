"""Calibrates the best model on the dev set after training, and stores the calibration in its checkpoint.

The checkpoint also stores precision and recall by probability, and a shift of the antecedent scores if one is applied.
"""

import os
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from coref_tf.config import Experiment
from coref_tf.documents import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.fit import fit as fit_calibration
from coref_tf.evaluation.calibration.link_curve import count_gold_links, link_curve
from coref_tf.inference.predictor import Predictor
from coref_tf.models import calibration as calibrations
from coref_tf.models import dial as dials
from coref_tf.models.checkpoint import best_checkpoint_path, change_checkpoint, read_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError


def needs_calibration(experiment: Experiment) -> bool:
    """Returns whether there is a best model that is not calibrated; each new best checkpoint starts without one."""
    path = best_checkpoint_path(experiment)
    return path.exists() and not {calibrations.STATE, dials.STATE} <= set(read_checkpoint(path).state)


def calibrate_best(
    experiment: Experiment, documents: Sequence[Document], checkpoint: str | os.PathLike | None = None
) -> None:
    """Fits the temperature and offset of the best model, and measures precision and recall of links by probability.

    Both are added to the checkpoint; nothing else in it changes. If the documents do not allow a fit, the checkpoint
    stays as it is, and a warning on stderr gives the reason.

    Args:
        experiment: The experiment of the model.
        documents: The dev set, with gold clusters.
        checkpoint: Another checkpoint to calibrate, instead of the best one.
    """
    path = checkpoint or best_checkpoint_path(experiment)
    predictions = Predictor.from_models([open_experiment(experiment, path)]).predict_all(
        documents, details=True
    )
    decisions = Decisions.joined([Decisions.from_prediction(each) for each in predictions])
    try:
        calibration = fit_calibration(decisions)
    except CorefError as error:
        print(f"warning: {path}: its probabilities are not calibrated: {error}", file=sys.stderr)
        return
    dial = link_curve(decisions, calibration, count_gold_links(documents))
    fitted = {calibrations.STATE: calibration._asdict(), dials.STATE: dial.as_state()}
    change_checkpoint(path, state={**read_checkpoint(path).state, **fitted})
    print(
        f"probabilities fitted on {len(documents)} documents: temperature {calibration.temperature:.3f}, offset of the"
        f" dummy {calibration.offset:+.3f}",
        flush=True,
    )


def keep_shift(model: TrainedModel, shift: float, documents: Sequence[Document]) -> None:
    """Adds a shift to all antecedent scores in a model's checkpoint, and calibrates it again."""
    # The present calibration would be wrong for the shifted scores.
    fitted = (calibrations.STATE, dials.STATE)
    state = {name: value for name, value in model.checkpoint.state.items() if name not in fitted}
    change_checkpoint(model.path, variables=shifted(model.variables, model.settings, shift), state=state)
    calibrate_best(model.settings, documents, model.path)


def shifted(
    variables: Mapping[str, np.ndarray], experiment: Experiment, shift: float
) -> dict[str, np.ndarray]:
    """Returns a model's variables, changed so that all antecedent scores increase by the shift."""
    name = f"antecedent_scorer/ffnn/bias_{experiment.ffnn_depth}"
    return {**variables, name: variables[name] + np.asarray(shift, variables[name].dtype)}
