"""Makes training documents out of others.

python -m recipes.english swap train.jsonlines swapped.jsonlines
python -m recipes.english roles train.jsonlines excerpts.jsonlines --excerpts 2
python -m recipes.english split 16 train.jsonlines --to gold.jsonlines fit.jsonlines
python -m recipes.english copies gold.jsonlines copies.jsonlines
python -m recipes.english excerpts gold.jsonlines excerpts.jsonlines
python -m recipes.english silver predicted.jsonlines silver.jsonlines --min-probability 0.7
"""

import argparse
import itertools
from collections.abc import Iterable, Sequence

from coref_tf.commands.options import new_parser
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.formats import endings as known_endings
from coref_tf.models.calibration import check_probability
from coref_tf.support.environment import use_project_environment
from coref_tf.support.errors import CorefError, run_command
from coref_tf.support.files import check_outputs
from recipes.english.copies import copy_documents
from recipes.english.excerpts import renamed_excerpts, role_excerpts
from recipes.english.gender_swap import swapped_documents
from recipes.english.role_excerpts import RoleExcerpts
from recipes.english.role_names import RoleNames
from recipes.english.silver import Silver


def main(words: Sequence[str] | None = None) -> None:
    """Runs one of the subcommands."""
    parser = new_parser("python -m recipes.english", __doc__)
    add_arguments(parser)
    arguments = parser.parse_args(words)
    arguments.call(arguments)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands and their options."""
    commands = parser.add_subparsers(dest="command", required=True)
    endings = f"the ending tells the format: {known_endings(writable=True)}"

    swap = commands.add_parser(
        "swap",
        help="write copies in which women and men have changed places, to train on beside the originals",
    )
    swap.add_argument("input", metavar="IN", help="documents with clusters, which tell whose names are whose")
    swap.add_argument("output", metavar="OUT", help=endings)
    swap.add_argument("--seed", type=int, default=0, help="seed of the choice of first names")
    swap.set_defaults(call=write_swapped)

    roles = commands.add_parser(
        "roles",
        help="write copies in which people have roles in place of names: the plumber, whoever she is",
    )
    roles.add_argument("input", metavar="IN", help="documents with clusters, which tell who is a person")
    roles.add_argument("output", metavar="OUT", help=endings)
    roles.add_argument(
        "--share",
        type=float,
        default=0.5,
        metavar="S",
        help="share of the people with a name who get a role; default: 0.5",
    )
    roles.add_argument("--seed", type=int, default=0, help="seed of who gets which role")
    roles.add_argument(
        "--excerpts",
        type=int,
        metavar="N",
        help="instead, write excerpts of N sentences that name two people or more, he or she at random",
    )
    roles.set_defaults(call=write_roles)

    split = commands.add_parser("split", help="set every Nth document aside, to fit probabilities on")
    split.add_argument("every", type=int, metavar="N")
    split.add_argument("inputs", nargs="+", metavar="IN", help="documents with clusters")
    split.add_argument("--to", nargs=2, required=True, metavar=("REST", "ASIDE"), help="the two outputs")
    split.set_defaults(call=split_documents)

    copies = commands.add_parser(
        "copies", help="write a copy of every document about other people: names, genders and roles change"
    )
    add_files(copies)
    copies.set_defaults(call=write_copies)

    excerpts = commands.add_parser(
        "excerpts", help="write excerpts of one to five sentences, with other names, and with roles"
    )
    add_files(excerpts)
    excerpts.add_argument(
        "--count", type=int, default=6, metavar="N", help="renamed excerpts of each document; default: 6"
    )
    excerpts.set_defaults(call=write_all_excerpts)

    silver = commands.add_parser(
        "silver", help="write the documents that a model is sure of, to train another on"
    )
    silver.add_argument("predicted", metavar="PREDICTED.jsonlines", help="what `coref predict` wrote")
    silver.add_argument("output", metavar="OUT", help=endings)
    silver.add_argument(
        "--min-probability",
        type=float,
        default=0.0,
        metavar="P",
        help="least mean probability of a document's mentions",
    )
    silver.add_argument("--other", metavar="FILE", help="what another model predicted of the same documents")
    silver.add_argument(
        "--min-agreement",
        type=float,
        default=0.0,
        metavar="F1",
        help="least agreement of the two models, from 0 to 1",
    )
    silver.set_defaults(call=gather_silver)


def add_files(parser: argparse.ArgumentParser) -> None:
    """IN, OUT and --seed."""
    parser.add_argument("input", metavar="IN", help="documents with clusters")
    parser.add_argument("output", metavar="OUT", help="the documents made out of them")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random; default: 0")


def write_swapped(arguments: argparse.Namespace) -> None:
    """Writes the swapped copies."""
    check_outputs([arguments.output], [arguments.input])
    documents = list(read_documents(arguments.input))
    written = 0
    with open_writer(arguments.output) as write:
        for document in swapped_documents(documents, arguments.seed):
            write(document)
            written += 1
        if not written:
            raise CorefError(
                f"{arguments.input}: nothing in {len(documents):,} documents tells women from men"
            )
    print(f"{arguments.output}: {written:,} of {len(documents):,} documents")


def write_roles(arguments: argparse.Namespace) -> None:
    """Writes documents, or excerpts, with roles in place of names."""
    if not 0.0 < arguments.share <= 1.0:
        raise CorefError(f"--share must be above 0, and at most 1. Received: {arguments.share}")
    if arguments.excerpts is not None and arguments.excerpts < 1:
        raise CorefError(f"--excerpts must be 1 sentence or more. Received: {arguments.excerpts}")
    check_outputs([arguments.output], [arguments.input])
    if arguments.excerpts:
        write_excerpts(arguments)
        return
    roles = RoleNames(arguments.share, arguments.seed)
    read = changed = 0
    with open_writer(arguments.output) as write:
        for document in read_documents(arguments.input):
            with_roles = roles(document)
            write(with_roles or document)
            read, changed = read + 1, changed + bool(with_roles)
        if not changed:
            raise CorefError(f"{arguments.input}: nobody in {read:,} documents has a name and no role")
    print(f"{arguments.output}: {read:,} documents, roles in {changed:,} of them")


def write_excerpts(arguments: argparse.Namespace) -> None:
    """Writes the excerpts with roles."""
    excerpts = RoleExcerpts(arguments.excerpts, arguments.seed)
    written = 0
    with open_writer(arguments.output) as write:
        for document in read_documents(arguments.input):
            for excerpt in excerpts(document):
                write(excerpt)
                written += 1
        if not written:
            raise CorefError(f"{arguments.input}: no excerpt has two people with names; ask for longer ones")
    print(f"{arguments.output}: {written:,} excerpts")


def split_documents(arguments: argparse.Namespace) -> None:
    """Writes every Nth document of each input to one file, and the others to another."""
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


def write_all_excerpts(arguments: argparse.Namespace) -> None:
    """Writes both kinds of excerpts."""
    if arguments.count < 1:
        raise CorefError(f"--count must be 1 or more. Received: {arguments.count}")
    check_outputs([arguments.output], [arguments.input])
    documents = list(read_documents(arguments.input))
    excerpts = itertools.chain(
        renamed_excerpts(documents, arguments.count, arguments.seed), role_excerpts(documents, arguments.seed)
    )
    write_documents(arguments.output, excerpts, f"{arguments.input}: no excerpt has a link in it")


def gather_silver(arguments: argparse.Namespace) -> None:
    """Writes the documents that a model is sure of."""
    rules = Silver(check_probability(arguments.min_probability), check_probability(arguments.min_agreement))
    if rules.min_agreement and not arguments.other:
        raise CorefError(
            "--min-agreement is that of two models; name the other's predictions with --other FILE"
        )
    check_outputs([arguments.output], [arguments.predicted, arguments.other])
    others = read_documents(arguments.other) if arguments.other else ()
    other = {document.key: document for document in others} if arguments.other else None
    read = kept = words = 0
    with open_writer(arguments.output) as write:
        for document in read_documents(arguments.predicted):
            read += 1
            for silver in rules([document], other):
                write(silver)
                kept, words = kept + 1, words + silver.num_words
        if not kept:
            raise CorefError(
                f"{arguments.predicted}: none of {read:,} documents is sure enough; ask for less"
            )
    print(f"{arguments.output}: {kept:,} of {read:,} documents, {words:,} words")


def write_documents(path: str, documents: Iterable[Document], nothing: str) -> None:
    """Writes documents, each key once, and says how many; `nothing` is the error if there are none."""
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
