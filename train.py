#!/usr/bin/env python3
"""Trains an experiment of experiments.conf; after a stop, the same command goes on where it stopped.

python train.py best
python train.py best --epochs 20 lstm_size=100
"""

from coref_tf.support.environment import use_project_environment

use_project_environment()

import argparse  # noqa: E402
import shlex  # noqa: E402
import sys  # noqa: E402

from coref_tf.commands.options import add_conf, new_parser  # noqa: E402
from coref_tf.config import Experiment, describe, load_experiment  # noqa: E402
from coref_tf.support.errors import run_command  # noqa: E402


def parse() -> argparse.Namespace:
    """The command line."""
    parser = new_parser(__doc__)
    parser.add_argument("experiment", metavar="EXPERIMENT", help="an experiment of the experiments file")
    parser.add_argument(
        "changes", metavar="key=value", nargs="*", help="settings that differ from the file's"
    )
    add_conf(parser)
    parser.add_argument("--epochs", type=int, metavar="N", help="max_epochs=N")
    parser.add_argument("--max-steps", type=int, metavar="N", help="stop after so many steps")
    parser.add_argument("--seed", type=int, metavar="N", help="seed=N")
    parser.add_argument(
        "--strategy", choices=["mirrored", "multi_worker"], help="train on several devices or machines"
    )
    return parser.parse_intermixed_args()


def settings(arguments: argparse.Namespace) -> Experiment:
    """The experiment with the command line's changes."""
    changes = list(arguments.changes)
    if arguments.epochs is not None:
        changes.append(f"max_epochs={arguments.epochs}")
    if arguments.seed is not None:
        changes.append(f"seed={arguments.seed}")
    return load_experiment(arguments.experiment, arguments.conf, changes)


def main() -> int:
    """The command."""
    arguments = parse()
    experiment = settings(arguments)
    # TensorFlow takes seconds to import: only now that the command line and the experiment are known to be right.
    from coref_tf.training.fit import fit
    from coref_tf.training.strategies import make_strategy

    corpus = " + ".join(map(str, experiment.train_path))
    print(describe([experiment], corpus), flush=True)
    outcome = fit(experiment, arguments.max_steps, make_strategy(arguments.strategy))
    if outcome.interrupted:
        command = shlex.join(["python", *sys.argv])
        print(f"stopped at step {outcome.state.step}; `{command}` goes on from there", file=sys.stderr)
        return 130
    return report(experiment, outcome.state) if outcome.chief else 0


def report(experiment: Experiment, state) -> int:
    """Prints the best model's scores on the dev set."""
    from coref_tf.evaluation.evaluate import evaluate
    from coref_tf.inference.predictor import Predictor
    from coref_tf.scoring.table import score_table
    from coref_tf.training.fit import read_corpus

    evaluation = evaluate(Predictor.load([experiment]), read_corpus(experiment.eval_path))
    print(
        f"\nbest model: step {state.best_step}, {experiment.log_dir / 'best.h5'}; on {experiment.eval_path}:\n"
    )
    print(score_table({"all": evaluation.scores}))
    print(
        f"\nmention recall {100 * evaluation.mention_recall:.1f} % at {evaluation.spans_per_word:.2f} spans a word"
    )
    return 0


if __name__ == "__main__":
    run_command(main)
