"""The marginal likelihood of the gold antecedents (section 6)."""

import tensorflow as tf

from coref_tf.layers.antecedent_scorer import Antecedents


def gold_clusters(
    starts: tf.Tensor, ends: tf.Tensor, gold_starts: tf.Tensor, gold_ends: tf.Tensor, cluster_ids: tf.Tensor
) -> tf.Tensor:
    """Returns the gold cluster of each span, int32 [spans]; 0 for a span that is not a gold mention.

    Args:
        starts, ends: int32 [spans].
        gold_starts, gold_ends: int32 [mentions].
        cluster_ids: int32 [mentions], from 1.
    """
    same_start = tf.equal(starts[:, tf.newaxis], gold_starts)
    # [spans, mentions]: in a valid corpus, at most one mention equals a span; a mention in two clusters is assigned
    # to the later one
    same = tf.logical_and(same_start, tf.equal(ends[:, tf.newaxis], gold_ends))
    return tf.reduce_max(tf.pad(tf.where(same, cluster_ids, 0), [[0, 0], [1, 0]]), axis=1)


def gold_antecedents(span_clusters: tf.Tensor, antecedents: Antecedents) -> tf.Tensor:
    """Returns Y(i) and GOLD(i), the correct antecedents, as bool [spans, 1 + antecedents], the dummy first.

    If no gold antecedent survived pruning, GOLD(i) contains only the dummy.

    Args:
        span_clusters: int32 [spans], 0 for none.
        antecedents: The antecedents of the kept spans.
    """
    target = span_clusters[:, tf.newaxis]
    same_cluster = tf.logical_and(target > 0, tf.equal(target, tf.gather(span_clusters, antecedents.indices)))
    real = tf.sequence_mask(antecedents.lengths, tf.shape(antecedents.indices)[1])
    gold = tf.logical_and(same_cluster, real)
    dummy = tf.logical_not(tf.reduce_any(gold, axis=1, keepdims=True))
    return tf.concat([dummy, gold], axis=1)


def marginal_loss(scores: tf.Tensor, gold: tf.Tensor) -> tf.Tensor:
    """Returns the negative log-likelihood, with the probabilities of all gold antecedents of a span summed.

    Args:
        scores: float32 [spans, 1 + antecedents], -inf for padding.
        gold: bool of the same shape.

    Returns:
        float32 [].
    """
    # [spans]
    gold_scores = tf.reduce_logsumexp(tf.where(gold, scores, -float("inf")), axis=1)
    return tf.reduce_sum(tf.reduce_logsumexp(scores, axis=1) - gold_scores)
