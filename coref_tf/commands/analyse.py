"""Analyses the errors and the calibration of a trained model.

coref analyse errors best data/sample/dev.conll --html errors.html
coref analyse calibration best results
coref analyse dial best data/sample/dev.conll

`singletons` and `balance` fit a parameter on documents and, with --keep, store it in the checkpoint.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coref_tf.commands.options import (
    add_checkpoint,
    add_conf,
    corpus_of_model,
    open_models,
    split_changes,
    split_models,
)
from coref_tf.config import ExperimentsFile
from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.balance import BalanceFit
from coref_tf.evaluation.calibration.report import write_calibration
from coref_tf.evaluation.dial_curve import write_dial
from coref_tf.evaluation.errors.measure import DocumentErrors, ErrorCounts
from coref_tf.evaluation.errors.page import write_errors_page
from coref_tf.evaluation.errors.tables import error_tables
from coref_tf.evaluation.singleton_fit import SingletonsFit
from coref_tf.models.checkpoint import change_checkpoint
from coref_tf.models.trained_model import SINGLETONS, TrainedModel, describe_models
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_outputs, write_json
from coref_tf.support.progress import counted
from coref_tf.support.resources import bundled_models

if TYPE_CHECKING:
    from coref_tf.inference.prediction import Prediction

WORST = 10  # the default number of documents on the page of errors
DEFAULT_FOLDER = "results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the subcommands and their options."""
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, summary: str, call: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(call=call)
        add_conf(command)
        add_checkpoint(command)
        return command

    add_errors(
        add("errors", "count errors by kind, with their cost in F1, and show the worst documents", run_errors)
    )
    add_calibration(
        add(
            "calibration",
            "calibrate probabilities, and measure their reliability before and after",
            run_calibration,
        )
    )
    add_dial(add("dial", "plot precision and recall of links against their minimum probability", run_dial))
    singletons = add(
        "singletons", "fit the mention score above which an unlinked span is a singleton", run_singletons
    )
    add_fit(
        singletons,
        data="documents with singletons",
        keep="store the threshold in the checkpoint, for --singletons",
    )
    balance = add("balance", "fit how readily the model links, for the highest F1", run_balance)
    add_fit(
        balance,
        data="documents with clusters that the model was not trained on",
        keep="store it in the checkpoint, and calibrate the probabilities on these documents again",
    )


def run(arguments: argparse.Namespace) -> None:
    """Runs one of the subcommands."""
    arguments.call(arguments)


# --- errors -----------------------------------------------------------------------------------------------


