"""Lists the characters in texts: how often they are mentioned, their names and pronouns, and what they say.

coref characters book.txt                                the most frequent first
coref characters book.txt -o characters.json             all details, with all quotations; also .csv
coref characters --given clusters.jsonlines              uses the clusters in the file; needs no model

INPUT, models and options are the same as for `coref predict`.
"""

import argparse

from coref_tf.commands.quotes import add_table_arguments, write_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_table_arguments(parser, "characters")


def run(arguments: argparse.Namespace) -> None:
    """Lists the characters of each text."""
    write_table(arguments)
