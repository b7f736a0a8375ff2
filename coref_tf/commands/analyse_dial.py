"""`coref analyse dial`: precision and recall against the least probability."""

import argparse
from pathlib import Path

from coref_tf.analysis.dial import write_dial
from coref_tf.commands.options import add_checkpoint, split_changes, split_models, trained
from coref_tf.support.errors import CorefError

DEFAULT_FOLDER = "results"


def add_dial(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="MODEL|DATA|key=value",
        help="a trained experiment, then documents with clusters; settings that differ",
    )
    parser.add_argument(
        "--out",
        default=DEFAULT_FOLDER,
        metavar="FOLDER",
        help=f"where dial.csv and dial.png go; default: {DEFAULT_FOLDER}",
    )
    parser.add_argument(
        "--remove-singletons", action="store_true", help="leave gold clusters of one mention out of the F1"
    )
    add_checkpoint(parser)


def run_dial(arguments: argparse.Namespace) -> None:
    """Predicts, measures and draws."""
    words, changes = split_changes(arguments.words)
    models, data = split_models(words, arguments.conf, least=0)
    if len(models) > 1:
        raise CorefError(f"{' '.join(models)}: several models; expected one, then documents with clusters")
    if not data:
        raise CorefError(
            "no documents are named; expected MODEL DATA, as in `coref analyse dial best dev.conll`"
        )
    [experiment] = trained(models, arguments.conf, changes, arguments.checkpoint)
    write_dial(experiment, data, arguments.checkpoint, Path(arguments.out), arguments.remove_singletons)
