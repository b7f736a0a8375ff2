"""Antecedents that make no cluster contradict itself; not in the paper."""

from typing import Any

import tensorflow as tf

from coref_tf.documents.pronouns import HE, ME, SHE, YOU
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.probabilities import cluster_roots
from coref_tf.layers.span_representation import Spans


class ConsistentClusters(tf.keras.layers.Layer):
    """Rules out antecedents that would put a contradiction into a cluster.

    A cluster has one gender: never both *he* and *she*. It has one speaker: never the *I* of two people. And a speaker
    is one person: a cluster never has both *I* and *you* in the words of the same speaker. Spans are decided in
    document order; one whose best antecedent would break a rule takes the best that does not, or none. The scores of
    antecedents that are ruled out become -inf, as if they were padding, so that whatever reads the scores agrees.

    Example:
        ConsistentClusters()(antecedents, spans, pronouns, speaker_ids).best()
    """

    def call(
        self, antecedents: Antecedents, spans: Spans, pronouns: tf.Tensor, speaker_ids: tf.Tensor
    ) -> Antecedents:
        """The antecedents, some of them ruled out.

        Args:
            antecedents: of the kept spans.
            spans: the kept spans, in document order.
            pronouns: int32 [words], the class of each word; see coref_tf.documents.pronouns.
            speaker_ids: int32 [words].
        """
        # [spans]: what each span says of its cluster; only a pronoun by itself says anything
        classes = tf.where(spans.starts == spans.ends, tf.gather(pronouns, spans.starts), 0)
        speakers = tf.gather(speaker_ids, spans.starts)

        def first_contradiction(scores: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            """The clusters, int32 [spans], and the first span that contradicts its own; their number if none does."""
            clusters = cluster_roots(antecedents._replace(scores=scores).best()[1])
            wrong = contradictions(clusters, classes, speakers)
            places = tf.where(wrong, tf.range(tf.size(clusters)), tf.size(clusters))
            return clusters, tf.reduce_min(tf.concat([places, [tf.size(clusters)]], axis=0))

        def rule_out(scores: tf.Tensor, clusters: tf.Tensor, span: tf.Tensor) -> list[tf.Tensor]:
            # [antecedents]: all spans of the cluster that it can't be in
            same = tf.gather(clusters, antecedents.indices[span]) == clusters[span]
            row = tf.where(tf.concat([[False], same], axis=0), -float("inf"), scores[span])
            scores = tf.tensor_scatter_nd_update(scores, [[span]], row[tf.newaxis])
            return [scores, *first_contradiction(scores)]

        scores, _, _ = tf.while_loop(
            lambda scores, clusters, span: span < tf.size(clusters),
            rule_out,
            [antecedents.scores, *first_contradiction(antecedents.scores)],
            shape_invariants=[antecedents.scores.shape, tf.TensorShape([None]), tf.TensorShape([])],
        )
        return antecedents._replace(scores=scores)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shapes stay as they are."""
        return input_shape


def contradictions(clusters: tf.Tensor, classes: tf.Tensor, speakers: tf.Tensor) -> tf.Tensor:
    """Which spans contradict what an earlier span says of their cluster, bool [spans].

    Args:
        clusters: int32 [spans], the first span of each one's cluster.
        classes: int32 [spans], of pronouns.
        speakers: int32 [spans].
    """
    # Two numbers as one: a speaker in a cluster.
    speakers_in_clusters = tf.cast(clusters, tf.int64) * tf.cast(tf.size(speakers), tf.int64) + tf.cast(
        tf.unique(speakers).idx, tf.int64
    )
    return (
        _differ_from_first((classes == HE) | (classes == SHE), clusters, classes)
        | _differ_from_first(classes == ME, clusters, speakers)
        | _differ_from_first((classes == ME) | (classes == YOU), speakers_in_clusters, classes)
    )


def _differ_from_first(counted: tf.Tensor, groups: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """Which spans have another value than the first span of their group, of those that count, bool [spans]."""
    places = tf.where(counted)[:, 0]
    distinct, groups = tf.unique(tf.gather(groups, places))
    values = tf.gather(values, places)
    # [distinct groups]: the place of the first among those that count
    first = tf.math.unsorted_segment_min(tf.range(tf.size(groups)), groups, tf.size(distinct))
    differ = values != tf.gather(values, tf.gather(first, groups))
    return tf.tensor_scatter_nd_update(tf.zeros_like(counted), places[:, tf.newaxis], differ)
