"""Writes texts with their pronouns replaced by what they refer to.

coref resolve story.txt                                  prints the text
coref resolve story.txt -o resolved.txt
coref resolve chapters/ -o resolved/                     one file per document
coref resolve lease.txt --keep "the Tenant"              never replaces this phrase
coref resolve story.txt --annotated                      [1 Marta Oduya] ... [1 She] ...
coref resolve story.txt --edits -o edits.jsonlines       begin, end and replacement of each change
coref resolve --given clusters.jsonlines                 uses the clusters in the file; needs no model

INPUT, models and options are the same as for `coref predict`. By default, the command skips contradictory clusters, and
links below the probability at which at least 95% of the links are correct; --min-probability 0 replaces everything.
"""

import argparse
import dataclasses
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from coref_tf.commands import predict
from coref_tf.commands.given import GivenDocuments, with_given_clusters
from coref_tf.commands.options import minimum_probability
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading, Writing
from coref_tf.documents.inputs import read_inputs
from coref_tf.documents.output_folder import OutputFolder, names_folder
from coref_tf.inference.output import open_output, open_output_folder
from coref_tf.models.trained_model import cautious_probability
from coref_tf.resolving.cautious import describe_left
from coref_tf.support.errors import CorefError
from coref_tf.support.files import STANDARD_OUTPUT, atomic_write, is_replaceable, readable

if TYPE_CHECKING:
    from coref_tf.models.trained_model import TrainedModel

_OUTPUT = (
    "output file that ends in .txt, or with --edits in .jsonlines or .json; or a folder, for one file per document"
    " (default: standard output)"
)
_ANNOTATED = "annotated"
_Thing = TypeVar("_Thing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    predict.add_inputs(parser, min_probability=None)
    parser.add_argument("-o", "--output", metavar="OUTPUT", help=_OUTPUT)
    form = parser.add_mutually_exclusive_group()
    for name, text in [
        (_ANNOTATED, "write the text with mentions in numbered brackets"),
        ("edits", "write the replacements as JSON"),
    ]:
        form.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, default="resolved", help=text
        )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="PHRASE",
        help='never replace this phrase, such as "the Tenant"; can be repeated',
    )
    parser.add_argument(
        "--given", action="store_true", help="use the clusters in the documents instead of a model"
    )
    parser.set_defaults(details=False, as_script=False)


def run(arguments: argparse.Namespace) -> None:
    """Resolves each text."""
    if any(not phrase.split() for phrase in arguments.keep):
        raise CorefError('--keep: empty phrase; expected words, such as --keep "the Tenant"')
    folder = arguments.output if names_folder(arguments.output) else None
    if folder:
        arguments.output = None  # there is no output file to check
    check_text_output(arguments)
    if arguments.given:
        resolve_given(arguments, folder)
    else:
        resolve_predicted(arguments, folder)


def check_text_output(arguments: argparse.Namespace) -> None:
    """Raises an error if text is to be written to a file of another kind, or to a folder whose name lacks its slash."""
    output = arguments.output
    if not output or arguments.format == "edits" or not is_replaceable(output):
        return
    if not output.lower().endswith(".txt"):
        raise CorefError(
            f"{readable(output)}: expected an output whose name ends in .txt, or in / for a folder; .jsonlines and"
            " .json need --edits"
        )


def resolve_predicted(arguments: argparse.Namespace, folder: str | None) -> None:
    """Resolves texts with the clusters that a model predicts."""
    request = predict.check_request(arguments)
    form, output = request.form, arguments.output or STANDARD_OUTPUT
    one_file = holds_one_document(output, form) and not folder
    if one_file:
        require_one(request.inputs + [arguments.text] * (arguments.text is not None), output)
    opened = predict.open_request(arguments, request)
    threshold = resolving_probability(arguments, opened.models)
    writing = opened.writing(request)
    if form.name != _ANNOTATED:
        writing = dataclasses.replace(writing, min_probability=threshold, keep=arguments.keep)
    files = OutputFolder(folder, form, writing, request.inputs) if folder else None

    def read(reading: Reading) -> Iterator[Document]:
        if files is None:
            return predict.read_text_or_inputs(arguments.text, request.inputs, reading)
        return files.read(reading, predict.read_text_or_inputs(arguments.text, [], reading))

    documents = predict.open_documents(arguments, request, opened, read)
    documents = require_one(documents, output) if one_file else documents
    # Resolving also needs the improbable links, to count the mentions that it leaves unchanged.
    predictor = opened.load(arguments, threshold if form.name == _ANNOTATED else 0.0)
    job = predict.job_of(arguments, request, opened.models, threshold)
    job = job and {**job, "keep": arguments.keep}
    with open_output_folder(files, job) if files else open_output(output, form, writing, job) as file:
        progress = predict.predict_documents(predictor, documents, file, details=False)
    opened.report(arguments)
    report_left(writing)
    written = folder or output
    progress.close("; on standard output" if written == STANDARD_OUTPUT else f"; wrote {readable(written)}")


def resolving_probability(arguments: argparse.Namespace, models: Sequence["TrainedModel"]) -> float:
    """Returns the minimum probability of links: from the command line, or else the cautious one."""
    if arguments.min_probability is not None or arguments.precision is not None:
        return minimum_probability(arguments, models)
    return 0.0 if arguments.format == _ANNOTATED else cautious_probability(models)


def report_left(writing: Writing) -> None:
    """Reports on standard error how many mentions were left unchanged."""
    if message := describe_left(writing.left, writing.min_probability):
        print(message, file=sys.stderr)


def resolve_given(arguments: argparse.Namespace, folder: str | None) -> None:
    """Resolves documents with the clusters that they already contain."""
    inputs, output, form = GivenDocuments.from_arguments(arguments, min_probability=None)
    writing, reading = Writing(keep=arguments.keep), Reading(allow_empty=True)
    if folder:
        files = OutputFolder(folder, form, writing, inputs)
        for document in map(with_given_clusters, files.read(reading)):
            files.write(document, None)
    else:
        documents: Iterator[Document] = map(with_given_clusters, read_inputs(inputs, reading))
        if holds_one_document(output, form):
            documents = require_one(documents, output)
        with atomic_write(output, "wb") as file, form.open_writer(file, writing) as write:
            for document in documents:
                write(document, None)
    report_left(writing)


def holds_one_document(output: str, form: Format) -> bool:
    """Returns whether an output is a text file, in which several documents could not be told apart."""
    return is_replaceable(output) and form.written_to == (".txt",)


def require_one(things: Iterable[_Thing], output: str) -> Iterator[_Thing]:
    """Raises an error at a second document, or file, if the output can hold only one document."""
    first = list(itertools.islice(things, 2))
    if len(first) > 1:
        raise CorefError(
            f"{readable(output)}: a text file holds one document, but there are several; expected a folder, such as"
            " -o resolved/, or - for standard output"
        )
    return iter(first)
