"""Exports a trained model as a SavedModel that takes text and returns clusters, wherever TensorFlow runs.

coref export best models/coref --portable

The model is written to DIR/1, then DIR/2, ...; DIR is the last argument.
"""

import argparse
import sys
from pathlib import Path

from coref_tf.commands.options import add_experiments, open_models, split_changes
from coref_tf.encoder.encoder_config import DTYPES
from coref_tf.support.errors import CorefError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_experiments(parser, "DIR")
    parser.add_argument(
        "--portable",
        action="store_true",
        help="use only TensorFlow's built-in ops: slower, but loads anywhere",
    )
    parser.add_argument(
        "--vocabulary",
        type=_vocabulary,
        metavar="N|all",
        help="keep the first N words of each vector file, which are usually the most frequent (default: all)",
    )
    parser.add_argument("--float16-vectors", action="store_true", help="store word vectors in half precision")
    parser.add_argument(
        "--encoder-weights",
        choices=DTYPES,
        default="float32",
        help="how to store the matrices of a contextual encoder: float16 takes half the space, int8 a quarter",
    )


def _vocabulary(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number of words, or all. Received: {text!r}")
    return int(text)


def run(arguments: argparse.Namespace) -> None:
    """Builds the graph and writes it."""
    words, changes = split_changes(arguments.words)
    if not words or (len(words) == 1 and not arguments.checkpoint):
        raise CorefError("expected a model and a folder, as in `coref export english models/coref`")
    *names, last = words
    folder = Path(last)
    if folder.exists() and not folder.is_dir():
        raise CorefError(f"{folder}: is a file; expected a folder, or a name that does not exist yet")
    models = open_models(names, arguments.conf, changes, arguments.checkpoint)

    # TensorFlow takes seconds to import, so import it after the command line and the experiments have been checked.
    from coref_tf.encoder.context_words import choose_products
    from coref_tf.export.building import ExportOptions
    from coref_tf.export.writing import export

    for model in models if arguments.portable else ():
        context, encoder = model.settings.context, model.encoder
        if context and encoder and choose_products(context, encoder, "custom") == "int8":
            print(
                f"note: {model.name}: a portable export multiplies the encoder's matrices in float32;"
                " without --portable it uses int8",
                file=sys.stderr,
            )

    options = ExportOptions(
        arguments.portable, arguments.vocabulary, arguments.float16_vectors, arguments.encoder_weights
    )
    version = export(models, folder, options)
    size = sum(file.stat().st_size for file in version.rglob("*") if file.is_file())
    print(f"{version}: {size / 2**20:.0f} MB; {folder / 'README.md'} describes how to use it")
