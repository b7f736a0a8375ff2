#!/usr/bin/env python3
"""Finds out which words of documents refer to the same thing.

python predict.py best book.txt clusters.jsonlines
python predict.py best book.txt page.html
"""

from coref_tf.environment import use_project_environment

use_project_environment()

import argparse  # noqa: E402
import contextlib  # noqa: E402
import dataclasses  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

from coref_tf.config import Experiment, describe, load_experiment  # noqa: E402
from coref_tf.documents import Document, open_writer, read_documents  # noqa: E402
from coref_tf.documents.formats import format_of  # noqa: E402
from coref_tf.documents.text import read_text  # noqa: E402
from coref_tf.errors import CorefError, run_command  # noqa: E402
from coref_tf.features.given_mentions import require_mentions  # noqa: E402
from coref_tf.memory import add_max_memory  # noqa: E402
from coref_tf.page import PageSettings, open_page  # noqa: E402
from coref_tf.progress import Progress  # noqa: E402


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "experiments",
        nargs="+",
        metavar="EXPERIMENT",
        help="a trained experiment of the experiments file; several are an ensemble",
    )
    parser.add_argument(
        "input", metavar="INPUT", help=".jsonlines, .conll, _conll or .txt; - is text on standard input"
    )
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        help=".jsonlines, .conll or _conll; .html is a page to look at; - is jsonlines on standard output",
    )
    parser.add_argument("--conf", default="experiments.conf", metavar="FILE", help="another experiments file")
    parser.add_argument("--checkpoint", metavar="PATH", help="another checkpoint than the experiment's best")
    parser.add_argument("--details", action="store_true", help="add all spans and scores (jsonlines only)")
    parser.add_argument(
        "--dialogue", action="store_true", help="lines `Name: words` of a text name the speaker"
    )
    add_max_memory(parser)
    arguments = parser.parse_args()
    arguments.form = form_of(arguments.output)
    if arguments.details and arguments.form == "conll":
        raise CorefError(
            f"{arguments.output}: --details needs a .jsonlines output; CoNLL has no place for them"
        )
    return arguments


def form_of(output: str) -> str:
    """What is to be written: "jsonlines", "conll" or "html"."""
    if output == "-":
        return "jsonlines"
    return "html" if output.lower().endswith((".html", ".htm")) else format_of(output)


@contextlib.contextmanager
def open_output(arguments: argparse.Namespace, experiments: list[Experiment]) -> Iterator[Callable]:
    """Opens the output; what it yields writes one prediction."""
    if arguments.form == "html":
        source = "text" if arguments.input == "-" else Path(arguments.input).name
        title = f"{' + '.join(arguments.experiments)}, {source}"
        with open_page(arguments.output, title, PageSettings.of(experiments)) as write:
            yield write
        return

    def annotated(prediction) -> Document:
        if arguments.form == "conll":
            return prediction.document.with_clusters(prediction.clusters)
        gained = prediction.summary() | (prediction.details() if arguments.details else {})
        return dataclasses.replace(prediction.document, extra=prediction.document.extra | gained)

    with open_writer("/dev/stdout" if arguments.output == "-" else arguments.output, arguments.form) as write:
        yield lambda prediction: write(annotated(prediction))


def main() -> None:
    """The command."""
    arguments = parse()
    experiments = [load_experiment(name, arguments.conf) for name in arguments.experiments]
    if arguments.input == "-":
        documents = read_text("/dev/stdin", allow_empty=True, dialogue=arguments.dialogue)
    else:
        documents = read_documents(arguments.input, allow_empty=True, dialogue=arguments.dialogue)
    documents = require_mentions(documents, experiments[0].mentions)

    # TensorFlow takes seconds to import: only now that the command line and the experiment are known to be right.
    from coref_tf.prediction import Predictor

    predictor = Predictor.load(experiments, arguments.checkpoint, arguments.max_memory)
    print(describe(experiments), file=sys.stderr)
    progress = Progress()
    details = arguments.details or arguments.form == "html"
    with open_output(arguments, experiments) as write:
        for prediction in predictor.predict_all(documents, details):
            write(prediction)
            progress.add(prediction.document.num_words)
    progress.close()


if __name__ == "__main__":
    run_command(main)
