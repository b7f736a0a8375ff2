"""Creates training documents from other documents.

python -m recipes.english split 16 train.jsonlines --to gold.jsonlines fit.jsonlines
python -m recipes.english copies gold.jsonlines copies.jsonlines
python -m recipes.english excerpts gold.jsonlines excerpts.jsonlines
python -m recipes.english silver predicted.jsonlines silver.jsonlines --min-probability 0.7
python -m recipes.english gender data/vectors/gender_2d.h5
"""

import argparse
import itertools
from collections.abc import Iterable, Sequence

from coref_tf.commands.options import new_parser
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.formats import endings as known_endings
from coref_tf.features.vector_store import write_vectors
from coref_tf.models.calibration import check_probability
from coref_tf.support.environment import use_project_environment
from coref_tf.support.errors import CorefError, run_command
from coref_tf.support.files import check_ending, check_outputs
from recipes.english.copies import copy_documents
from recipes.english.excerpts import renamed_excerpts, role_excerpts
from recipes.english.gender_vectors import SIZE, gender_vectors
from recipes.english.silver import select_silver


def main(words: Sequence[str] | None = None) -> None:
    """Runs one of the subcommands."""
    parser = new_parser("python -m recipes.english", __doc__)
    add_arguments(parser)
    arguments = parser.parse_args(words)
    arguments.call(arguments)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands and their options."""
    commands = parser.add_subparsers(dest="command", required=True)
    endings = f"the file extension determines the format: {known_endings(writable=True)}"

    split = commands.add_parser("split", help="set every Nth document aside, to calibrate probabilities on")
    split.add_argument("every", type=int, metavar="N")
    split.add_argument("inputs", nargs="+", metavar="IN", help="documents with clusters")
    split.add_argument("--to", nargs=2, required=True, metavar=("REST", "ASIDE"), help="the two output files")
    split.set_defaults(call=split_documents)

    copies = commands.add_parser(
        "copies", help="write a copy of every document with other people: names, genders and roles change"
    )
    add_files(copies)
    copies.set_defaults(call=write_copies)

    excerpts = commands.add_parser(
        "excerpts",
        help="write excerpts of one to five sentences, with other names or with roles instead of names",
    )
    add_files(excerpts)
    excerpts.add_argument(
        "--count",
        type=int,
        default=6,
        metavar="N",
        help="number of renamed excerpts of each document (default: 6)",
    )
    excerpts.set_defaults(call=write_excerpts)

    silver = commands.add_parser(
        "silver", help="write the documents that a model is confident about, to train another model on"
    )
    silver.add_argument("predicted", metavar="PREDICTED.jsonlines", help="the output of `coref predict`")
    silver.add_argument("output", metavar="OUT", help=endings)
    silver.add_argument(
        "--min-probability",
        type=float,
        default=0.0,
        metavar="P",
        help="minimum mean place probability of a document's mentions",
    )
    silver.set_defaults(call=gather_silver)

    gender = commands.add_parser("gender", help="write the word vectors of gendered words and first names")
    gender.add_argument("output", metavar="OUT.h5")
    gender.set_defaults(call=write_gender_vectors)


def add_files(parser: argparse.ArgumentParser) -> None:
    """Adds IN, OUT and --seed."""
    parser.add_argument("input", metavar="IN", help="documents with clusters")
    parser.add_argument("output", metavar="OUT", help="where to write the documents created from them")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")


def split_documents(arguments: argparse.Namespace) -> None:
    """Writes every Nth document of each input to one file, and the rest to another."""
    if arguments.every < 2:
        raise CorefError(f"N must be 2 or more. Received: {arguments.every}")
    check_outputs(arguments.to, arguments.inputs)
    rest: list[Document] = []
    aside: list[Document] = []
    for path in arguments.inputs:
        for number, document in enumerate(read_documents(path)):
            (aside if number % arguments.every == arguments.every // 2 else rest).append(document)
    for path, documents in zip(arguments.to, (rest, aside), strict=True):
        write_documents(path, documents, f"{', '.join(arguments.inputs)}: too few documents to split")


def write_copies(arguments: argparse.Namespace) -> None:
    """Writes a copy of every document."""
    check_outputs([arguments.output], [arguments.input])
    copies = copy_documents(read_documents(arguments.input), arguments.seed)
    write_documents(arguments.output, copies, f"{arguments.input}: no document names a woman or a man")


def write_excerpts(arguments: argparse.Namespace) -> None:
    """Writes both kinds of excerpts."""
    if arguments.count < 1:
        raise CorefError(f"--count must be 1 or more. Received: {arguments.count}")
    check_outputs([arguments.output], [arguments.input])
    documents = list(read_documents(arguments.input))
    excerpts = itertools.chain(
        renamed_excerpts(documents, arguments.count, arguments.seed), role_excerpts(documents, arguments.seed)
    )
    write_documents(arguments.output, excerpts, f"{arguments.input}: no excerpt contains a link")


def gather_silver(arguments: argparse.Namespace) -> None:
    """Writes the documents that a model annotated with high probability."""
    threshold = check_probability(arguments.min_probability)
    check_outputs([arguments.output], [arguments.predicted])
    documents = select_silver(read_documents(arguments.predicted), threshold)
    write_documents(
        arguments.output,
        documents,
        f"{arguments.predicted}: no document is probable enough; lower --min-probability",
    )


def write_gender_vectors(arguments: argparse.Namespace) -> None:
    """Writes the word vectors that give the gender of words and names."""
    check_ending(arguments.output, ".h5")
    check_outputs([arguments.output], [])
    count = write_vectors(arguments.output, gender_vectors(), SIZE)
    print(f"{arguments.output}: {count:,} words and names")


def write_documents(path: str, documents: Iterable[Document], nothing: str) -> None:
    """Writes each document whose key is new, and prints their number; `nothing` is the error if there are none."""
    seen: set[str] = set()
    words = 0
    with open_writer(path) as write:
        for document in documents:
            if document.key in seen:
                continue
            seen.add(document.key)
            write(document)
            words += document.num_words
        if not seen:
            raise CorefError(nothing)
    print(f"{path}: {len(seen):,} documents, {words:,} words")


if __name__ == "__main__":
    use_project_environment()
    run_command(main)
