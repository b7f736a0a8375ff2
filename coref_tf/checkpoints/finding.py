"""Which model a name stands for."""

import difflib
import os
from pathlib import Path

from coref_tf.checkpoints.checkpoint import best_checkpoint_path
from coref_tf.config import Experiment, experiment_names, load_experiment
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import bundled_models


def find_model(name: str | os.PathLike, conf: str | os.PathLike | None = None) -> Experiment | Path:
    """What a name stands for: a trained experiment, or the path of a checkpoint or export.

    Names come first: of an experiment that is trained, then of a model that came with the package. A path that reads
    like one of them is told apart by a folder before it, as in ./best.
    """
    bundled = bundled_models()
    experiments = experiment_names(conf)
    if name in experiments:
        experiment = load_experiment(name, conf)
        if best_checkpoint_path(experiment).is_file() or name not in bundled:
            return experiment
    if name in bundled:
        return bundled[name]
    if os.path.exists(name):
        return Path(name)
    close = difflib.get_close_matches(str(name), [*experiments, *bundled], n=1)
    meant = f" (did you mean {close[0]}?)" if close else ""
    came = f"models that came with it: {', '.join(bundled)}" if bundled else "no model came with this package"
    raise CorefError(
        f"{name}: neither an experiment{meant} nor a checkpoint or exported folder; {came};"
        " `coref train best` trains one"
    )
