"""What follows training: the best model's probabilities are fitted on the dev set, and what they are worth there is
measured; both are kept in its checkpoint. So is how readily it links, where that is changed.
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
    """Whether there is a best model whose probabilities are still to be fitted: each new best one is without a fit."""
    path = best_checkpoint_path(experiment)
    return path.exists() and not {calibrations.STATE, dials.STATE} <= set(read_checkpoint(path).state)


def calibrate_best(
    experiment: Experiment, documents: Sequence[Document], checkpoint: str | os.PathLike | None = None
) -> None:
    """Fits temperature and offset, measures precision and recall of links against how probable they are, and writes the
    best model's checkpoint again, with both; nothing else of it changes.

    Where the documents don't allow a fit, the checkpoint stays without one, and stderr has the reason.

    Args:
        experiment: whose best model it is.
        documents: the dev set, with gold clusters.
        checkpoint: where it isn't the best model that is meant.
    """
    path = checkpoint or best_checkpoint_path(experiment)
    predictions = Predictor.from_models([open_experiment(experiment, path)]).predict_all(
        documents, details=True
    )
    decisions = Decisions.joined([Decisions.from_prediction(each) for each in predictions])
    try:
        calibration = fit_calibration(decisions)
    except CorefError as error:
        print(f"warning: {path}: its probabilities stay as they are: {error}", file=sys.stderr)
        return
    dial = link_curve(decisions, calibration, count_gold_links(documents))
    fitted = {calibrations.STATE: calibration._asdict(), dials.STATE: dial.as_state()}
    change_checkpoint(path, state={**read_checkpoint(path).state, **fitted})
    print(
        f"probabilities fitted on {len(documents)} documents: temperature {calibration.temperature:.3f}, offset of the dummy"
        f" {calibration.offset:+.3f}",
        flush=True,
    )


def keep_shift(model: TrainedModel, shift: float, documents: Sequence[Document]) -> None:
    """Adds the shift to all antecedents' scores in a model's checkpoint, and calibrates it anew."""
    # The probabilities of the scores before would be wrong now.
    fitted = (calibrations.STATE, dials.STATE)
    state = {name: value for name, value in model.checkpoint.state.items() if name not in fitted}
    change_checkpoint(model.path, variables=shifted(model.variables, model.settings, shift), state=state)
    calibrate_best(model.settings, documents, model.path)


def shifted(
    variables: Mapping[str, np.ndarray], experiment: Experiment, shift: float
) -> dict[str, np.ndarray]:
    """A model's variables, so that all its antecedents' scores are larger by the shift."""
    name = f"antecedent_scorer/ffnn/bias_{experiment.ffnn_depth}"
    return {**variables, name: variables[name] + np.asarray(shift, variables[name].dtype)}
