"""Decoding: the best antecedents, and the clusters of their links."""

import numpy as np

from coref_tf.decoding import best_antecedents, clusters_of, probable_clusters


def test_the_dummy_wins_when_nothing_is_positive_and_in_a_tie():
    antecedents = np.array([[0, 0], [0, 0], [0, 1], [0, 1]])
    scores = np.array([[0, -np.inf, -np.inf], [0, 0, -np.inf], [0, -1, 2], [0, 3, 3]])
    assert best_antecedents(antecedents, scores).tolist() == [-1, -1, 1, 0]


def test_no_spans_and_no_antecedents():
    assert best_antecedents(np.zeros([0, 0], int), np.zeros([0, 1])).tolist() == []
    assert best_antecedents(np.zeros([1, 0], int), np.zeros([1, 1])).tolist() == [-1]
    assert clusters_of(np.array([]), np.array([]), np.array([])) == []


def test_clusters_are_what_antecedents_connect():
    starts, ends = np.array([0, 2, 4, 6, 8]), np.array([1, 2, 5, 6, 9])
    best = np.array([-1, -1, 0, 1, 2])
    assert clusters_of(starts, ends, best) == [[(0, 1), (4, 5), (8, 9)], [(2, 2), (6, 6)]]
    # Two spans with the same antecedent are in one cluster.
    assert clusters_of(starts, ends, np.array([-1, 0, 0, -1, -1])) == [[(0, 1), (2, 2), (4, 5)]]


def test_sure_clusters_consist_of_the_probable_links():
    clusters = [[(0, 1), (3, 3), (5, 5), (9, 9)], [(2, 2), (7, 7)]]
    antecedents = [[None, 0, 1, 2], [None, 0]]
    places = [[0.9, 0.9, 0.4, 0.8], [None, None]]
    assert probable_clusters(clusters, antecedents, places, 0) == clusters
    remaining = [[(0, 1), (3, 3)], [(2, 2), (7, 7)], [(5, 5), (9, 9)]]
    assert probable_clusters(clusters, antecedents, places, 0.5) == remaining
    assert probable_clusters(clusters, antecedents, places, 0.85) == remaining[:2]
    assert probable_clusters([], [], [], 0.5) == []
