"""Finds out which words of documents refer to the same thing.

coref predict best book.txt clusters.jsonlines
coref predict best book.txt page.html
"""

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coref_tf import __version__
from coref_tf.checkpoints.checkpoint import best_checkpoint_path
from coref_tf.commands.options import add_checkpoint, add_experiments, add_max_memory
from coref_tf.config import Experiment, describe, load_experiment
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.formats import format_of, writer_of
from coref_tf.documents.text import read_text
from coref_tf.features.given_mentions import require_mentions
from coref_tf.page import PageSettings, open_page
from coref_tf.support.errors import CorefError
from coref_tf.support.progress import Progress
from coref_tf.support.resuming import resumable_write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add_experiments(parser)
    parser.add_argument(
        "input", metavar="INPUT", help=".jsonlines, .conll, _conll or .txt; - is text on standard input"
    )
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        help=".jsonlines, .conll or _conll; .html is a page to look at; - is jsonlines on standard output",
    )
    add_checkpoint(parser)
    parser.add_argument("--details", action="store_true", help="add all spans and scores (jsonlines only)")
    parser.add_argument(
        "--dialogue", action="store_true", help="lines `Name: words` of a text name the speaker"
    )
    add_max_memory(parser)


def run(arguments: argparse.Namespace) -> None:
    """Resolves document after document."""
    arguments.form = form_of(arguments.output)
    if arguments.details and arguments.form == "conll":
        raise CorefError(
            f"{arguments.output}: --details needs a .jsonlines output; CoNLL has no place for them"
        )
    experiments = [load_experiment(name, arguments.conf) for name in arguments.experiments]
    if arguments.input == "-":
        documents = read_text("/dev/stdin", allow_empty=True, dialogue=arguments.dialogue)
    else:
        documents = read_documents(arguments.input, allow_empty=True, dialogue=arguments.dialogue)
    documents = require_mentions(documents, experiments[0].mentions)

    # TensorFlow takes seconds to import: only now that the command line and the experiment are known to be right.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.load(experiments, arguments.checkpoint, arguments.max_memory)
    print(describe(experiments), file=sys.stderr)
    progress = Progress()
    details = arguments.details or arguments.form == "html"
    with open_output(arguments, experiments) as output:
        if output.done:
            print(f"going on after {output.done:,} documents", file=sys.stderr)
        for prediction in predictor.predict_all(itertools.islice(documents, output.done, None), details):
            output.write(prediction)
            progress.add(prediction.document.num_words)
    progress.close()


def form_of(output: str) -> str:
    """What is to be written: "jsonlines", "conll" or "html"."""
    if output == "-":
        return "jsonlines"
    return "html" if output.lower().endswith((".html", ".htm")) else format_of(output)


class Output(NamedTuple):
    """Where predictions go."""

    write: Callable[[Any], None]  # one prediction
    done: int = 0  # how many documents are there from a run that was stopped


@contextlib.contextmanager
def open_output(arguments: argparse.Namespace, experiments: list[Experiment]) -> Iterator[Output]:
    """Opens the output."""
    if arguments.form == "html":
        source = "text" if arguments.input == "-" else Path(arguments.input).name
        title = f"{' + '.join(arguments.experiments)}, {source}"
        with open_page(arguments.output, title, PageSettings.of(experiments)) as write:
            yield Output(write)
        return

    def annotated(prediction) -> Document:
        if arguments.form == "conll":
            return prediction.document.with_clusters(prediction.clusters)
        gained = prediction.summary() | (prediction.details() if arguments.details else {})
        return dataclasses.replace(prediction.document, extra=prediction.document.extra | gained)

    path = Path("/dev/stdout" if arguments.output == "-" else arguments.output)
    if not (is_file(path) and is_file(arguments.input)):  # a pipe is read and written once
        with open_writer(path, arguments.form) as write:
            yield Output(lambda prediction: write(annotated(prediction)))
        return

    with resumable_write(path, job_of(arguments, experiments)) as partial:
        write = writer_of(arguments.form, partial.file, partial.end)

        def write_and_count(prediction) -> None:
            write(annotated(prediction))
            partial.add()

        try:
            yield Output(write_and_count, partial.done)
        except BaseException:
            if partial.done:
                print(
                    f"{partial.done:,} documents are kept; the same command goes on after them",
                    file=sys.stderr,
                )
            raise


def is_file(path: str | os.PathLike) -> bool:
    """Whether this is a file, or may become one; "-", pipes and devices are none."""
    return path != "-" and (Path(path).is_file() or not Path(path).exists())


def job_of(arguments: argparse.Namespace, experiments: list[Experiment]) -> dict[str, Any]:
    """All that the output depends on: a run that was stopped goes on if nothing of it has changed."""
    checkpoints = [arguments.checkpoint] if arguments.checkpoint else map(best_checkpoint_path, experiments)
    files = [Path(file).resolve() for file in (arguments.input, *checkpoints)]
    return {
        "version": __version__,
        "experiments": [json.loads(json.dumps(dataclasses.asdict(e), default=str)) for e in experiments],
        "files": [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files],
        "options": [arguments.form, arguments.details, arguments.dialogue],
    }