def add_errors(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `errors`."""
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="a trained experiment, or two to compare; key=value changes a setting",
    )
    parser.add_argument("data", metavar="DATA", help="documents with clusters")
    parser.add_argument("--html", metavar="FILE", help="write the tables and the worst documents as a page")
    parser.add_argument("--json", metavar="FILE", help="write all results as JSON")
    parser.add_argument(
        "--worst", type=int, default=WORST, metavar="N", help=f"documents on the page (default: {WORST})"
    )
    parser.add_argument(
        "--remove-singletons", action="store_true", help="ignore gold clusters of one mention"
    )


def run_errors(arguments: argparse.Namespace) -> None:
    """Predicts with each model, counts its errors, and prints and writes them."""
    names, changes = split_changes(arguments.models)
    data = arguments.data
    if len(names) > 2 or len(set(names)) < len(names):
        raise CorefError(f"{' '.join(names)}: expected one model, or two different ones")
    if arguments.worst < 0:
        raise CorefError(f"--worst {arguments.worst}: expected 0 or more")
    if arguments.checkpoint and len(names) > 1:
        raise CorefError(f"{arguments.checkpoint}: expected only one model with --checkpoint")
    check_outputs([path for path in (arguments.html, arguments.json) if path], [data])
    opened = open_models(names, arguments.conf, changes, arguments.checkpoint)
    documents = list(read_documents(data))
    if not any(document.clusters for document in documents):
        raise CorefError(f"{data}: has no clusters; expected documents with gold clusters")
    models = {
        model.name: ErrorCounts(
            DocumentErrors(prediction.document, prediction.clusters, arguments.remove_singletons)
            for prediction in predict(model, documents)
        )
        for model in opened
    }
    for table in error_tables(models):
        print(f"\n{table.as_text()}")
    if arguments.json:
        write_json(arguments.json, {name: counts.as_dict_by_genre() for name, counts in models.items()})
    if arguments.html:
        title = f"{' and '.join(names)}: errors in {Path(data).name}"
        lead = ". ".join(describe_models([model], data) for model in opened)
        write_errors_page(arguments.html, title, lead, models, arguments.worst)


# --- calibration and dial ---------------------------------------------------------------------------------


def add_calibration(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `calibration`."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
    parser.add_argument("output", metavar="FOLDER", help="where to write the results")
    parser.add_argument("changes", metavar="key=value", nargs="*", default=[], help="settings to change")
    parser.add_argument(
        "--fit", metavar="FILE", help="documents to fit on (default: eval_path of the experiment)"
    )
    parser.add_argument(
        "--data", metavar="FILE", help="documents to measure on (default: test_path of the experiment)"
    )


def run_calibration(arguments: argparse.Namespace) -> None:
    """Fits the calibration on one set of documents, and measures it on another."""
    [model] = open_models([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    settings = model.settings
    fitting = arguments.fit or corpus_of_model(model, settings.eval_path, "dev set", "--fit")
    measuring = arguments.data or corpus_of_model(model, settings.test_path, "test set", "--data")
    write_calibration(model, Path(fitting), Path(measuring), Path(arguments.output))


def add_dial(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `dial`."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="MODEL|DATA|key=value",
        help="a trained experiment, then documents with clusters; key=value changes a setting",
    )
    parser.add_argument(
        "--out",
        default=DEFAULT_FOLDER,
        metavar="FOLDER",
        help=f"folder for dial.csv and dial.png (default: {DEFAULT_FOLDER})",
    )
    parser.add_argument(
        "--remove-singletons", action="store_true", help="ignore gold clusters of one mention in the F1"
    )


def run_dial(arguments: argparse.Namespace) -> None:
    """Predicts once, and measures precision and recall at each minimum probability."""
    words, changes = split_changes(arguments.words)
    experiments = ExperimentsFile(arguments.conf)
    names, data = split_models(words, experiments, min_inputs=0)
    if len(names) > 1:
        raise CorefError(f"{' '.join(names)}: several models; expected one, then documents with clusters")
    if not data:
        raise CorefError("no documents given; expected MODEL DATA, as in `coref analyse dial best dev.conll`")
    [model] = open_models(names, experiments, changes, arguments.checkpoint)
    write_dial(model, data, Path(arguments.out), arguments.remove_singletons)


# --- singletons and balance -------------------------------------------------------------------------------


def add_fit(parser: argparse.ArgumentParser, data: str, keep: str) -> None:
    """Adds the options of a command that fits a parameter."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
    parser.add_argument("data", metavar="DATA", help=data)
    parser.add_argument("changes", metavar="key=value", nargs="*", default=[], help="settings to change")
    parser.add_argument("--keep", action="store_true", help=keep)


def run_singletons(arguments: argparse.Namespace) -> None:
    """Fits the threshold of singletons and, with --keep, writes it into the checkpoint."""
    model, documents = find_fitted(arguments)
    alone = sum(len(cluster) == 1 for document in documents for cluster in document.clusters)
    if not alone:
        raise CorefError(f"{arguments.data}: has no singletons; expected documents with annotated singletons")
    fit = SingletonsFit()
    for prediction in predict(model, documents):
        fit.add(prediction)
    found = fit.result()
    print(f"{alone:,} singletons; the best threshold is a mention score of {found.threshold:.3f}")
    print(
        f"F1 of mention detection: {100 * found.f1_without:.1f} without singletons, {100 * found.f1:.1f} with them"
    )
    if is_kept(arguments):
        change_checkpoint(model.path, state={**model.checkpoint.state, SINGLETONS: found.threshold})
        print(f"stored in {model.path}, for --singletons")


def run_balance(arguments: argparse.Namespace) -> None:
    """Fits a shift of all link scores and, with --keep, writes it into the checkpoint."""
    model, documents = find_fitted(arguments)
    depth = model.settings.coref_depth
    if depth > 1:
        raise CorefError(
            f"{model.path}: has coref_depth = {depth}, whose scores depend on each other; expected 1"
        )
    fit = BalanceFit()
    for prediction in predict(model, documents, details=True):
        fit.add(prediction)
    found = fit.result()
    print(
        f"the highest average F1 is {100 * found.average_f1:.1f}, with {found.shift:+.1f} added to every link score"
    )
    print(f"without this shift, the average F1 is {100 * found.average_f1_before:.1f}")
    if is_kept(arguments):
        from coref_tf.training.calibrating import keep_shift

        keep_shift(model, found.shift, documents)
        print(f"stored in {model.path}")


def find_fitted(arguments: argparse.Namespace) -> tuple[TrainedModel, list[Document]]:
    """Returns the model, and the documents to fit on."""
    [model] = open_models([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    if arguments.keep and model.path in bundled_models().values():
        raise CorefError(
            f"{model.path}: is a bundled model and must not be changed; copy it, and name the copy with --checkpoint"
        )
    return model, list(read_documents(arguments.data))


def is_kept(arguments: argparse.Namespace) -> bool:
    """Returns whether to change the checkpoint; prints a message if not."""
    if not arguments.keep:
        print("the checkpoint was not changed; --keep stores the result in it")
    return arguments.keep


def predict(
    model: TrainedModel,
    documents: Sequence[Document],
    details: bool = False,
) -> Iterator["Prediction"]:
    """Yields the model's prediction for each document, and counts documents on stderr."""
    # TensorFlow takes seconds to import, so import it after all other checks.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.from_models([model])
    print(describe_models([model]), flush=True)
    yield from counted(predictor.predict_all(documents, details=details))
