"""Lists the people of texts: how often they are mentioned, called what, by which pronouns, and what they say.

coref characters book.txt                                the most frequent first
coref characters book.txt -o characters.json             everything, with all quotations; also .csv
coref characters --given clusters.jsonlines              by the clusters that are there; no model is needed

INPUT, models and options are those of `coref predict`.
"""

import argparse

from coref_tf.commands.quotes import add_table_arguments, write_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_table_arguments(parser, "characters")


def run(arguments: argparse.Namespace) -> None:
    """Lists the people of text after text."""
    write_table(arguments)
