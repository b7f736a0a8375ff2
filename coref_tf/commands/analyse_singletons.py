"""`coref analyse singletons`: from which mention score on a span in no cluster is a mention."""

import argparse
import dataclasses

import numpy as np

from coref_tf.checkpoints.checkpoint import best_checkpoint_path, read_checkpoint, write_checkpoint
from coref_tf.commands.options import add_checkpoint, trained
from coref_tf.config import Experiment, describe
from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.singleton_fit import SingletonFit, fit_singletons
from coref_tf.inference.singletons import STATE, are_singletons
from coref_tf.support.errors import CorefError
from coref_tf.support.progress import Progress


def add_singletons(parser: argparse.ArgumentParser) -> None:
    """What it takes."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a trained experiment")
    parser.add_argument(
        "data", metavar="DATA", help="documents in which mentions that stay alone are clusters, too"
    )
    parser.add_argument("changes", metavar="key=value", nargs="*", help="settings that differ")
    parser.add_argument(
        "--keep", action="store_true", help="write the threshold into the checkpoint, for --singletons"
    )
    add_checkpoint(parser)


def run_singletons(arguments: argparse.Namespace) -> None:
    """Predicts, fits, prints, and keeps."""
    [experiment] = trained([arguments.experiment], arguments.conf, arguments.changes, arguments.checkpoint)
    documents = list(read_documents(arguments.data))
    alone = sum(len(cluster) == 1 for document in documents for cluster in document.clusters)
    if not alone:
        raise CorefError(
            f"{arguments.data}: has no singletons; expected documents in which mentions that stay alone are clusters"
        )
    found = fit_model(experiment, documents, arguments.checkpoint)
    print(f"{alone:,} singletons; the best threshold is mention score {found.threshold:.3f}")
    print(f"F1 of mentions {100 * found.f1_without:.1f} without singletons, {100 * found.f1:.1f} with them")
    if not arguments.keep:
        print("nothing was changed; --keep writes it into the checkpoint")
        return
    path = arguments.checkpoint or best_checkpoint_path(experiment)
    checkpoint = read_checkpoint(path)
    state = {**checkpoint.state, STATE: found.threshold}
    write_checkpoint(path, dataclasses.replace(checkpoint, state=state))
    print(f"{path} has it now, for --singletons")


def fit_model(experiment: Experiment, documents: list[Document], checkpoint: str | None) -> SingletonFit:
    """The threshold of a model."""
    # TensorFlow takes seconds to import: only now that everything else is known to be right.
    from coref_tf.inference.predictor import Predictor

    predictor = Predictor.load([experiment], checkpoint)
    print(describe([experiment]), flush=True)
    progress, scores, gold = Progress(), [np.zeros(0)], [np.zeros(0, bool)]
    clustered, right, mentions = 0, 0, 0
    for prediction in predictor.predict_all(documents):
        progress.add(prediction.document.num_words, len(prediction.clusters))
        known = {span for cluster in prediction.document.clusters for span in cluster}
        linked = {span for cluster in prediction.clusters for span in cluster}
        clustered, right, mentions = (
            clustered + len(linked),
            right + len(linked & known),
            mentions + len(known),
        )
        alone = are_singletons(prediction.antecedents, prediction.mention_scores, -np.inf)
        scores.append(prediction.mention_scores[alone])
        spans = (span for span, own in zip(prediction.top_spans, alone, strict=True) if own)
        gold.append(np.array([span in known for span in spans], bool))
    progress.close()
    return fit_singletons(np.concatenate(scores), np.concatenate(gold), (clustered, right), mentions)
