"""`coref evaluate --suite`: puts suites to a model, and writes what they found."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coref_tf.commands.options import least_probability, load_predictor
from coref_tf.config import describe
from coref_tf.evaluation.suites.registry import open_suite, usage
from coref_tf.evaluation.suites.suite import SuiteResult
from coref_tf.page.report import paragraph, section, table_element, write_report
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_ending, check_outputs, write_json

if TYPE_CHECKING:
    from coref_tf.models.trained_model import TrainedModel

DEFAULT_FOLDER = "results/suites"


def add_suites(parser: argparse.ArgumentParser) -> None:
    """--suite and what goes with it."""
    parser.add_argument("--suite", action="append", metavar="NAME=FILES", help=f"instead: {usage()}")
    parser.add_argument("--html", metavar="FILE", help="write the suites' figures there, as a page")
    parser.add_argument(
        "--out",
        default=DEFAULT_FOLDER,
        metavar="FOLDER",
        help=f"where GAP's submission file goes, in a folder of the model; default: {DEFAULT_FOLDER}",
    )


def check_suites(arguments: argparse.Namespace) -> None:
    """Refuses options that don't go together."""
    if not arguments.suite:
        if arguments.html:
            raise CorefError("--html shows suites; expected --suite too, such as --suite conll=FILE")
        return
    for option in ("data", "conll", "official"):
        if getattr(arguments, option):
            raise CorefError(f"--{option} and --suite don't go together; --suite conll=FILE scores a file")
    check_ending(arguments.json, ".json")
    check_ending(arguments.html, ".html", ".htm")
    check_outputs([arguments.json, arguments.html], [arguments.conf, arguments.checkpoint])


def evaluate_suites(arguments: argparse.Namespace, models: Sequence["TrainedModel"]) -> None:
    """Runs the suites, prints their results and writes them."""
    experiments = [model.settings for model in models]
    suites = [open_suite(words) for words in arguments.suite]
    least = least_probability(arguments, models)
    predictor = load_predictor(arguments, models, least)
    from coref_tf.evaluation.suites.run import run_suites, write_files

    print(describe(experiments), flush=True)
    model = "+".join(experiment.name for experiment in experiments)
    results = []
    for result in run_suites(predictor, experiments[0], suites):
        results.append(result)
        print(result_text(result), flush=True)
        for path in write_files(result, Path(arguments.out, model)):
            print(f"{path} is written")
    if arguments.json:
        write_json(arguments.json, {"model": model, "suites": [result.as_dict() for result in results]})
    if arguments.html:
        sections = [result_section(result) for result in results]
        write_report(arguments.html, f"{model}: what it is worth", describe(experiments), sections)


def result_text(result: SuiteResult) -> str:
    """A suite's result for a terminal."""
    parts = [f"\n{result.title}", result.source]
    parts += [table.as_text() for table in result.tables]
    parts += result.notes
    parts += [f"warning: {warning}" for warning in result.warnings]
    return "\n".join(parts)


def result_section(result: SuiteResult) -> str:
    """A suite's result as a part of the page."""
    warnings = [paragraph(warning, "warning") for warning in result.warnings]
    tables = [table_element(table) for table in (*result.tables, *result.page_tables)]
    notes = [paragraph(note, "hint") for note in result.notes]
    return section(result.title, paragraph(result.source, "hint"), *warnings, *tables, *notes)
