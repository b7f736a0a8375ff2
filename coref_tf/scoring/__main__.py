"""Scores coreference clusters in CoNLL-2012 files, with the official scorer's figures.

python -m coref_tf.scoring KEY RESPONSE [--metrics ...] [--json FILE] [--per-document] [--bootstrap N]
python -m coref_tf.scoring compare KEY A B [--metrics ...] [--json FILE] [--bootstrap N]
"""

from coref_tf.support.environment import use_project_environment

use_project_environment()

import argparse  # noqa: E402
import json  # noqa: E402
import logging  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402

from coref_tf.scoring.bootstrap import confidence_intervals, paired_bootstrap  # noqa: E402
from coref_tf.scoring.conll_pairs import read_pairs  # noqa: E402
from coref_tf.scoring.coref_scores import METRICS, check_metrics  # noqa: E402
from coref_tf.scoring.official import compare_with_official  # noqa: E402
from coref_tf.scoring.scorer import Scorer  # noqa: E402
from coref_tf.scoring.table import difference_table, score_table  # noqa: E402
from coref_tf.support.errors import CorefError, run_command  # noqa: E402
from coref_tf.support.files import atomic_write  # noqa: E402

# The official scorer v8.01 refuses a response with more repeats than this.
MOST_REPEATS = 10
COMPARE_SAMPLES = 10000


def main() -> None:
    """Scores one response, or compares two."""
    logging.basicConfig(format="warning: %(message)s")
    arguments = sys.argv[1:]
    if arguments[:1] == ["compare"]:
        compare(_parser("A", "B", samples=COMPARE_SAMPLES).parse_args(arguments[1:]))
    else:
        score(_parser("RESPONSE").parse_args(arguments))


def score(options: argparse.Namespace) -> None:
    """Prints the table of one response's scores."""
    if options.official and options.remove_singletons:
        raise CorefError(
            "--official can't be used with --remove-singletons; the official scorer keeps singletons"
        )
    scorer = _score_file(options, options.response)
    if options.official:
        compare_with_official(options.official, options.key, options.response, scorer.result())
    rows = {"all documents": scorer.result(), **scorer.per_genre()}
    if options.per_document:
        rows |= scorer.per_document()
    intervals = confidence_intervals(scorer, options.bootstrap, options.seed) if options.bootstrap else None
    if options.json:
        _write_json(options.json, _report(scorer, options.per_document, intervals))
    print(score_table(rows, intervals))


def compare(options: argparse.Namespace) -> None:
    """Prints how far two responses are apart."""
    a, b = (_score_file(options, response) for response in (options.a, options.b))
    differences = paired_bootstrap(a, b, options.bootstrap, options.seed)
    if options.json:
        compared = {name: difference.as_dict() for name, difference in differences.items()}
        _write_json(options.json, {"a": _report(a), "b": _report(b), "f1_differences": compared})
    print(f"A: {options.a}\nB: {options.b}\n\n{difference_table(differences)}")


def _parser(*files: str, samples: int | None = None) -> argparse.ArgumentParser:
    comparing = len(files) > 1
    parser = argparse.ArgumentParser(
        usage=f"python -m coref_tf.scoring{' compare' * comparing} KEY {' '.join(files)} [options]",
        description=__doc__.splitlines()[0],
        epilog=None
        if comparing
        else "How far two systems are apart: python -m coref_tf.scoring compare KEY A B",
    )
    parser.add_argument("key", metavar="KEY", help="the gold clusters, CoNLL-2012")
    for file in files:
        parser.add_argument(file.lower(), metavar=file, help="a system's clusters for the same documents")
    add = parser.add_argument
    add("--metrics", nargs="+", default=METRICS, metavar="METRIC", help=f"some of {', '.join(METRICS)}")
    add("--json", metavar="FILE", help="write all figures to this file, too")
    add(
        "--bootstrap", type=_at_least(1), default=samples, metavar="N", help="95 %% intervals, from N samples"
    )
    add("--seed", type=_at_least(0), default=0, help="of the samples (default: %(default)s)")
    add("--remove-singletons", action="store_true", help="leave out clusters of one mention, on both sides")
    add("--allow-repeated", action="store_true", help="count a mention in two clusters in the first alone")
    if not comparing:
        add("--per-document", action="store_true", help="a row for each document, too")
        add("--official", metavar="SCORER", help="run this scorer.pl, too; a difference is an error")
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number, at least {least}")
        return int(text)

    return whole_number


def _score_file(options: argparse.Namespace, response: str) -> Scorer:
    metrics = check_metrics(name for names in options.metrics for name in names.split(",") if name)
    # A mention in two clusters has been refused with its line, where it should be, before it gets here.
    scorer = Scorer(metrics, remove_singletons=options.remove_singletons, allow_repeated=True)
    scorer.add_all(read_pairs(options.key, response, options.allow_repeated))
    if scorer.repeats_dropped > MOST_REPEATS:
        raise CorefError(
            f"{response}: {scorer.repeats_dropped} repeated mentions; expected at most {MOST_REPEATS}, "
            "since the official scorer refuses to score more"
        )
    return scorer


def _report(scorer: Scorer, per_document: bool = False, intervals: dict | None = None) -> dict:
    """What --json writes: the scores of all documents at the top, those of genres and documents below."""
    report = scorer.result().as_dict()
    report["genres"] = {genre: scores.as_dict() for genre, scores in scorer.per_genre().items()}
    if per_document:
        report["documents"] = {name: scores.as_dict() for name, scores in scorer.per_document().items()}
    if intervals:
        report["intervals"] = {
            name: {figure: interval._asdict() for figure, interval in figures.items()}
            for name, figures in intervals.items()
        }
    return report


def _write_json(path: str, report: dict) -> None:
    with atomic_write(path) as file:
        json.dump(report, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    run_command(main)
