"""Checks, converts, counts and compiles documents.

coref documents lint my/train.conll
coref documents convert dev.english.v4_gold_conll dev.jsonlines
"""

import argparse
import dataclasses
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from coref_tf.commands.options import add_dialogue, add_format, add_language
from coref_tf.documents.dialogue import DialogueCount
from coref_tf.documents.format import Reading
from coref_tf.documents.formats import choose_output_format
from coref_tf.documents.formats import endings as known_endings
from coref_tf.documents.hints import TextHints
from coref_tf.documents.inputs import find_inputs, read_inputs
from coref_tf.documents.selection import Selection
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_outputs, printing_beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    commands = parser.add_subparsers(dest="command", required=True)
    endings = f"The extension determines the format. Input: {known_endings()}; output: {known_endings(writable=True)}."

    lint = commands.add_parser("lint", help="report every mistake with its line number", description=endings)
    lint.add_argument("files", nargs="+", metavar="FILE", help="a file, or a folder of files")
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
            Reading(dialogue=arguments.dialogue, language=arguments.language),
            Selection(tuple(arguments.genres), arguments.remove_singletons, arguments.genre),
        )
    )

    stats = commands.add_parser("stats", help="count words, mentions and clusters", description=endings)
    stats.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, or a folder, whose files are counted together"
    )
    stats.set_defaults(call=lambda arguments: print_stats(arguments.files))

    compiled = commands.add_parser("compile", help="collect inline documents from FOLDER/GENRE/NAME.txt")
    compiled.add_argument("folder", metavar="FOLDER")
    compiled.add_argument("outputs", nargs="+", metavar="OUT", help=endings)
    add_language(compiled)
    compiled.set_defaults(
        call=lambda arguments: compile_folder(arguments.folder, arguments.outputs, arguments.language)
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Adds the options that select documents of a corpus."""
    parser.add_argument(
        "--genres",
        type=lambda names: names.split(","),
        default=[],
        metavar="A,B",
        help="select documents of these genres",
    )
    parser.add_argument("--remove-singletons", action="store_true", help="remove clusters of one mention")
    parser.add_argument("--genre", metavar="NAME", help="assign this genre to all documents")


def run(arguments: argparse.Namespace) -> int:
    """Runs one of the subcommands."""
    return arguments.call(arguments)


def lint_files(paths: list[str]) -> int:
    """Prints each problem in each file, or a summary of a file without problems; returns 1 if there was a problem."""
    from coref_tf.documents.formats import input_format, lint, read_format
    from coref_tf.documents.stats import count

    found, hints = 0, TextHints(conversations=False)
    reading = Reading(on_text=hints)
    for path in _files(paths):
        try:
            lines = [str(problem) for problem in lint(path)]
            if not lines:
                summary = count(read_format(input_format(path), path, reading)).summary()
                print(f"{path}: {summary}; no problems found")
        except CorefError as error:
            lines = [str(error)]
        except OSError as error:
            lines = [f"{path}: {error.strerror or error}"]
        found += len(lines)
        for line in lines:
            print(line)
    hints.close()
    return 1 if found else 0


def _files(paths: list[str]) -> Iterator[str]:
    """Yields the given files, and the files in the given folders."""
    for path in paths:
        yield from find_inputs([path]) if os.path.isdir(path) else [path]


def convert_file(source: str, target: str, form: str | None, reading: Reading, selection: Selection) -> int:
    """Reads a file, or standard input, and writes the selected documents."""
    from coref_tf.documents import open_writer

    chosen, inputs = choose_output_format(target, form), find_inputs([source])
    dialogue = DialogueCount()
    hints = TextHints(conversations=not reading.dialogue)
    reading = dataclasses.replace(reading, heard=dialogue, on_text=hints)
    check_outputs([target], inputs)
    written = 0
    with open_writer(target, chosen.name) as write:
        for document in selection(read_inputs(inputs, reading)):
            write(document)
            written += 1
        if selection.genres and not written:
            raise CorefError(f"{source}: has no document of the genres {', '.join(selection.genres)}")
    hints.close()
    if reading.dialogue or dialogue.turns:
        print(f"dialogue: {dialogue}", file=sys.stderr)
    return 0


def compile_folder(folder: str, targets: list[str], language: str) -> int:
    """Writes the inline documents of a folder to one file per requested format, and prints the statistics of each."""
    from coref_tf.documents import open_writer
    from coref_tf.documents.inline import read_inline_folder
    from coref_tf.documents.stats import count

    for target in targets:
        choose_output_format(target)
    check_outputs(targets, Path(folder).glob("*/*.txt"))
    documents = list(read_inline_folder(folder, language))
    if not documents:
        raise CorefError(missing_documents(Path(folder)))
    for target in targets:
        with open_writer(target) as write:
            for document in documents:
                write(document)
        with printing_beside(*targets):
            print(f"{target}: {count(documents).summary()}")
    return 0


def missing_documents(folder: Path) -> str:
    """Returns why `coref documents compile` finds nothing in a folder."""
    if not folder.is_dir():
        return f"{folder}: no such folder; expected a folder with GENRE/NAME.txt files"
    message = f"{folder}: has no documents; expected GENRE/NAME.txt files in it"
    if any(folder.glob("*.txt")):
        message += f"; its own .txt files are those of a genre, so give its parent, {folder.resolve().parent}"
    return message


def print_stats(paths: list[str]) -> int:
    """Prints the statistics of each file or folder."""
    from coref_tf.documents.stats import count

    hints = TextHints(conversations=False)
    for number, path in enumerate(paths):
        if len(paths) > 1:
            print(f"{'' if number == 0 else chr(10)}{path}")
        print(count(read_inputs(find_inputs([path]), Reading(on_text=hints))))
    hints.close()
    return 0
