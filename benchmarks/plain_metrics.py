"""Coreference metrics in plain Python, directly from their definitions.

They are the oracle of the C++ scorer and the baseline of its benchmark. Repeated mentions are treated as in the
official scorer v8.01. Each metric returns [recall numerator, recall denominator, precision numerator, precision
denominator].
"""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import scipy.optimize

Mention = tuple[int, int]
Clusters = Sequence[Sequence[Mention]]


def coref_figures(key: Clusters, response: Clusters) -> dict[str, list[float]]:
    """Returns the counts of every metric for one document; BLANC has separate counts for its two kinds of links."""
    key = [list(cluster) for cluster in key if cluster]
    response = without_repeats(key, response)
    coreference, non_coreference = zip(links(key), links(response), strict=True)
    return {
        "mentions": in_common(set(itertools.chain(*key)), set(itertools.chain(*response))),
        "muc": muc(key, response),
        "bcub": bcub(key, response),
        "ceafm": ceaf(key, response, phi3, weight=len),
        "ceafe": ceaf(key, response, phi4, weight=lambda cluster: 1),
        "lea": [*lea(key, response), *lea(response, key)],
        "coreference_links": in_common(*coreference),
        "non_coreference_links": in_common(*non_coreference),
    }


def without_repeats(key: Clusters, response: Clusters) -> list[list[Mention]]:
    """Returns the response with only the first occurrence of each key mention, and without empty clusters."""
    in_key, seen, kept = set(itertools.chain(*key)), set(), []
    for cluster in response:
        kept.append([])
        for mention in cluster:
            if mention not in seen or mention not in in_key:
                kept[-1].append(mention)
            seen.add(mention)
    return [cluster for cluster in kept if cluster]


def in_common(key: set, response: set) -> list[float]:
    """Returns the counts of a metric that compares two sets: the number of common items, and the size of each set."""
    return [len(key & response), len(key), len(key & response), len(response)]


def homes(clusters: Clusters) -> dict[Mention, int]:
    """Returns the index of the cluster of each mention; for a repeated mention, that of its last cluster."""
    return {mention: index for index, cluster in enumerate(clusters) for mention in cluster}


def muc(key: Clusters, response: Clusters) -> list[float]:
    """MUC: a cluster of n mentions has n - 1 links; a response link is right if it stays within a key cluster."""
    home = homes(key)
    right = 0
    for cluster in response:
        reached = [home[mention] for mention in cluster if mention in home]
        right += len(reached) - len(set(reached))
    key_links, response_links = (sum(map(len, clusters)) - len(clusters) for clusters in (key, response))
    return [right, key_links, right, response_links]


def bcub(key: Clusters, response: Clusters) -> list[float]:
    """B-cubed: for every common mention, the overlap of its two clusters, as a fraction of each."""
    home, key_sets = homes(key), [set(cluster) for cluster in key]
    recall = precision = 0.0
    for cluster in response:
        for mention in cluster:
            if mention in home:
                shared = sum(other in key_sets[home[mention]] for other in cluster)
                recall += shared / len(key[home[mention]])
                precision += shared / len(cluster)
    return [recall, sum(map(len, key)), precision, sum(map(len, response))]


def phi3(shared: int, key_size: int, response_size: int) -> float:
    """Returns the similarity of two clusters in mention-based CEAF."""
    return shared


def phi4(shared: int, key_size: int, response_size: int) -> float:
    """Returns the similarity of two clusters in entity-based CEAF."""
    return 2 * shared / (key_size + response_size)


def ceaf(
    key: Clusters,
    response: Clusters,
    phi: Callable[[int, int, int], float],
    weight: Callable[[Sequence[Mention]], int],
) -> list[float]:
    """CEAF: the best one-to-one assignment of clusters by the similarity phi."""
    similarity = np.zeros((len(key), len(response)))
    for j, response_cluster in enumerate(response):
        members = set(response_cluster)
        for i, key_cluster in enumerate(key):
            shared = sum(mention in members for mention in key_cluster)
            similarity[i, j] = phi(shared, len(key_cluster), len(response_cluster))
    best = similarity[scipy.optimize.linear_sum_assignment(similarity, maximize=True)].sum()
    return [best, sum(map(weight, key)), best, sum(map(weight, response))]


def lea(clusters: Clusters, others: Clusters) -> list[float]:
    """LEA: the fraction of each cluster's links that the others have, times its size; a singleton links to itself."""
    home = homes(others)
    resolved = 0.0
    for cluster in clusters:
        if len(cluster) == 1:
            resolved += cluster[0] in home and len(others[home[cluster[0]]]) == 1
        else:
            pairs = list(itertools.combinations(cluster, 2))
            right = sum(a in home and b in home and home[a] == home[b] for a, b in pairs)
            resolved += len(cluster) * right / len(pairs)
    return [resolved, sum(map(len, clusters))]


def links(clusters: Clusters) -> tuple[set, set]:
    """Returns the links of BLANC: the pairs within clusters, and the pairs across clusters."""
    inside = (pair for cluster in clusters for pair in itertools.combinations(cluster, 2))
    across = (
        pair
        for first, second in itertools.combinations(clusters, 2)
        for pair in itertools.product(first, second)
    )
    return {frozenset(pair) for pair in inside}, {frozenset(pair) for pair in across}
