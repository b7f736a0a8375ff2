"""How precision and recall of links depend on how probable a mention's place has to be; NumPy alone."""

from collections.abc import Iterable, Sequence

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.reliability import sureness
from coref_tf.models.calibration import Calibration
from coref_tf.models.dial import THRESHOLDS, Dial
from coref_tf.scoring.intervals import draw, wilson_interval

CONFIDENCE = 0.9  # that the precision on other documents is at least the lower bound


def link_curve(
    decisions: Decisions,
    calibration: Calibration,
    gold_links: int,
    thresholds: Sequence[float] = THRESHOLDS,
) -> Dial:
    """The share of the links left that are right, and of the gold links that they are, at each threshold.

    Args:
        decisions: of documents with gold clusters.
        calibration: what makes probabilities of scores.
        gold_links: how many links there should be: see `count_gold_links`.
        thresholds: the least probability of a mention's place.

    Example:
        link_curve(decisions, fit(decisions), count_gold_links(documents)).threshold(0.9)
    """
    # [links]; as numbers of 32 bits, which is how the model compares them
    places = sureness(decisions, calibration)[decisions.links].astype(np.float32)
    right = decisions.right[decisions.links]
    left = [places >= np.float32(least) for least in thresholds]
    documents = decisions.documents[decisions.links]
    precision = [float(right[kept].mean()) if kept.any() else None for kept in left]
    recall = [float(right[kept].sum() / max(gold_links, 1)) for kept in left]
    lower = [lower_bound(right[kept], documents[kept]) if kept.any() else None for kept in left]
    return Dial(tuple(thresholds), tuple(precision), tuple(recall), tuple(lower))


def lower_bound(right: np.ndarray, documents: np.ndarray) -> float:
    """Returns the lower bound of a one-sided 90 % confidence interval of the share of right links.

    The links of a document are right or wrong together more often than by chance, so documents are resampled. With few
    documents this underestimates the spread; the bound is then that of independent links, if it is lower.

    Args:
        right: bool [links], at least one.
        documents: int64 [links], the document of each.
    """
    _, numbers = np.unique(documents, return_inverse=True)
    # [documents, 2]: how many links, and how many of them are right
    counts = np.stack([np.bincount(numbers), np.bincount(numbers, right)], axis=1)
    links, rights = (draw(len(counts)) @ counts).T
    resampled = float(np.quantile(rights / links, 1 - CONFIDENCE))
    independent = wilson_interval(int(right.sum()), len(right), 2 * CONFIDENCE - 1).low
    return min(resampled, independent)


def count_gold_links(documents: Iterable[Document]) -> int:
    """How many gold mentions have one before them in their cluster, whether a model keeps them or not."""
    return sum(len(set(cluster)) - 1 for document in documents for cluster in document.clusters)
