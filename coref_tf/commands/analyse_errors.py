"""`coref analyse errors`: what went wrong, counted."""

import argparse
from pathlib import Path

from coref_tf.analysis.errors.measure import DocumentErrors, ErrorCounts
from coref_tf.analysis.errors.page import write_errors_page
from coref_tf.analysis.errors.tables import error_tables
from coref_tf.commands.options import add_checkpoint, split_changes, trained
from coref_tf.config import Experiment, describe
from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError
from coref_tf.support.files import check_outputs, write_json
from coref_tf.support.progress import Progress

WORST = 10


def add_errors(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="a trained experiment, or two to be compared; before or after it key=value",
    )
    parser.add_argument("data", metavar="DATA", help="documents with clusters")
    parser.add_argument(
        "--html", metavar="FILE", help="write the tables and the worst documents there, as a page"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument(
        "--worst", type=int, default=WORST, metavar="N", help=f"how many documents the page shows; {WORST}"
    )
    parser.add_argument(
        "--remove-singletons", action="store_true", help="leave gold clusters of one mention out"
    )
    add_checkpoint(parser)


def run_errors(arguments: argparse.Namespace) -> None:
    """Predicts with each model, corrects, prints and writes."""
    names, changes = split_changes(arguments.models)
    data = arguments.data
    if len(names) > 2 or len(set(names)) < len(names):
        raise CorefError(f"{' '.join(names)}: expected one model, or two different ones")
    if arguments.worst < 0:
        raise CorefError(f"--worst {arguments.worst}: expected a number from 0")
    if arguments.checkpoint and len(names) > 1:
        raise CorefError(f"{arguments.checkpoint}: a checkpoint can be named for one model only")
    check_outputs([path for path in (arguments.html, arguments.json) if path], [data])
    experiments = trained(names, arguments.conf, changes, arguments.checkpoint)
    documents = list(read_documents(data))
    if not any(document.clusters for document in documents):
        raise CorefError(f"{data}: has no clusters; expected documents whose clusters are known")
    models = {experiment.name: count_errors(experiment, documents, arguments) for experiment in experiments}
    for table in error_tables(models):
        print(f"\n{table.as_text()}")
    if arguments.json:
        write_json(arguments.json, {name: as_dict(counts) for name, counts in models.items()})
    if arguments.html:
        title = f"{' and '.join(names)}: what went wrong in {Path(data).name}"
        lead = ". ".join(describe([experiment], data) for experiment in experiments)
        write_errors_page(arguments.html, title, lead, models, arguments.worst)


def count_errors(
    experiment: Experiment, documents: list[Document], arguments: argparse.Namespace
) -> ErrorCounts:
    """The errors of one model."""
    # TensorFlow takes seconds to import: only now that everything else is known to be right.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.load([experiment], arguments.checkpoint)
    print(describe([experiment]), flush=True)
    progress, found = Progress(), []
    for prediction in predictor.predict_all(documents):
        progress.add(prediction.document.num_words, len(prediction.clusters))
        found.append(DocumentErrors(prediction.document, prediction.clusters, arguments.remove_singletons))
    progress.close()
    return ErrorCounts(found)


def as_dict(counts: ErrorCounts) -> dict:
    """All figures of a model, ready for JSON."""
    genres = {genre: own.as_dict() for genre, own in counts.per_genre().items()}
    return counts.as_dict() | {"genres": genres}
