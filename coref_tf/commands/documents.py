"""Documents in and out.

coref documents lint my/train.conll
coref documents convert dev.english.v4_gold_conll dev.jsonlines
"""

import argparse
import sys
from pathlib import Path

from coref_tf.commands.options import add_dialogue, add_format, add_language
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.format import Reading
from coref_tf.documents.formats import choose_output_format
from coref_tf.documents.formats import endings as known_endings
from coref_tf.documents.selection import Selection
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    commands = parser.add_subparsers(dest="command", required=True)
    endings = (
        f"The ending tells the format: {known_endings()}; to be written, {known_endings(writable=True)}."
    )

    lint = commands.add_parser(
        "lint", help="report every mistake in files, with its line", description=endings
    )
    lint.add_argument("files", nargs="+", metavar="FILE")
    lint.set_defaults(call=lambda arguments: lint_files(arguments.files))

    convert = commands.add_parser("convert", help="convert between formats", description=endings)
    convert.add_argument("input", metavar="IN")
    convert.add_argument("output", metavar="OUT")
    add_format(convert)
    add_dialogue(convert)
    add_language(convert)
    add_selection(convert)
    convert.set_defaults(
        call=lambda arguments: convert_file(
            arguments.input,
            arguments.output,
            arguments.format,
            Reading(dialogue=arguments.dialogue, language=arguments.language, heard=DialogueCount()),
            Selection(tuple(arguments.genres), arguments.remove_singletons, arguments.genre),
        )
    )

    stats = commands.add_parser("stats", help="count words, mentions, clusters", description=endings)
    stats.add_argument("files", nargs="+", metavar="FILE")
    stats.set_defaults(call=lambda arguments: print_stats(arguments.files))

    compiled = commands.add_parser(
        "compile", help="gather documents in the inline form, FOLDER/GENRE/NAME.txt"
    )
    compiled.add_argument("folder", metavar="FOLDER")
    compiled.add_argument("outputs", nargs="+", metavar="OUT", help=endings)
    add_language(compiled)
    compiled.set_defaults(
        call=lambda arguments: compile_folder(arguments.folder, arguments.outputs, arguments.language)
    )

    swap = commands.add_parser(
        "swap",
        help="copies in which women and men have changed places, to be learned from beside the originals",
    )
    swap.add_argument("input", metavar="IN", help="documents with clusters, which tell whose names are whose")
    swap.add_argument("output", metavar="OUT", help=endings)
    swap.add_argument("--seed", type=int, default=0, help="of the choice of first names")
    swap.set_defaults(call=write_swapped)

    roles = commands.add_parser(
        "roles",
        help="copies in which people have roles in place of names: the plumber, whoever she is; for learning, too",
    )
    roles.add_argument("input", metavar="IN", help="documents with clusters, which tell who is a person")
    roles.add_argument("output", metavar="OUT", help=endings)
    roles.add_argument(
        "--share", type=float, default=0.5, metavar="S", help="of those who have a name and no role yet; 0.5"
    )
    roles.add_argument("--seed", type=int, default=0, help="of who gets which role")
    roles.add_argument(
        "--excerpts",
        type=int,
        metavar="N",
        help="instead, every N sentences with two such people or more by themselves, he or she by chance",
    )
    roles.set_defaults(call=write_roles)

    silver = commands.add_parser(
        "silver", help="gather the documents that a model is sure of, for another to learn from"
    )
    silver.add_argument("predicted", metavar="PREDICTED.jsonlines", help="what `coref predict` wrote")
    silver.add_argument("output", metavar="OUT", help=endings)
    silver.add_argument("--min-probability", type=float, default=0.0, metavar="P", help="mean over mentions")
    silver.add_argument("--other", metavar="FILE", help="what another model predicted of the same documents")
    silver.add_argument(
        "--min-agreement", type=float, default=0.0, metavar="F1", help="of the two models, from 0 to 1"
    )
    silver.set_defaults(call=gather_silver)


