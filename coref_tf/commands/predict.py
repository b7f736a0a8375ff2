"""Finds the words in documents that refer to the same person or thing.

coref predict story.txt                                  prints a listing
coref predict story.txt -o clusters.jsonlines            machine-readable; -o page.html for a browser
coref predict --model best chapters/ more.jsonlines.gz -o clusters.conll
coref predict --text "Ana said she was late."

An INPUT is a file, a folder, a glob pattern, or - for text on standard input. If the first INPUT is the name of an
experiment and not of a file, it is the model. If interrupted, run the same command again to resume after the last
finished document.
"""

import argparse
import dataclasses
import itertools
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coref_tf import __version__
from coref_tf.commands.options import (
    add_checkpoint,
    add_conf,
    add_dialogue,
    add_format,
    add_max_memory,
    add_min_probability,
    add_singletons_too,
    load_predictor,
    minimum_probability,
    open_models,
    split_changes,
    split_models,
)
from coref_tf.config import ExperimentsFile
from coref_tf.documents import Document
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.format import Format, Reading, Writing
from coref_tf.documents.formats import choose_output_format, endings
from coref_tf.documents.hints import TextHints
from coref_tf.documents.inputs import find_inputs, read_inputs, reader_of
from coref_tf.documents.text import text_as_document
from coref_tf.features.given_mentions import MentionFile, require_mentions, with_given_mentions
from coref_tf.inference.output import Output, open_output
from coref_tf.inference.unknown_words import UnknownWords
from coref_tf.models.trained_model import describe_models, singleton_score
from coref_tf.support.errors import CorefError
from coref_tf.support.files import STANDARD_OUTPUT, check_outputs, is_replaceable, readable
from coref_tf.support.progress import Progress
from coref_tf.support.remarks import FirstFew
from coref_tf.support.resources import DEFAULT_MODEL

if TYPE_CHECKING:
    from coref_tf.inference.predictor import Predictor
    from coref_tf.models.trained_model import TrainedModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add = parser.add_argument
    add_inputs(parser)
    add(
        "-o",
        "--output",
        metavar="OUTPUT",
        help=f"output file that ends in {endings(writable=True)}; - writes jsonlines to standard output",
    )
    add_format(parser)
    add("--details", action="store_true", help="add every span and score (jsonlines only)")
    add("--as-script", action="store_true", help=argparse.SUPPRESS)


def add_inputs(parser: argparse.ArgumentParser, min_probability: float | None = 0.0) -> None:
    """Adds the inputs, the models and their options; `min_probability` is the default of --min-probability."""
    add = parser.add_argument
    add(
        "words", nargs="*", metavar="INPUT", help=f"files that end in {endings()}, optionally followed by .gz"
    )
    add(
        "--model",
        action="append",
        metavar="NAME",
        help=f"a bundled model or a trained experiment (default: {DEFAULT_MODEL}); repeat it for an ensemble",
    )
    add("--text", help="a text to resolve")
    add("--genre", help="the genre of texts, such as nw for news (default: that of the model)")
    add_dialogue(parser)
    add_conf(parser)
    add_checkpoint(parser)
    add_max_memory(parser)
    add(
        "--mentions",
        metavar="FILE",
        help="jsonlines with doc_key and mentions to cluster, instead of the mentions that the model detects",
    )
    add_min_probability(parser, min_probability)
    add_singletons_too(parser)


def run(arguments: argparse.Namespace) -> None:
    """Resolves the documents one by one."""
    request = check_request(arguments)
    opened_models = open_request(arguments, request)
    threshold = minimum_probability(arguments, opened_models.models)
    documents = open_documents(arguments, request, opened_models)
    predictor = opened_models.load(arguments, threshold)
    output = arguments.output or STANDARD_OUTPUT
    job = job_of(arguments, request, opened_models.models, threshold)
    with open_output(output, request.form, opened_models.writing(request, arguments.details), job) as opened:
        progress = predict_documents(
            predictor, documents, opened, arguments.details or request.form.predictions_only
        )
    opened_models.report(arguments)
    progress.close("; on standard output" if output == STANDARD_OUTPUT else f"; wrote {readable(output)}")


