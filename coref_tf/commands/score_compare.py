"""Compares two systems with a paired bootstrap test over documents.

coref score compare KEY A B [--metrics ...] [--json FILE] [--bootstrap N]
"""

import argparse
import logging

from coref_tf.commands.score import add_shared, score_file
from coref_tf.scoring.intervals import paired_bootstrap
from coref_tf.scoring.report import report_of
from coref_tf.scoring.table import difference_table
from coref_tf.support.files import check_ending, check_outputs, printing_beside, write_json

SAMPLES = 10000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_shared(parser, ["A", "B"], SAMPLES)


def run(options: argparse.Namespace) -> None:
    """Prints the differences between two responses."""
    logging.basicConfig(format="warning: %(message)s")
    check_ending(options.json, ".json")
    check_outputs([options.json], [options.key, options.a, options.b])
    a, b = (score_file(options, response) for response in (options.a, options.b))
    differences = paired_bootstrap(a, b, options.bootstrap, options.seed)
    if options.json:
        compared = {name: difference.as_dict() for name, difference in differences.items()}
        write_json(options.json, {"a": report_of(a), "b": report_of(b), "f1_differences": compared})
    with printing_beside(options.json):
        print(f"A: {options.a}\nB: {options.b}\n\n{difference_table(differences)}")
