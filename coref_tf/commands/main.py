"""Runs the subcommand that a command line names."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from coref_tf import __version__
from coref_tf.commands.options import new_parser
from coref_tf.commands.registry import COMMANDS, GROUPS
from coref_tf.support.errors import CorefError, run_command
from coref_tf.support.remarks import shown_remarks
from coref_tf.support.typed_settings import nearest


def run(*words: str) -> None:
    """Runs the command given by `words` and the rest of the process's command line, and exits."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # silences TensorFlow's startup messages
    run_command(lambda: main([*words, *sys.argv[1:]]))


def main(words: Sequence[str] | None = None) -> int | None:
    """Runs one command and returns its exit code.

    Example:
        main(["documents", "lint", "dev.conll"])
    """
    words = list(sys.argv[1:] if words is None else words)
    if "_ARGCOMPLETE" in os.environ:
        complete()
        return None
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0 if words else 2
    if words[0] == "--version":
        print(f"coref_tf {__version__}")
        return 0
    name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    if name not in COMMANDS:
        meant = nearest(words[0], COMMANDS)
        raise CorefError(f"unknown command {words[0]}{meant}; `coref --help` lists all commands")
    command = COMMANDS[name]
    module = importlib.import_module(command.module)
    parser = new_parser(f"coref {command.name}", module.__doc__ or "")
    module.add_arguments(parser)
    add_verbose(parser)
    arguments = parse(parser, words[len(name.split()) :])
    with shown_remarks(arguments.verbose):
        return module.run(arguments)


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """Adds --verbose to a command and to its subcommands."""
    parser.add_argument("--verbose", action="store_true", help="print more details to standard error")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for subcommand in dict.fromkeys(action.choices.values()):
                subcommand.add_argument(
                    "--verbose", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
                )


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parses the arguments of a command; options may be anywhere among them, unless it has subcommands."""
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
        arguments, left = parser.parse_known_args(words)
        if left and not (
            hasattr(arguments, "changes") and all("=" in word and word[0] != "-" for word in left)
        ):
            _subcommand(parser, arguments).error(f"unrecognized arguments: {' '.join(left)}")
        if left:
            arguments.changes += left  # settings after an option
        return arguments
    return parser.parse_intermixed_args(words)


def _subcommand(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> argparse.ArgumentParser:
    """Returns the parser of the subcommand that was given."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices[getattr(arguments, action.dest)]
    return parser


def overview() -> str:
    """Returns the help page of `coref` itself."""
    width = max(map(len, COMMANDS))
    lines = [
        "usage: coref COMMAND ...",
        "",
        "Coreference resolution: find the words in a text that refer to the same person or thing.",
    ]
    for group, commands in GROUPS.items():
        lines += ["", f"{group}:"]
        lines += [f"  {command.name:{width}}  {command.summary}" for command in commands]
    lines += ["", "`coref COMMAND --help` describes a command; `coref --version` prints the version."]
    lines += ['Shell completion in bash and zsh: eval "$(register-python-argcomplete coref)"']
    return "\n".join(lines)


def complete() -> None:
    """Answers a shell's request for completions."""
    import argcomplete

    parser = argparse.ArgumentParser(prog="coref")
    commands = parser.add_subparsers()
    for command in COMMANDS.values():
        parser_of_command = commands.add_parser(command.name)
        importlib.import_module(command.module).add_arguments(parser_of_command)
        add_verbose(parser_of_command)
    argcomplete.autocomplete(parser)
