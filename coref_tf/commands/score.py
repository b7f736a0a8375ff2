"""Scores coreference clusters in CoNLL-2012 files, with the same results as the official scorer.

coref score KEY RESPONSE [--metrics ...] [--json FILE] [--per-document] [--bootstrap N]
"""

import argparse
import logging
from collections.abc import Callable, Sequence

from coref_tf.scoring.conll_pairs import read_pairs
from coref_tf.scoring.intervals import confidence_intervals
from coref_tf.scoring.metrics import metric_table
from coref_tf.scoring.official import compare_with_official
from coref_tf.scoring.report import report_of
from coref_tf.scoring.scorer import Scorer
from coref_tf.scoring.table import score_table
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_ending, check_outputs, printing_beside, write_json

# The official scorer v8.01 rejects a response with more repeated mentions than this.
MOST_REPEATS = 10


class _MetricNames:
    """Metric names for the help page, loaded on demand: shell completion must work before the library is built."""

    def __str__(self) -> str:
        return ", ".join(metric_table())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_shared(parser, ["RESPONSE"])
    parser.add_argument("--per-document", action="store_true", help="also print a row for each document")
    parser.add_argument(
        "--official", metavar="SCORER", help="also run this scorer.pl and report any difference as an error"
    )


def add_shared(parser: argparse.ArgumentParser, systems: Sequence[str], samples: int | None = None) -> None:
    """Adds the options that scoring one system and comparing two have in common."""
    add = parser.add_argument
    add("key", metavar="KEY", help="gold clusters in CoNLL-2012")
    for system in systems:
        add(system.lower(), metavar=system, help="clusters of a system for the same documents")
    metrics = add(
        "--metrics", nargs="+", metavar="METRIC", help="metrics to compute, out of %(names)s (default: all)"
    )
    vars(metrics)["names"] = _MetricNames()
    add("--json", metavar="FILE", help="also write all scores to this file")
    add(
        "--bootstrap",
        type=_at_least(1),
        default=samples,
        metavar="N",
        help="compute 95%% confidence intervals from N bootstrap samples",
    )
    add("--seed", type=_at_least(0), default=0, help="seed of the bootstrap samples (default: %(default)s)")
    add(
        "--remove-singletons",
        action="store_true",
        help="remove clusters of one mention from key and response",
    )
    add(
        "--allow-repeated",
        action="store_true",
        help="if a mention is in two clusters, count it only in the first",
    )


def run(options: argparse.Namespace) -> None:
    """Prints the scores of a response."""
    logging.basicConfig(format="warning: %(message)s")
    if options.official and options.remove_singletons:
        raise CorefError(
            "--official cannot be combined with --remove-singletons, because the official scorer keeps singletons"
        )
    check_ending(options.json, ".json")
    check_outputs([options.json], [options.key, options.response])
    scorer = score_file(options, options.response)
    if options.official:
        compare_with_official(options.official, options.key, options.response, scorer.result())
    rows = {"all documents": scorer.result(), **scorer.per_genre()}
    if options.per_document:
        rows |= scorer.per_document()
    intervals = confidence_intervals(scorer, options.bootstrap, options.seed) if options.bootstrap else None
    if options.json:
        write_json(options.json, report_of(scorer, options.per_document, intervals))
    with printing_beside(options.json):
        print(score_table(rows, intervals))


def _at_least(least: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}; expected an integer of at least {least}")
        return int(text)

    return integer


def score_file(options: argparse.Namespace, response: str) -> Scorer:
    """Returns the scores of a response."""
    asked = options.metrics and [name for names in options.metrics for name in names.split(",") if name]
    # Unless repeats are allowed, reading has already rejected a mention in two clusters, with its line number.
    scorer = Scorer(asked, remove_singletons=options.remove_singletons, allow_repeated=True)
    scorer.add_all(read_pairs(options.key, response, options.allow_repeated))
    if scorer.repeats_dropped > MOST_REPEATS:
        raise CorefError(
            f"{response}: {scorer.repeats_dropped} repeated mentions; expected at most {MOST_REPEATS}, "
            "because the official scorer rejects more"
        )
    return scorer