class PredictRequest(NamedTuple):
    """What a command line asks for: models, inputs and outputs."""

    models: list[str]  # names or paths; empty if --checkpoint names the only model
    experiments: ExperimentsFile
    changes: list[str]  # changed settings, "key=value"
    inputs: list[str]
    form: Format  # the output format


class OpenedModels(NamedTuple):
    """The models of a request, before TensorFlow is loaded, with the options that depend on them."""

    models: list["TrainedModel"]
    given: MentionFile | None  # --mentions
    dialogue: DialogueCount
    hints: TextHints

    def load(self, arguments: argparse.Namespace, threshold: float) -> "Predictor":
        """Builds the predictor, and reports what it is."""
        predictor = load_predictor(
            arguments, self.models, threshold, self.given.mentions_in if self.given else None
        )
        print(describe_models(self.models), file=sys.stderr)
        return predictor

    def writing(self, request: PredictRequest, details: bool = False) -> Writing:
        """Returns the options for writing predictions."""
        experiments = [model.settings for model in self.models]
        return Writing(
            details=details,
            title=title_of([model.name for model in self.models], request.inputs),
            experiments=[with_given_mentions(e) for e in experiments] if self.given else experiments,
        )

    def report(self, arguments: argparse.Namespace) -> None:
        """Reports unused mentions of --mentions, and the turns that --dialogue found; counts further hints."""
        self.hints.close()
        if self.given and (unused := self.given.unused()):
            print(f"warning: {unused}", file=sys.stderr)
        if arguments.dialogue or self.dialogue.turns:
            print(f"dialogue: {self.dialogue}", file=sys.stderr)


def open_request(arguments: argparse.Namespace, request: PredictRequest) -> OpenedModels:
    """Opens the models of a request, and the file of --mentions."""
    models = open_models(request.models, request.experiments, request.changes, arguments.checkpoint)
    if arguments.singletons:
        singleton_score(models)  # raises an error now if no threshold has been fitted
    given = MentionFile.read(arguments.mentions) if arguments.mentions else None
    warn_about_genre(arguments.genre, models[0])
    return OpenedModels(models, given, DialogueCount(), TextHints(conversations=not arguments.dialogue))


def warn_about_genre(genre: str | None, model: "TrainedModel") -> None:
    """Warns on standard error if the model does not know the genre of the command line."""
    if genre and genre not in model.settings.genres:
        print(
            f"warning: {model.name} does not know the genre {genre} and uses {model.settings.default_genre};"
            f" known genres: {', '.join(model.settings.genres)}",
            file=sys.stderr,
        )


def check_request(arguments: argparse.Namespace) -> PredictRequest:
    """Parses the command line, and raises errors about inputs and outputs before anything takes time."""
    words, changes = split_changes(arguments.words)
    experiments = ExperimentsFile(arguments.conf)
    if arguments.as_script:
        models, words, arguments.output = script_words(words, arguments.output)
    else:
        models, words = split_models(words, experiments, min_inputs=1 if arguments.text is None else 0)
    models = arguments.model or models or ([] if arguments.checkpoint else [DEFAULT_MODEL])
    form = format_with_details(arguments.output, arguments.format, arguments.details)
    inputs = find_inputs(words)
    for path in inputs:
        reader_of(path)
    check_outputs([arguments.output or STANDARD_OUTPUT], [*inputs, arguments.mentions])
    if not inputs and arguments.text is None:
        raise CorefError("no input; expected files, folders, - or --text; see `coref predict --help`")
    return PredictRequest(models, experiments, changes, inputs, form)


def open_documents(
    arguments: argparse.Namespace,
    request: PredictRequest,
    opened: OpenedModels,
    read: Callable[[Reading], Iterator[Document]] | None = None,
) -> Iterator[Document]:
    """Opens the documents, and reads the first one.

    Errors in it are reported before the model is built, and loading the tokenizer does not count as prediction time.

    Args:
        arguments: the parsed command line.
        request: the request of the command line.
        opened: its models.
        read: streams the documents; by default, --text and those of the inputs.
    """
    settings, given = opened.models[0].settings, opened.given
    reading = Reading(
        allow_empty=True,
        dialogue=arguments.dialogue,
        genre=arguments.genre,
        language=settings.language,
        heard=opened.dialogue,
        on_text=opened.hints,
    )
    documents = read(reading) if read else read_text_or_inputs(arguments.text, request.inputs, reading)
    documents = given.checked(documents) if given else require_mentions(documents, settings.mentions)
    return itertools.chain(list(itertools.islice(documents, 1)), documents)


