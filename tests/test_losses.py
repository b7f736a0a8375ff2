"""The marginal likelihood equals a brute-force enumeration in float64."""

import itertools

import numpy as np
import tensorflow as tf

from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.losses import gold_antecedents, gold_clusters, marginal_loss


def brute_force(scores, antecedents, lengths, clusters):
    """The negative log probability of all antecedent assignments that agree with the gold clusters."""
    probabilities, gold = [], []
    for i in range(len(clusters)):
        options = [-1, *antecedents[i][: lengths[i]]]
        values = np.exp(np.array([0.0, *scores[i][: lengths[i]]], np.float64))
        probabilities.append(dict(zip(options, values / values.sum(), strict=True)))
        right = {j for j in options[1:] if clusters[i] > 0 and clusters[i] == clusters[j]}
        gold.append(right or {-1})
    total = 0.0
    for assignment in itertools.product(*gold):
        total += np.prod([probabilities[i][y] for i, y in enumerate(assignment)])
    return -np.log(total)


def test_equals_enumerating_all_gold_assignments():
    generator = np.random.default_rng(0)
    for _ in range(300):
        count, limit = int(generator.integers(1, 7)), int(generator.integers(1, 5))
        width = min(count, limit)
        earlier = [list(range(max(0, i - limit), i)) for i in range(count)]
        lengths = np.array([len(row) for row in earlier], np.int32)
        indices = np.array([row + [0] * (width - len(row)) for row in earlier], np.int32)
        real = np.arange(width) < lengths[:, None]
        values = generator.normal(scale=3, size=[count, width])
        scores = np.concatenate([np.zeros([count, 1]), np.where(real, values, -np.inf)], axis=1).astype(
            np.float32
        )
        clusters = generator.integers(0, 3, size=count).astype(np.int32)
        gold = gold_antecedents(tf.constant(clusters), Antecedents(indices, lengths, scores))
        np.testing.assert_allclose(
            marginal_loss(scores, gold), brute_force(values, indices, lengths, clusters), rtol=1e-4, atol=1e-4
        )


def test_gold_is_the_dummy_where_no_gold_antecedent_survived():
    antecedents = Antecedents(np.array([[0, 0], [0, 0], [0, 1], [1, 2]]), np.array([0, 1, 2, 2]), None)
    # Span 3's only gold antecedent, span 0, is not among its two nearest. Padding doesn't count as span 0.
    gold = gold_antecedents(tf.constant([1, 0, 2, 1]), antecedents)
    assert gold.numpy().tolist() == [[True, False, False]] * 4
    gold = gold_antecedents(tf.constant([1, 1, 0, 1]), antecedents)
    assert gold.numpy().tolist() == [
        [True, False, False],
        [False, True, False],
        [True, False, False],
        [False, True, False],
    ]


def test_gradient_is_finite_with_padding():
    scores = tf.Variable([[0.0, -np.inf, -np.inf], [0.0, 2.0, -np.inf]])
    gold = tf.constant([[True, False, False], [False, True, False]])
    with tf.GradientTape() as tape:
        loss = marginal_loss(scores, gold)
    gradient = tape.gradient(loss, scores).numpy()
    assert np.isfinite(gradient).all()
    np.testing.assert_allclose(gradient[1, 0], 1 / (1 + np.exp(2)), rtol=1e-5)


def test_gold_clusters_match_both_ends():
    starts, ends = tf.constant([0, 0, 2, 5]), tf.constant([0, 1, 3, 5])
    clusters = gold_clusters(starts, ends, tf.constant([0, 2]), tf.constant([1, 3]), tf.constant([7, 9]))
    assert clusters.numpy().tolist() == [0, 7, 9, 0]
    nothing = tf.zeros([0], tf.int32)
    assert gold_clusters(starts, ends, nothing, nothing, nothing).numpy().tolist() == [0, 0, 0, 0]
    assert gold_clusters(nothing, nothing, starts, ends, starts).shape == [0]
