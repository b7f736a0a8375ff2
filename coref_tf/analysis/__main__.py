"""python -m coref_tf.analysis COMMAND: the paper's tables and figures for whatever corpus is set up."""

from coref_tf.support.environment import use_project_environment

if __name__ == "__main__":
    use_project_environment()

import argparse
import importlib
from collections.abc import Sequence

from coref_tf.support.errors import run_command

# The modules of this package that are commands. Each says what it does in its docstring's first line, and has
# add_arguments(parser) and run(arguments) -> exit code or None.
COMMANDS = ("section7", "table4", "figure3", "figure4", "reproduce")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m coref_tf.analysis", description=__doc__.split(": ")[1])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"coref_tf.analysis.{name}")
        summary = module.__doc__.split("\n")[0]
        command = commands.add_parser(name, help=summary, description=summary)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser.parse_args(arguments)


def main() -> int | None:
    """The command."""
    arguments = parse()
    return arguments.run(arguments)


if __name__ == "__main__":
    run_command(main)
