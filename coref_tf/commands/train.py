"""Trains an experiment of experiments.conf. If interrupted, run the same command again to resume.

coref train best
coref train best --epochs 20 lstm_size=100
"""

import argparse
import sys
from typing import TYPE_CHECKING

from coref_tf.commands.options import add_conf
from coref_tf.config import Experiment, describe, load_experiment
from coref_tf.support.environment import invocation
from coref_tf.support.extras import require_extra

if TYPE_CHECKING:
    from coref_tf.training.run_state import RunState


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="an experiment in the experiments file")
    parser.add_argument(
        "changes", metavar="key=value", nargs="*", default=[], help="settings that override those in the file"
    )
    add_conf(parser)
    parser.add_argument(
        "--epochs", type=int, metavar="N", help="train for at most N epochs, like max_epochs=N"
    )
    parser.add_argument("--max-steps", type=int, metavar="N", help="stop after N steps")
    parser.add_argument("--seed", type=int, metavar="N", help="the random seed, like seed=N")
    parser.add_argument(
        "--strategy",
        choices=["mirrored", "multi_worker"],
        help="train on several GPUs (mirrored) or machines (multi_worker)",
    )


def settings(arguments: argparse.Namespace) -> Experiment:
    """Returns the experiment with the changes of the command line."""
    changes = list(arguments.changes)
    if arguments.epochs is not None:
        changes.append(f"max_epochs={arguments.epochs}")
    if arguments.seed is not None:
        changes.append(f"seed={arguments.seed}")
    return load_experiment(arguments.experiment, arguments.conf, changes)


def run(arguments: argparse.Namespace) -> int:
    """Trains, and prints the scores of the best model."""
    require_extra("train", "training")
    experiment = settings(arguments)
    # TensorFlow takes seconds to import, so import it after the command line and the experiment have been checked.
    from coref_tf.training.fit import fit
    from coref_tf.training.strategies import make_strategy

    corpus = " + ".join(map(str, experiment.train_path))
    print(describe(experiment, corpus), flush=True)
    try:
        outcome = fit(experiment, arguments.max_steps, make_strategy(arguments.strategy))
    except KeyboardInterrupt:  # outside the training steps, such as while contextual vectors are computed
        print(f"stopped; `{invocation()}` resumes the run", file=sys.stderr)
        raise
    if outcome.interrupted:
        print(f"stopped at step {outcome.state.step}; `{invocation()}` resumes from there", file=sys.stderr)
        return 130
    return report(experiment, outcome.state) if outcome.chief else 0


def report(experiment: Experiment, state: "RunState") -> int:
    """Prints the scores of the best model on the dev set."""
    from coref_tf.evaluation.evaluate import evaluate
    from coref_tf.inference.predictor import Predictor
    from coref_tf.models.open_model import open_experiment
    from coref_tf.scoring.table import score_table
    from coref_tf.training.corpora import read_corpus

    predictor = Predictor.from_models([open_experiment(experiment)])
    evaluation = evaluate(predictor, read_corpus(experiment.eval_path))
    print(
        f"\nbest model: step {state.best_step}, {experiment.log_dir / 'best.h5'}; on {experiment.eval_path}:\n"
    )
    print(score_table({"all": evaluation.scores}))
    print(
        f"\nmention recall {100 * evaluation.mention_recall:.1f}% at {evaluation.spans_per_word:.2f} spans per word"
    )
    return 0
