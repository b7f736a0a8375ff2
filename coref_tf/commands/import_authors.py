"""Imports a checkpoint of the authors' 2017 code (TensorFlow 1).

coref import path/to/model.max.ckpt released

The command writes it as the best checkpoint of the experiment.
"""

import argparse

from coref_tf.commands.options import add_conf
from coref_tf.config import load_experiment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT_PREFIX",
        help="the prefix of the checkpoint, such as logs/final/model.max.ckpt",
    )
    parser.add_argument("experiment", metavar="EXPERIMENT", help="an experiment with the authors' settings")
    add_conf(parser)


def run(arguments: argparse.Namespace) -> None:
    """Reads the checkpoint, checks every variable, and writes it in the format of this project."""
    experiment = load_experiment(arguments.experiment, arguments.conf)
    # TensorFlow takes seconds to import, so import it after the experiment has been checked.
    from coref_tf.models.authors import import_authors_checkpoint

    print(import_authors_checkpoint(arguments.checkpoint, experiment))
