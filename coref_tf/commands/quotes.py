"""Lists the quotations in texts and their speakers.

coref quotes book.txt                                    a table: line, speaker, words
coref quotes book.txt -o quotes.csv                      also .json or .jsonlines; --csv and --json for standard output
coref quotes --given clusters.jsonlines                  uses the clusters in the file; needs no model

INPUT, models and options are the same as for `coref predict`.
"""

import argparse

from coref_tf.commands import predict
from coref_tf.commands.given import GivenDocuments, with_given_clusters
from coref_tf.documents.format import Reading, Writing
from coref_tf.documents.inputs import read_inputs
from coref_tf.support.files import atomic_write, check_ending

_ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".jsonlines": "json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_table_arguments(parser, "quotes")


def run(arguments: argparse.Namespace) -> None:
    """Lists the quotations of each text."""
    write_table(arguments)


def add_table_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Adds the arguments of a command whose output is a table, CSV or JSON; `name` is the format of the table."""
    predict.add_inputs(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUTPUT",
        help="output file that ends in .txt, .csv, .jsonlines or .json (default: standard output)",
    )
    form = parser.add_mutually_exclusive_group()
    for kind in ("csv", "json"):
        form.add_argument(
            f"--{kind}", dest="kind", action="store_const", const=kind, help=f"write {kind.upper()}"
        )
    parser.add_argument(
        "--given", action="store_true", help="use the clusters in the documents instead of a model"
    )
    parser.set_defaults(details=False, as_script=False, table=name)


def write_table(arguments: argparse.Namespace) -> None:
    """Writes the table of each text, with the clusters that a model finds or, with --given, those in the documents."""
    arguments.format = table_format(arguments)
    if not arguments.given:
        predict.run(arguments)
        return
    inputs, output, form = GivenDocuments.from_arguments(arguments, min_probability=0.0)
    with atomic_write(output, "wb") as file, form.open_writer(file, Writing()) as write:
        for document in read_inputs(inputs, Reading(allow_empty=True)):
            write(with_given_clusters(document), None)


def table_format(arguments: argparse.Namespace) -> str:
    """Returns the name of the output format, from --csv or --json, or else from the extension of the output."""
    output = (arguments.output or "").lower()
    if not arguments.kind:
        check_ending(arguments.output, ".txt", *_ENDINGS)
    kind = arguments.kind or next((k for ending, k in _ENDINGS.items() if output.endswith(ending)), None)
    return f"{arguments.table}-{kind}" if kind else arguments.table
