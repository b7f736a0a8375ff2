"""Turns antecedent scores into clusters, in the graph; equivalent to coref_tf.decoding."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.layers.probabilities import Probabilities, cluster_roots
from coref_tf.model import CorefOutput
from coref_tf.models.calibration import Calibration


class SignatureOutputs(NamedTuple):
    """The outputs of an exported model for a document. Spans are ordered by start, then end.

    A mention is a span in a cluster. Clusters are numbered from 0 in the order of their first mentions.
    """

    mention_starts: tf.Tensor  # int32 [mentions], first word
    mention_ends: tf.Tensor  # int32 [mentions], last word
    mention_clusters: tf.Tensor  # int32 [mentions]
    mention_scores: tf.Tensor  # float32 [mentions], s_m
    mention_probability: tf.Tensor  # float32 [mentions], the place probability
    # float32 [mentions], the probability of the best antecedent, or of the dummy if that is best
    antecedent_probability: tf.Tensor
    # float32 [mentions, max_mention_width], the weight of each word; 0 after the last
    head_attention: tf.Tensor
    top_span_starts: tf.Tensor  # int32 [spans], the spans that pruning kept
    top_span_ends: tf.Tensor  # int32 [spans]
    top_span_mention_scores: tf.Tensor  # float32 [spans], s_m
    top_span_antecedents: tf.Tensor  # int32 [spans], the index of each span's best antecedent; -1 for none
    top_span_antecedent_scores: tf.Tensor  # float32 [spans], s(i, j) of that antecedent; 0 for none
    top_span_antecedent_probability: tf.Tensor  # float32 [spans], its probability; 0 for none
    top_span_probability: tf.Tensor  # float32 [spans], the place probability; 0 for a span in no cluster


def decode_clusters(
    output: CorefOutput, max_mention_width: int, calibration: Calibration, min_probability: tf.Tensor
) -> SignatureOutputs:
    """Links each span to its best antecedent if its place probability is high enough; linked spans form clusters."""
    # [spans]
    columns, best = output.antecedents.best()
    probabilities = Probabilities.from_scores(output.antecedents, *calibration)
    antecedents = tf.where(probabilities.places < min_probability, -1, best)
    places = place_probabilities(antecedents, probabilities.places)
    # [spans]: the first span of each span's cluster; [mentions]: the spans that are not alone in theirs
    first = cluster_roots(antecedents)
    sizes = tf.math.unsorted_segment_sum(tf.ones_like(first), first, tf.size(first))
    mentions = tf.where(tf.gather(sizes, first) > 1)[:, 0]
    starts, ends = tf.gather(output.top_span_starts, mentions), tf.gather(output.top_span_ends, mentions)
    scores = tf.gather(output.antecedents.scores, columns, batch_dims=1)
    return SignatureOutputs(
        starts,
        ends,
        tf.unique(tf.gather(first, mentions)).idx,
        tf.gather(output.top_span_mention_scores, mentions),
        tf.gather(places, mentions),
        tf.gather(probabilities.links, mentions),
        attention(output.head_scores, starts, ends, max_mention_width),
        output.top_span_starts,
        output.top_span_ends,
        output.top_span_mention_scores,
        antecedents,
        tf.where(antecedents < 0, 0.0, scores),
        tf.where(antecedents < 0, 0.0, probabilities.links),
        places,
    )


def place_probabilities(antecedents: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """Returns the probability of each mention's place, float32 [spans], as coref_tf.decoding defines it.

    The first span of a cluster gets the highest probability among the spans linked to it; spans in no cluster get 0.
    """
    # [1 + spans]; unlinked spans count toward the last position
    nobody = tf.size(antecedents)
    targets = tf.where(antecedents < 0, nobody, antecedents)
    highest = tf.math.unsorted_segment_max(places, targets, nobody + 1)[:-1]
    return tf.where(antecedents < 0, tf.maximum(highest, 0.0), places)


def attention(head_scores: tf.Tensor, starts: tf.Tensor, ends: tf.Tensor, max_width: int) -> tf.Tensor:
    """Computes a, the attention weight of each word of a span, float32 [spans, max_width]; 0 after its end."""
    places = starts[:, tf.newaxis] + tf.range(max_width)
    inside = places <= ends[:, tf.newaxis]
    scores = tf.gather(head_scores, tf.minimum(places, ends[:, tf.newaxis]))
    return tf.nn.softmax(tf.where(inside, scores, -float("inf")), axis=1)
