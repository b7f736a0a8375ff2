"""Precision and recall of links by minimum place probability; NumPy only."""

from collections.abc import Iterable, Sequence

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.reliability import decision_probabilities
from coref_tf.models.calibration import Calibration
from coref_tf.models.dial import THRESHOLDS, Dial
from coref_tf.scoring.intervals import draw, wilson_interval

CONFIDENCE = 0.9  # the confidence that the precision on other documents is at least the lower bound


def link_curve(
    decisions: Decisions,
    calibration: Calibration,
    gold_links: int,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Dial:
    """Computes precision and recall of the remaining links at each threshold.

    Args:
        decisions: The decisions for documents with gold clusters.
        calibration: The calibration that turns scores into probabilities.
        gold_links: The number of gold links; see `count_gold_links`.
        thresholds: The minimum place probabilities.

    Example:
        link_curve(decisions, fit(decisions), count_gold_links(documents)).threshold(0.9)
    """
    # [links]; in float32, the precision in which the model compares them
    places = decision_probabilities(decisions, calibration)[decisions.links].astype(np.float32)
    right = decisions.right[decisions.links]
    left = [places >= np.float32(threshold) for threshold in thresholds]
    documents = decisions.documents[decisions.links]
    precision = [float(right[kept].mean()) if kept.any() else None for kept in left]
    recall = [float(right[kept].sum() / max(gold_links, 1)) for kept in left]
    lower = [lower_bound(right[kept], documents[kept]) if kept.any() else None for kept in left]
    return Dial(tuple(thresholds), tuple(precision), tuple(recall), tuple(lower))


def lower_bound(right: np.ndarray, documents: np.ndarray) -> float:
    """Returns the lower bound of a one-sided 90% confidence interval of the share of correct links.

    The links of a document tend to be correct or wrong together, so documents are resampled. With few documents, this
    underestimates the spread; the bound is then that of independent links, if it is lower.

    Args:
        right: bool [links], whether each of one or more links is correct.
        documents: int64 [links], the document of each.
    """
    _, numbers = np.unique(documents, return_inverse=True)
    # [documents, 2]: how many links, and how many of them are correct
    counts = np.stack([np.bincount(numbers), np.bincount(numbers, right)], axis=1)
    links, rights = (draw(len(counts)) @ counts).T
    resampled = float(np.quantile(rights / links, 1 - CONFIDENCE))
    independent = wilson_interval(int(right.sum()), len(right), 2 * CONFIDENCE - 1).low
    return min(resampled, independent)


def count_gold_links(documents: Iterable[Document]) -> int:
    """Counts the gold mentions that have a preceding mention in their cluster, whether or not a model keeps them."""
    return sum(len(set(cluster)) - 1 for document in documents for cluster in document.clusters)
