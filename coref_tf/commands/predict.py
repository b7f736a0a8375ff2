"""Finds out which words of documents refer to the same thing.

coref predict story.txt                                  a listing, here in the terminal
coref predict story.txt -o clusters.jsonlines            for programs; -o page.html is a page to look at
coref predict --model best chapters/ more.jsonlines.gz -o clusters.conll
coref predict --text "Ana said she was late."

An INPUT is a file, a folder, a pattern, or - for text on standard input. A first INPUT that names an experiment, and no
file, is the model. Stopped half way through many documents, the same command goes on after those that are done.
"""

import argparse
import dataclasses
import itertools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coref_tf import __version__
from coref_tf.checkpoints.checkpoint import model_path
from coref_tf.commands.options import (
    add_checkpoint,
    add_conf,
    add_dialogue,
    add_format,
    add_max_memory,
    add_min_probability,
    add_singletons_too,
    least_probability,
    load_predictor,
    split_changes,
    split_models,
    trained,
)
from coref_tf.config import Experiment, describe
from coref_tf.documents import Document
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.format import Format, Reading, Writing
from coref_tf.documents.formats import choose_output_format, endings
from coref_tf.documents.inputs import find_inputs, read_inputs, reader_of
from coref_tf.documents.text import text_as_document
from coref_tf.features.given_mentions import GIVEN, require_mentions
from coref_tf.features.mention_file import MentionFile
from coref_tf.inference.output import open_output
from coref_tf.inference.singletons import singleton_score
from coref_tf.inference.unknown_words import UnknownWords
from coref_tf.support.errors import CorefError
from coref_tf.support.files import STANDARD_OUTPUT, check_outputs, readable
from coref_tf.support.progress import Progress
from coref_tf.support.resources import DEFAULT_MODEL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add_inputs(parser)
    add(
        "-o",
        "--output",
        metavar="OUTPUT",
        help=f"a name that ends in {endings(writable=True)}; - is jsonlines",
    )
    add_format(parser)
    add("--details", action="store_true", help="add all spans and scores (jsonlines only)")
    add("--as-script", action="store_true", help=argparse.SUPPRESS)


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """What is resolved, and by which model."""
    add = parser.add_argument
    add("words", nargs="*", metavar="INPUT", help=f"documents: names that end in {endings()}, also with .gz")
    add(
        "--model",
        action="append",
        metavar="NAME",
        help=f"unless {DEFAULT_MODEL}: a trained experiment, or a model that came along; several are an ensemble",
    )
    add("--text", help="resolve this text")
    add("--genre", help="of texts, such as nw for news; unless told, the model's default")
    add_dialogue(parser)
    add_conf(parser)
    add_checkpoint(parser)
    add_max_memory(parser)
    add(
        "--mentions",
        metavar="FILE",
        help="cluster these mentions instead of those that the model finds: jsonlines with doc_key and mentions",
    )
    add_min_probability(parser)
    add_singletons_too(parser)


