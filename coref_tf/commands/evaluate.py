"""Scores a trained model on documents with gold clusters.

coref evaluate best
coref evaluate best --data data/sample/test.jsonlines --conll predicted.conll
coref evaluate best log_root=logs/other
coref evaluate best0 best1 best2 best3 best4 --ensemble
coref evaluate best --suite gap=gap-validation.tsv --suite winobias=FOLDER --suite conll=a.conll,b.conll --html a.html
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coref_tf.commands.options import (
    add_data,
    add_experiments,
    add_max_memory,
    add_min_probability,
    add_singletons_too,
    corpus_of_model,
    load_predictor,
    minimum_probability,
    open_models,
    split_changes,
)
from coref_tf.documents import Document, open_writer, read_documents
from coref_tf.documents.formats import choose_output_format
from coref_tf.evaluation.evaluate import mostly_singletons
from coref_tf.evaluation.suites.registry import open_suite, usage
from coref_tf.evaluation.suites.suite import SuiteResult
from coref_tf.inference.unknown_words import UnknownWords
from coref_tf.models.trained_model import TrainedModel, describe_models
from coref_tf.page.report import paragraph, section, table_element, write_report
from coref_tf.scoring import CorefScores
from coref_tf.scoring.official import compare_with_official, official_script
from coref_tf.scoring.report import report_of
from coref_tf.scoring.table import score_table
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_ending, check_outputs, printing_beside, shortened, write_json
from coref_tf.support.progress import Progress

SUITES_FOLDER = "results/suites"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    add_experiments(parser)
    parser.add_argument("--ensemble", action="store_true", help="average the scores of several models")
    add_data(parser)
    parser.add_argument("--json", metavar="FILE", help="write all results to this file")
    parser.add_argument("--conll", metavar="FILE", help="write the predictions to this file")
    parser.add_argument(
        "--official", metavar="SCORER", help="also run this official scorer.pl and compare the scores"
    )
    parser.add_argument(
        "--remove-singletons",
        action="store_true",
        help="ignore clusters of one mention (suites report scores with and without them)",
    )
    add_suites(parser)
    add_max_memory(parser)
    add_min_probability(parser)
    add_singletons_too(parser)


def run(arguments: argparse.Namespace) -> None:
    """Predicts, scores and prints."""
    with printing_beside(arguments.json, arguments.conll, arguments.html):
        run_evaluation(arguments)


def run_evaluation(arguments: argparse.Namespace) -> None:
    """Evaluates one model, an ensemble or suites."""
    names, changes = split_changes(arguments.words)
    if len(names) > 1 and not arguments.ensemble:
        raise CorefError(
            f"{' '.join(names)}: several experiments; expected one, or --ensemble to average their models"
        )
    check_suites(arguments)
    check_files(arguments, arguments.data)
    models = open_models(names, arguments.conf, changes, arguments.checkpoint)
    if arguments.suite:
        return evaluate_suites(arguments, models)
    experiments = [model.settings for model in models]
    data = (
        Path(arguments.data)
        if arguments.data
        else corpus_of_model(models[0], experiments[0].conll_eval_path, "dev set", "--data")
    )
    check_files(arguments, data)
    threshold = minimum_probability(arguments, models)
    documents = list(read_documents(data))
    if not any(document.clusters for document in documents):
        raise CorefError(f"{data}: has no clusters; expected documents with gold clusters")
    known = arguments.remove_singletons or arguments.singletons
    warning = None if known else mostly_singletons(documents)
    if warning:
        print(f"warning: {data}: {warning}; --remove-singletons ignores them", file=sys.stderr)
    predictor = load_predictor(arguments, models, threshold)
    from coref_tf.evaluation.evaluate import evaluate
    from coref_tf.inference.prediction import Prediction

    print(describe_models(models, data), flush=True)
    progress, unknown_words = Progress(), UnknownWords(predictor.tensorizer.known)
    predicted = []

    def seen(prediction: Prediction) -> None:
        unknown_words.see(prediction.document)
        progress.add(prediction.document.num_words, len(prediction.clusters))
        predicted.append(prediction.document.with_clusters(prediction.clusters))

    evaluation = evaluate(predictor, documents, seen, arguments.remove_singletons)
    progress.close()
    unknown_words.close()
    if arguments.conll:
        write_conll(arguments.conll, predicted)
    if arguments.official:
        check_officially(arguments.official, documents, predicted, evaluation.scores)

    paths = [str(shortened(vectors.path)) for experiment in experiments for vectors in experiment.embeddings]
    unknown = dict(zip(paths, predictor.tensorizer.unknown_shares(documents), strict=True))
    recall = evaluation.mention_recall
    print(score_table({"all": evaluation.scores, **evaluation.scorer.per_genre()}))
    print(f"\nmention recall {100 * recall:.1f}% at {evaluation.spans_per_word:.2f} spans per word")
    for path, share in unknown.items():
        print(f"{100 * share:.2f}% of the words have no vector in {path}")
    if arguments.json:
        figures = report_of(evaluation.scorer, per_document=True) | {
            "mention_recall": recall,
            "spans_per_word": evaluation.spans_per_word,
            "unknown_words": unknown,
        }
        write_json(arguments.json, figures)


def check_files(arguments: argparse.Namespace, data: str | os.PathLike | None) -> None:
    """Raises an error if an output cannot be written or is also an input; `data` may still be unknown."""
    check_ending(arguments.json, ".json")
    if arguments.conll:
        choose_output_format(arguments.conll, "conll")
    if arguments.official:
        official_script(arguments.official)
    inputs = [data, arguments.conf, arguments.checkpoint, arguments.official]
    check_outputs([arguments.json, arguments.conll], inputs)


def write_conll(path: str | os.PathLike, documents: list[Document]) -> None:
    """Writes documents with their clusters as CoNLL-2012."""
    with open_writer(path, "conll") as write:
        for document in documents:
            write(document)


def check_officially(
    script: str, gold: list[Document], predicted: list[Document], scores: CorefScores
) -> None:
    """Runs the official scorer on the same clusters, and raises an error if its scores differ."""
    with tempfile.TemporaryDirectory() as folder:
        key, response = Path(folder, "key"), Path(folder, "response")
        write_conll(key, gold)
        write_conll(response, predicted)
        compare_with_official(script, key, response, scores)
    print(f"{script} computes the same scores")


def add_suites(parser: argparse.ArgumentParser) -> None:
    """Adds --suite and its options."""
    parser.add_argument(
        "--suite", action="append", metavar="NAME=FILES", help=f"run a suite instead: {usage()}"
    )
    parser.add_argument("--html", metavar="FILE", help="write the results of the suites as a page")
    parser.add_argument(
        "--out",
        default=SUITES_FOLDER,
        metavar="FOLDER",
        help=f"folder for GAP's submission file, in a subfolder for each model (default: {SUITES_FOLDER})",
    )


def check_suites(arguments: argparse.Namespace) -> None:
    """Raises an error if options cannot be combined."""
    if not arguments.suite:
        if arguments.html:
            raise CorefError("--html needs --suite, such as --suite conll=FILE")
        return
    for option in ("data", "conll", "official"):
        if getattr(arguments, option):
            raise CorefError(f"--{option} cannot be combined with --suite; --suite conll=FILE scores a file")
    check_ending(arguments.json, ".json")
    check_ending(arguments.html, ".html", ".htm")
    check_outputs([arguments.json, arguments.html], [arguments.conf, arguments.checkpoint])


def evaluate_suites(arguments: argparse.Namespace, models: Sequence[TrainedModel]) -> None:
    """Runs the suites, and prints and writes their results."""
    experiments = [model.settings for model in models]
    suites = [open_suite(words) for words in arguments.suite]
    threshold = minimum_probability(arguments, models)
    predictor = load_predictor(arguments, models, threshold)
    from coref_tf.evaluation.suites.run import run_suites, write_files

    print(describe_models(models), flush=True)
    model = "+".join(experiment.name for experiment in experiments)
    results = []
    for result in run_suites(predictor, experiments[0], suites):
        results.append(result)
        print(result_text(result), flush=True)
        for path in write_files(result, Path(arguments.out, model)):
            print(f"wrote {path}")
    if arguments.json:
        write_json(arguments.json, {"model": model, "suites": [result.as_dict() for result in results]})
    if arguments.html:
        sections = [result_section(result) for result in results]
        write_report(arguments.html, f"{model}: evaluation", describe_models(models), sections)


def result_text(result: SuiteResult) -> str:
    """Formats the result of a suite for a terminal."""
    parts = [f"\n{result.title}", result.source]
    parts += [table.as_text() for table in result.tables]
    parts += result.notes
    parts += [f"warning: {warning}" for warning in result.warnings]
    return "\n".join(parts)


def result_section(result: SuiteResult) -> str:
    """Formats the result of a suite as a section of the page."""
    warnings = [paragraph(warning, "warning") for warning in result.warnings]
    tables = [table_element(table) for table in (*result.tables, *result.page_tables)]
    notes = [paragraph(note, "hint") for note in result.notes]
    return section(result.title, paragraph(result.source, "hint"), *warnings, *tables, *notes)
