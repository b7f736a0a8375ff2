"""Rules out antecedents that would make a cluster contradict itself; not part of the paper."""

from typing import Any

import tensorflow as tf

from coref_tf.documents.pronouns import HE, ME, NAMED, SHARED, SHE, YOU
from coref_tf.layers.addressees import WordReferences, resolve_addressees
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.probabilities import cluster_roots
from coref_tf.layers.span_representation import Spans

# The bonus for an antecedent that is the same speaker. It outweighs a model's opinion of two mentions, but does not
# turn other spans into mentions.
SAME_SPEAKER = 10.0


class ConsistentClusters(tf.keras.layers.Layer):
    """Rules out antecedents that would introduce a contradiction, and links mentions of the same speaker by name.

    A cluster has one gender: it never contains both *he* and *she*. It has one speaker: it never contains the *I* of
    two people. And a speaker is one person: a cluster never contains both the *I* and the *you* of the same speaker.
    The name of a speaker, and the *you* of somebody who addresses the speaker by name, count as the speaker's *I*, and
    all of these are linked. Spans are decided in document order; if the best antecedent of a span would break a rule,
    the span takes the best one that does not, or none. Scores of excluded antecedents become -inf, like padding, for
    every later use.

    Example:
        ConsistentClusters()(antecedents, spans, words).best()
    """

    def call(self, antecedents: Antecedents, spans: Spans, words: WordReferences) -> Antecedents:
        """Returns the antecedents with those that contradict their cluster ruled out.

        Args:
            antecedents: The antecedents of the kept spans.
            spans: The kept spans, in document order.
            words: What the words of the document reveal about their referents.
        """
        # [spans]: what each span implies about its cluster, and the speaker that *I* and *you* are relative to
        classes, speakers = references(spans, resolve_addressees(words), words.speaker_ids)
        # [spans, antecedents]: both are the same speaker
        same = tf.gather(classes, antecedents.indices) == classes[:, tf.newaxis]
        same &= tf.gather(speakers, antecedents.indices) == speakers[:, tf.newaxis]
        same &= (classes == ME)[:, tf.newaxis]
        linked = tf.where(same, SAME_SPEAKER, 0.0)
        linked = antecedents.scores + tf.pad(linked, [[0, 0], [1, 0]])

        def first_contradiction(scores: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            """Returns the clusters, int32 [spans], and the first contradicting span, or the number of spans."""
            clusters = cluster_roots(antecedents._replace(scores=scores).best()[1])
            wrong = contradictions(clusters, classes, speakers)
            places = tf.where(wrong, tf.range(tf.size(clusters)), tf.size(clusters))
            return clusters, tf.reduce_min(tf.concat([places, [tf.size(clusters)]], axis=0))

        def rule_out(scores: tf.Tensor, clusters: tf.Tensor, span: tf.Tensor) -> list[tf.Tensor]:
            # [antecedents]: all spans of the cluster that this span contradicts
            same = tf.gather(clusters, antecedents.indices[span]) == clusters[span]
            row = tf.where(tf.concat([[False], same], axis=0), -float("inf"), scores[span])
            scores = tf.tensor_scatter_nd_update(scores, [[span]], row[tf.newaxis])
            return [scores, *first_contradiction(scores)]

        scores, _, _ = tf.while_loop(
            lambda scores, clusters, span: span < tf.size(clusters),
            rule_out,
            [linked, *first_contradiction(linked)],
            shape_invariants=[antecedents.scores.shape, tf.TensorShape([None]), tf.TensorShape([])],
        )
        return antecedents._replace(scores=scores)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shapes unchanged."""
        return input_shape


def references(spans: Spans, pronouns: tf.Tensor, speaker_ids: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the class of each span, a pronoun's or 0, and its speaker, both int32 [spans].

    A span that names a speaker counts as the *I* of that speaker. Its first and last word are part of the name, and at
    least one of them of no other name (*Ms. Ito*); the words around it are not part of the name.
    """
    first, last = tf.gather(pronouns, spans.starts), tf.gather(pronouns, spans.ends)
    around = tf.pad(pronouns, [[1, 1]])
    before, after = tf.gather(around, spans.starts), tf.gather(around, spans.ends + 2)
    # [spans]: the class of the one name to which both words may belong
    name = tf.maximum(first, last)

    def belongs(word: tf.Tensor) -> tf.Tensor:
        return (word == name) | (word == SHARED)

    named = (name >= NAMED) & belongs(first) & belongs(last) & ~belongs(before) & ~belongs(after)
    pronoun = (spans.starts == spans.ends) & (first <= YOU)
    classes = tf.where(named, ME, tf.where(pronoun, first, 0))
    return classes, tf.where(named, name - NAMED, tf.gather(speaker_ids, spans.starts))


def contradictions(clusters: tf.Tensor, classes: tf.Tensor, speakers: tf.Tensor) -> tf.Tensor:
    """Returns which spans contradict an earlier span of their cluster, bool [spans].

    Args:
        clusters: int32 [spans], the first span of each span's cluster.
        classes: int32 [spans], the pronoun classes.
        speakers: int32 [spans].
    """
    # Encodes the pair (speaker, cluster) as one number.
    speakers_in_clusters = tf.cast(clusters, tf.int64) * tf.cast(tf.size(speakers), tf.int64) + tf.cast(
        tf.unique(speakers).idx, tf.int64
    )
    return (
        _differ_from_first((classes == HE) | (classes == SHE), clusters, classes)
        | _differ_from_first(classes == ME, clusters, speakers)
        | _differ_from_first((classes == ME) | (classes == YOU), speakers_in_clusters, classes)
    )


def _differ_from_first(counted: tf.Tensor, groups: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
    """Returns which counted spans differ in value from the first counted span of their group, bool [spans]."""
    places = tf.where(counted)[:, 0]
    distinct, groups = tf.unique(tf.gather(groups, places))
    values = tf.gather(values, places)
    # [distinct groups]: the position of each group's first span among the counted ones
    first = tf.math.unsorted_segment_min(tf.range(tf.size(groups)), groups, tf.size(distinct))
    differ = values != tf.gather(values, tf.gather(first, groups))
    return tf.tensor_scatter_nd_update(tf.zeros_like(counted), places[:, tf.newaxis], differ)
