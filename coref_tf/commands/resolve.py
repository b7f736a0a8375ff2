"""Writes texts with their pronouns replaced by what they stand for.

coref resolve story.txt                                  here in the terminal
coref resolve story.txt -o resolved.txt
coref resolve story.txt --annotated                      [1 Marta Oduya] ... [1 She] ...
coref resolve story.txt --edits -o edits.jsonlines       where the text changes: begin, end, replacement
coref resolve --given clusters.jsonlines                 by the clusters that are there; no model is needed

INPUT, models and options are those of `coref predict`.
"""

import argparse
from collections.abc import Iterator

from coref_tf.commands import predict
from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading, Writing
from coref_tf.documents.formats import choose_output_format
from coref_tf.documents.inputs import find_inputs, read_inputs, reader_of
from coref_tf.support.errors import CorefError
from coref_tf.support.files import STANDARD_OUTPUT, atomic_write, check_outputs

_OUTPUT = "a name that ends in .txt, or with --edits in .jsonlines or .json; unless named, standard output"
_PREDICTED = "predicted_clusters"  # what `coref predict` adds to jsonlines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    predict.add_inputs(parser)
    parser.add_argument("-o", "--output", metavar="OUTPUT", help=_OUTPUT)
    form = parser.add_mutually_exclusive_group()
    for name, text in [
        ("annotated", "put mentions in numbered brackets"),
        ("edits", "write the changes as JSON"),
    ]:
        form.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, default="resolved", help=text
        )
    parser.add_argument("--given", action="store_true", help="take the clusters that the documents have")
    parser.set_defaults(details=False, as_script=False)


def run(arguments: argparse.Namespace) -> None:
    """Resolves text after text."""
    if not arguments.given:
        predict.run(arguments)
        return
    of_model = arguments.model or arguments.checkpoint or arguments.min_probability or arguments.mentions
    if of_model or arguments.precision is not None or arguments.text is not None:
        raise CorefError(
            "--given takes the clusters of documents; expected no --model, --checkpoint, --min-probability,"
            " --precision, --mentions or --text"
        )
    inputs = find_inputs(arguments.words)
    output = arguments.output or STANDARD_OUTPUT
    form = choose_output_format(output, arguments.format)
    for path in inputs:
        reader_of(path)
    check_outputs([output], inputs)
    if not inputs:
        raise CorefError("nothing to resolve; expected files or folders; `coref resolve --help`")
    with atomic_write(output, "wb") as file, form.open_writer(file, Writing()) as write:
        for document in documents_with_clusters(inputs):
            write(document, None)


def documents_with_clusters(inputs: list[str]) -> Iterator[Document]:
    """The documents with the clusters predicted for them, or with their own."""
    for document in read_inputs(inputs, Reading(allow_empty=True)):
        if _PREDICTED in document.extra:
            document = document.with_clusters(document.extra[_PREDICTED])
        elif not document.clusters and document.num_words:
            raise CorefError(
                f"document {document.key}: has no clusters; expected some for --given, or leave it out to predict them"
            )
        yield document
