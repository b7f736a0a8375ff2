"""What is fitted on documents and, with --keep, kept in the checkpoint.

`coref analyse singletons`: from which mention score on a span in no cluster is a mention. `coref analyse balance`: how
readily to link.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from coref_tf.checkpoints.checkpoint import (
    best_checkpoint_path,
    change_checkpoint,
    model_path,
    read_checkpoint,
)
from coref_tf.commands.options import add_checkpoint, trained
from coref_tf.config import Experiment, describe
from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.balance import BalanceFit
from coref_tf.evaluation.singleton_fit import SingletonsFit
from coref_tf.inference.singletons import STATE
from coref_tf.support.errors import CorefError
from coref_tf.support.progress import Progress

if TYPE_CHECKING:
    from coref_tf.inference.prediction import Prediction


def add_singletons(parser: argparse.ArgumentParser) -> None:
    """What `singletons` takes."""
    _add_fit(
        parser,
        "documents in which mentions that stay alone are clusters, too",
        "write the threshold into the checkpoint, for --singletons",
    )


def add_balance(parser: argparse.ArgumentParser) -> None:
    """What `balance` takes."""
    _add_fit(
        parser,
        "documents with clusters that the model was not trained on",
        "write it into the checkpoint, and fit its probabilities on these documents again",
    )


def _add_fit(parser: argparse.ArgumentParser, data: str, keep: str) -> None:
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
    parser.add_argument("data", metavar="DATA", help=data)
    parser.add_argument("changes", metavar="key=value", nargs="*", help="settings that differ")
    parser.add_argument("--keep", action="store_true", help=keep)
    add_checkpoint(parser)


def run_singletons(arguments: argparse.Namespace) -> None:
    """Predicts, fits, prints, and keeps."""
    experiment, path, documents = _asked(arguments)
    alone = sum(len(cluster) == 1 for document in documents for cluster in document.clusters)
    if not alone:
        raise CorefError(
            f"{arguments.data}: has no singletons; expected documents in which mentions that stay alone are clusters"
        )
    fit = SingletonsFit()
    for prediction in _predict(experiment, documents, path):
        fit.add(prediction)
    found = fit.result()
    print(f"{alone:,} singletons; the best threshold is mention score {found.threshold:.3f}")
    print(f"F1 of mentions {100 * found.f1_without:.1f} without singletons, {100 * found.f1:.1f} with them")
    if _is_kept(arguments):
        change_checkpoint(path, state={**read_checkpoint(path).state, STATE: found.threshold})
        print(f"{path} has it now, for --singletons")


def run_balance(arguments: argparse.Namespace) -> None:
    """Predicts, fits, prints, and keeps."""
    experiment, path, documents = _asked(arguments)
    if experiment.coref_depth > 1:
        raise CorefError(
            f"{path}: has coref_depth = {experiment.coref_depth}, whose scores depend on each other; expected 1"
        )
    fit = BalanceFit()
    for prediction in _predict(experiment, documents, path, details=True):
        fit.add(prediction)
    found = fit.result()
    print(f"the best average F1 is {100 * found.average_f1:.1f}, with {found.shift:+.1f} on every link")
    print(f"as it is, it has {100 * found.average_f1_before:.1f}")
    if _is_kept(arguments):
        from coref_tf.training.calibrating import keep_shift

        keep_shift(experiment, path, found.shift, documents)
        print(f"{path} has it now")


def _asked(arguments: argparse.Namespace) -> tuple[Experiment, str | os.PathLike, list[Document]]:
    """The model, its checkpoint, and the documents."""
    [experiment] = trained([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    path = arguments.checkpoint or model_path(experiment)
    if arguments.keep and not arguments.checkpoint and path != best_checkpoint_path(experiment):
        raise CorefError(
            f"{path}: came with the package and stays as it is; copy it, and name the copy with --checkpoint"
        )
    return experiment, path, list(read_documents(arguments.data))


def _predict(
    experiment: Experiment, documents: Sequence[Document], path: str | os.PathLike, details: bool = False
) -> Iterator["Prediction"]:
    """What the model says of each document; tells on stderr how far it has come."""
    # TensorFlow takes seconds to import: only now that everything else is known to be right.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.load([experiment], path)
    print(describe([experiment]), flush=True)
    progress = Progress()
    for prediction in predictor.predict_all(documents, details=details):
        progress.add(prediction.document.num_words, len(prediction.clusters))
        yield prediction
    progress.close()


def _is_kept(arguments: argparse.Namespace) -> bool:
    if not arguments.keep:
        print("nothing was changed; --keep writes it into the checkpoint")
    return arguments.keep