def run(arguments: argparse.Namespace) -> None:
    """Resolves document after document."""
    words, changes = split_changes(arguments.words)
    if arguments.as_script:
        models, words, arguments.output = script_words(words, arguments.output)
    else:
        models, words = split_models(words, arguments.conf, least=1 if arguments.text is None else 0)
    models = arguments.model or models or ([] if arguments.checkpoint else [DEFAULT_MODEL])
    form = output_format(arguments.output, arguments.format, arguments.details)
    inputs = find_inputs(words)
    for path in inputs:
        reader_of(path)
    check_outputs([arguments.output or STANDARD_OUTPUT], [*inputs, arguments.mentions])
    if not inputs and arguments.text is None:
        raise CorefError("nothing to resolve; expected files, folders, - or --text; `coref predict --help`")
    experiments = trained(models, arguments.conf, changes, arguments.checkpoint)
    if arguments.singletons:
        singleton_score(experiments, arguments.checkpoint)  # says at once when none is fitted
    given = MentionFile.read(arguments.mentions) if arguments.mentions else None
    least = least_probability(arguments, experiments)
    dialogue = DialogueCount()
    reading = Reading(
        allow_empty=True,
        dialogue=arguments.dialogue,
        genre=arguments.genre,
        language=experiments[0].language,
        heard=dialogue,
    )
    documents = given_documents(arguments.text, inputs, reading)
    documents = given.checked(documents) if given else require_mentions(documents, experiments[0].mentions)
    # Read before the model is loaded: what is wrong with it is told at once, and the tokenizer's start isn't counted.
    documents = itertools.chain(list(itertools.islice(documents, 1)), documents)

    predictor = load_predictor(arguments, experiments, least, given.of if given else None)
    print(describe(experiments), file=sys.stderr)
    predictor.prepare(arguments.details or form.predictions_only)
    progress, unknown_words = Progress(), UnknownWords(predictor.tensorizer.known)
    writing = Writing(
        details=arguments.details,
        title=title_of([e.name for e in experiments], inputs),
        experiments=[dataclasses.replace(e, mentions=GIVEN) for e in experiments] if given else experiments,
    )
    job = job_of(arguments, form, inputs, experiments, least)
    output = arguments.output or STANDARD_OUTPUT
    with open_output(output, form, writing, job) as opened:
        if opened.done:
            print(f"going on after {opened.done:,} documents", file=sys.stderr)
        details = arguments.details or form.predictions_only
        left = itertools.islice(documents, opened.done, None)
        for prediction in predictor.predict_all(left, details):
            opened.write(prediction)
            unknown_words.see(prediction.document)
            progress.add(prediction.document.num_words, len(prediction.clusters))
    unknown_words.close()
    if given and (unused := given.unused()):
        print(f"warning: {unused}", file=sys.stderr)
    if arguments.dialogue:
        print(f"dialogue: {dialogue}", file=sys.stderr)
    progress.close(
        "; on standard output" if output == STANDARD_OUTPUT else f"; {readable(output)} is written"
    )


def script_words(words: Sequence[str], output: str | None) -> tuple[list[str], list[str], str | None]:
    """The models, the input and the output of `python predict.py [EXPERIMENT...] INPUT [OUTPUT]`."""
    if output is None and len(words) > 2:
        *words, output = words
    if not words:
        raise CorefError(
            "expected INPUT or EXPERIMENT... INPUT OUTPUT, as in `python predict.py best story.txt page.html`"
        )
    return list(words[:-1]), list(words[-1:]), output


def output_format(output: str | None, name: str | None, details: bool) -> Format:
    """What is to be written."""
    form = choose_output_format(output or STANDARD_OUTPUT, name if output or name else "listing")
    if details and not form.holds_details:
        raise CorefError(
            f"{output or 'the listing'}: --details needs a .jsonlines output; {form.name} has no place for them"
        )
    return form


def given_documents(text: str | None, inputs: Sequence[str], reading: Reading) -> "itertools.chain[Document]":
    """The documents to resolve: --text first, then those of the files."""
    typed = (text_as_document(given, "text", reading) for given in [text] if given is not None)
    return itertools.chain(typed, read_inputs(inputs, reading))


def title_of(models: Sequence[str], inputs: Sequence[str]) -> str:
    """What a page of all documents is called."""
    names = ["text" if path == "-" else readable(Path(path).name) for path in inputs] or ["text"]
    shown = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return f"{' + '.join(models)}, {shown}"


def job_of(
    arguments: argparse.Namespace,
    form: Format,
    inputs: Sequence[str],
    experiments: Sequence[Experiment],
    least: float,
) -> dict[str, Any] | None:
    """All that the output depends on: a run that was stopped goes on if nothing of it has changed."""
    checkpoints = [arguments.checkpoint] if arguments.checkpoint else map(model_path, experiments)
    mentions = [arguments.mentions] if arguments.mentions else []
    files = [Path(file).resolve() for file in (*inputs, *mentions, *checkpoints)]
    if not all(file.is_file() for file in files):  # a pipe is read once
        return None
    return {
        "version": __version__,
        "experiments": [json.loads(json.dumps(dataclasses.asdict(e), default=str)) for e in experiments],
        "files": [(os.fsdecode(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files],
        "options": [
            form.name,
            arguments.details,
            arguments.dialogue,
            arguments.genre,
            arguments.text,
            least,
            arguments.singletons,
        ],
    }
