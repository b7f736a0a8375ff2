"""Packs a trained model and its contextual encoder into one small file.

coref pack contextual english.h5
coref pack contextual english.h5 --encoder-weights float16 --about licence="CC BY 4.0"

The file is a checkpoint: `coref predict --checkpoint english.h5 ...` and `coref_tf.load("english.h5")` need no other
file except the word vectors in the package. A packed model in data/models can be loaded by its name.
"""

import argparse
import os
from pathlib import Path

from coref_tf.commands.options import add_checkpoint, add_conf, open_models, split_changes
from coref_tf.encoder.encoder_config import DTYPES
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_ending, check_outputs, is_replaceable, printing_beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add = parser.add_argument
    add(
        "words",
        nargs="+",
        metavar="EXPERIMENT|OUT.h5",
        help="a trained experiment, settings to change (key=value), and finally the output file",
    )
    add(
        "--encoder-weights",
        choices=DTYPES,
        default="int8",
        help="how to store the encoder's matrices (default: int8, with one scale per output)",
    )
    add(
        "--weights",
        choices=("float32", "float16"),
        default="float16",
        help="how to store the model's own matrices (default: float16)",
    )
    add(
        "--about",
        action="append",
        default=[],
        metavar="NAME=TEXT",
        help="a description stored in the file, such as licence=...; can be repeated",
    )
    add_conf(parser)
    add_checkpoint(parser)


def run(arguments: argparse.Namespace) -> None:
    """Packs the best checkpoint of the experiment, or the one given by --checkpoint."""
    words, changes = split_changes(arguments.words)
    if not words or len(words) > (1 if arguments.checkpoint else 2):
        raise CorefError("expected EXPERIMENT OUT.h5, or --checkpoint PATH OUT.h5; see `coref pack --help`")
    *names, output = words
    if not names and not arguments.checkpoint:
        raise CorefError(f"{output}: is the output file; expected a trained experiment before it")
    check_ending(output, ".h5")
    about = dict(_parse_about(text) for text in arguments.about)

    from coref_tf.models.packing import PackOptions, pack_model

    [model] = open_models(names, arguments.conf, changes, arguments.checkpoint)
    check_outputs([output], [os.fspath(model.path)])
    options = PackOptions(arguments.encoder_weights, arguments.weights, about, changes)
    summary = pack_model(model, output, options)
    encoder = (
        f", an encoder of {summary['encoder']:,} in {options.encoder_weights}" if summary["encoder"] else ""
    )
    size = f"{Path(output).stat().st_size / 2**20:.1f} MB; " if is_replaceable(output) else ""
    with printing_beside(output):
        print(f"{output}: {size}{summary['weights']:,} weights in {options.weights}{encoder}")


def _parse_about(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise CorefError(f'--about must be NAME=TEXT, as in licence="CC BY 4.0". Received: {text!r:.80}')
    return name.strip(), value.strip()