def add_selection(parser: argparse.ArgumentParser) -> None:
    """What of a corpus is taken."""
    parser.add_argument(
        "--genres",
        type=lambda names: names.split(","),
        default=[],
        metavar="A,B",
        help="only documents of these genres",
    )
    parser.add_argument("--remove-singletons", action="store_true", help="leave out clusters of one mention")
    parser.add_argument(
        "--genre", metavar="NAME", help="the genre that all documents get, in place of their own"
    )


def run(arguments: argparse.Namespace) -> int:
    """One of the above."""
    return arguments.call(arguments)


def write_swapped(arguments: argparse.Namespace) -> int:
    """`swap`."""
    from coref_tf.documents import open_writer, read_documents
    from coref_tf.documents.gender_swap import swapped_documents

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
    return 0


def write_roles(arguments: argparse.Namespace) -> int:
    """`roles`."""
    from coref_tf.documents import open_writer, read_documents
    from coref_tf.documents.role_names import RoleNames

    if not 0.0 < arguments.share <= 1.0:
        raise CorefError(f"--share must be above 0, and at most 1. Received: {arguments.share}")
    if arguments.excerpts is not None and arguments.excerpts < 1:
        raise CorefError(f"--excerpts must be 1 sentence or more. Received: {arguments.excerpts}")
    check_outputs([arguments.output], [arguments.input])
    if arguments.excerpts:
        return write_excerpts(arguments)
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
    return 0


def write_excerpts(arguments: argparse.Namespace) -> int:
    """`roles --excerpts`."""
    from coref_tf.documents import open_writer, read_documents
    from coref_tf.documents.role_excerpts import RoleExcerpts

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
    return 0


def gather_silver(arguments: argparse.Namespace) -> int:
    """`silver`."""
    from coref_tf.documents import open_writer, read_documents
    from coref_tf.evaluation.silver import Silver
    from coref_tf.inference.calibration import check_probability

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
    return 0


def lint_files(paths: list[str]) -> int:
    """Prints one line for each problem in each file; 1 if there was any."""
    from coref_tf.documents.formats import lint

    found = 0
    for path in paths:
        try:
            lines = [str(problem) for problem in lint(path)]
        except CorefError as error:
            lines = [str(error)]
        except OSError as error:
            lines = [f"{path}: {error.strerror or error}"]
        found += len(lines)
        print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if found else 0


def convert_file(source: str, target: str, form: str | None, reading: Reading, selection: Selection) -> int:
    """Reads one file, or standard input, and writes what is selected of it."""
    from coref_tf.documents import open_writer
    from coref_tf.documents.inputs import find_inputs, read_inputs

    chosen, inputs = choose_output_format(target, form), find_inputs([source])
    check_outputs([target], inputs)
    written = 0
    with open_writer(target, chosen.name) as write:
        for document in selection(read_inputs(inputs, reading)):
            write(document)
            written += 1
        if selection.genres and not written:
            raise CorefError(f"{source}: holds no document of the genres {', '.join(selection.genres)}")
    if reading.dialogue:
        print(f"dialogue: {reading.heard}", file=sys.stderr)
    return 0


def compile_folder(folder: str, targets: list[str], language: str) -> int:
    """Writes the inline documents of a folder to one file of each format asked for."""
    from coref_tf.documents import open_writer
    from coref_tf.documents.inline import read_inline_folder

    for target in targets:
        choose_output_format(target)
    check_outputs(targets, Path(folder).glob("*/*.txt"))
    documents = list(read_inline_folder(folder, language))
    if not documents:
        raise CorefError(f"{folder}: holds no document; expected GENRE/NAME.txt files")
    for target in targets:
        with open_writer(target) as write:
            for document in documents:
                write(document)
    return 0


def print_stats(paths: list[str]) -> int:
    """Prints what each file holds."""
    from coref_tf.documents import read_documents
    from coref_tf.documents.stats import count

    for number, path in enumerate(paths):
        if len(paths) > 1:
            print(f"{'' if number == 0 else chr(10)}{path}")
        print(count(read_documents(path)))
    return 0
