"""The figures of a training run, from its last checkpoint."""

from typing import Any

from coref_tf.config import Experiment
from coref_tf.models.checkpoint import read_checkpoint


def training_figures(experiment: Experiment) -> dict[str, Any]:
    """Returns the steps and epochs of a run that has ended, and its dev F1 after each evaluation.

    Example:
        training_figures(best0)     # {"steps": 3540, "epochs": 20, "best_step": 3009, "best_f1": 0.57, "dev_f1": [...]}
    """
    run = read_checkpoint(experiment.log_dir / "latest.h5").state["run"]
    return {
        "steps": run["step"],
        "epochs": None
        if experiment.eval_frequency
        else len(run["history"]),  # one evaluation after each epoch
        "best_step": run["best_step"],
        "best_f1": run["best_f1"],
        "dev_f1": [evaluation["dev"] for evaluation in run["history"]],
    }
