"""Turns antecedent scores into clusters, with NumPy only."""

from collections.abc import Sequence

import numpy as np


def best_antecedents(antecedents: np.ndarray, antecedent_scores: np.ndarray) -> np.ndarray:
    """Returns the best antecedent of each span, int [spans]; -1 is the dummy, which also wins ties.

    Args:
        antecedents: int [spans, antecedents].
        antecedent_scores: float [spans, 1 + antecedents], the dummy first.
    """
    best = np.argmax(antecedent_scores, axis=1)
    if antecedents.shape[1] == 0:
        return best - 1
    chosen = antecedents[np.arange(len(best)), np.maximum(best - 1, 0)]
    return np.where(best > 0, chosen, -1)


def first_of_cluster(best: np.ndarray) -> np.ndarray:
    """Returns the first span of each span's cluster, int [spans]; a span outside any cluster maps to itself.

    Example:
        first_of_cluster(np.array([-1, 0, -1, 1]))   # [0, 0, 2, 0]
    """
    first = np.arange(len(best))
    for span, antecedent in enumerate(best):
        if antecedent >= 0:
            first[span] = first[antecedent]
    return first


def places_of(best: np.ndarray, antecedents: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Returns the probability of each span's place, float [spans].

    The place of a linked span is its cluster, so its probability is the sum over all antecedents in that cluster. For
    a span without a link, it is the probability of the dummy.

    Args:
        best: int [spans], the best antecedent of each span, -1 for the dummy.
        antecedents: int [spans, antecedents].
        probabilities: float [spans, 1 + antecedents], of each antecedent, the dummy first; 0 for padding.
    """
    first = first_of_cluster(best)
    together = first[antecedents] == first[:, np.newaxis]
    return np.where(best >= 0, np.where(together, probabilities[:, 1:], 0.0).sum(axis=1), probabilities[:, 0])


def remove_improbable_links(best: np.ndarray, places: np.ndarray, threshold: float) -> np.ndarray:
    """Removes the links of spans with a place probability below `threshold`; returns antecedents, int [spans].

    Args:
        best: int [spans], the best antecedent of each span, -1 for the dummy.
        places: float [spans], the probability of each span's place in its cluster.
        threshold: The minimum probability, from 0 (keeps all links) to 1.
    """
    return np.where(places < threshold, -1, best).astype(best.dtype)


def place_probabilities(best: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns the probability of each mention's place in its cluster, float [spans]; 0 for spans in no cluster.

    The first span of a chain has no link of its own and gets the highest probability among the spans that link to it.

    Args:
        best: int [spans], -1 for the dummy.
        places: float [spans], the probability of the place of each linked span.

    Example:
        place_probabilities(np.array([-1, 0, 0, -1]), np.array([0.9, 0.6, 0.7, 0.8]))   # [0.7, 0.6, 0.7, 0]
    """
    linked = best >= 0
    highest = np.zeros_like(places)
    np.maximum.at(highest, best[linked], places[linked])
    return np.where(linked, places, highest)


def clusters_of(starts: np.ndarray, ends: np.ndarray, best: np.ndarray) -> list[list[tuple[int, int]]]:
    """Returns the clusters, in document order, as lists of the (start, end) spans that antecedents connect.

    Example:
        clusters_of(starts=[0, 3, 5], ends=[1, 3, 6], best=[-1, 0, -1])   # [[(0, 1), (3, 3)]]
    """
    cluster_of_span: dict[int, list[tuple[int, int]]] = {}
    clusters = []
    for span, antecedent in enumerate(map(int, best)):
        if antecedent < 0:
            continue
        if antecedent not in cluster_of_span:
            cluster_of_span[antecedent] = [(int(starts[antecedent]), int(ends[antecedent]))]
            clusters.append(cluster_of_span[antecedent])
        cluster_of_span[span] = cluster_of_span[antecedent]
        cluster_of_span[span].append((int(starts[span]), int(ends[span])))
    return sorted(clusters)


def probable_clusters(
    clusters: Sequence[Sequence[tuple[int, int]]],
    antecedents: Sequence[Sequence[int | None]],
    probabilities: Sequence[Sequence[float | None]],
    threshold: float,
) -> list[list[tuple[int, int]]]:
    """Removes the links of mentions with a place probability below `threshold`; returns the remaining clusters.

    Args:
        clusters: The mentions of each cluster, in document order.
        antecedents: For each mention, its antecedent's index in the cluster; None for the first of a chain.
        probabilities: The probability of each mention's place; a link without a probability is kept.
        threshold: The minimum probability, from 0 (keeps all links) to 1.

    Example:
        probable_clusters([[(0, 1), (3, 3), (5, 5)]], [[None, 0, 1]], [[0.9, 0.9, 0.4]], 0.5)   # [[(0, 1), (3, 3)]]
    """
    remaining = []
    for spans, linked, places in zip(clusters, antecedents, probabilities, strict=True):
        starts, ends = zip(*spans, strict=True)
        best = np.array([-1 if antecedent is None else antecedent for antecedent in linked])
        known = np.array([1.0 if place is None else place for place in places], np.float32)
        remaining += clusters_of(
            np.array(starts), np.array(ends), remove_improbable_links(best, known, threshold)
        )
    return sorted(remaining)