def predict_documents(
    predictor: "Predictor", documents: Iterator[Document], opened: Output, details: bool
) -> Progress:
    """Predicts and writes the remaining documents, and warns about documents without words or with unknown words."""
    progress, unknown_words = Progress(), UnknownWords(predictor.tensorizer.known)
    empty = FirstFew("warning: {} more documents have no words")
    if opened.done:
        plural = "s" if opened.done > 1 else ""
        print(f"resuming after {opened.done:,} document{plural}", file=sys.stderr)
    left = itertools.islice(documents, opened.done, None)
    for prediction in predictor.predict_all(left, details):
        opened.write(prediction)
        unknown_words.see(prediction.document)
        if not prediction.document.num_words:
            empty.print(f"warning: document {prediction.document.key} has no words")
        progress.add(prediction.document.num_words, len(prediction.clusters))
    unknown_words.close()
    empty.close()
    return progress


def script_words(words: Sequence[str], output: str | None) -> tuple[list[str], list[str], str | None]:
    """Returns the models, inputs and output of `python predict.py [EXPERIMENT...] INPUT [OUTPUT]`."""
    if output is None and len(words) > 2:
        *words, output = words
    if not words:
        raise CorefError(
            "expected INPUT or EXPERIMENT... INPUT OUTPUT, as in `python predict.py best story.txt page.html`"
        )
    return list(words[:-1]), list(words[-1:]), output


def format_with_details(output: str | None, name: str | None, details: bool) -> Format:
    """Returns the output format; raises an error if it cannot hold the requested details."""
    if output and not name and is_replaceable(output) and output.lower().endswith(".txt"):
        # Text is a format of inputs only; a text file of clusters is a listing.
        raise CorefError(
            f"{readable(output)}: text is an input format; add --format listing to write what the command prints, or"
            " use `coref resolve` to write the text with its pronouns replaced"
        )
    form = choose_output_format(output or STANDARD_OUTPUT, name if output or name else "listing")
    if details and not form.holds_details:
        where = f"{readable(output)}: " if output else ""
        raise CorefError(
            f"{where}--details needs a .jsonlines output, such as -o clusters.jsonlines; the format {form.name} cannot"
            " hold every span and score"
        )
    return form


def read_text_or_inputs(text: str | None, inputs: Sequence[str], reading: Reading) -> Iterator[Document]:
    """Reads the documents to resolve: --text first, then those in the files."""
    typed = (text_as_document(given, "text", reading) for given in [text] if given is not None)
    return itertools.chain(typed, read_inputs(inputs, reading))


def title_of(models: Sequence[str], inputs: Sequence[str]) -> str:
    """Returns the title of a page with all documents."""
    names = ["text" if path == "-" else readable(Path(path).name) for path in inputs] or ["text"]
    shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return f"{' + '.join(models)}, {shown}"


def job_of(
    arguments: argparse.Namespace, request: PredictRequest, models: Sequence["TrainedModel"], threshold: float
) -> dict[str, Any] | None:
    """Returns everything that the output depends on; an interrupted run is resumed only if none of it has changed."""
    mentions = [arguments.mentions] if arguments.mentions else []
    files = [Path(file).resolve() for file in (*request.inputs, *mentions, *(model.path for model in models))]
    if not all(file.is_file() for file in files):  # a pipe can be read only once
        return None
    settings = [dataclasses.asdict(model.settings) for model in models]
    return {
        "version": __version__,
        "experiments": json.loads(json.dumps(settings, default=str)),
        "files": [(os.fsdecode(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files],
        "options": [
            request.form.name,
            arguments.details,
            arguments.dialogue,
            arguments.genre,
            arguments.text,
            threshold,
            arguments.singletons,
        ],
    }
