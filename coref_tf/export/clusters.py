"""From antecedent scores to clusters, inside a graph: what coref_tf.decoding does."""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.layers.probabilities import Probabilities, cluster_roots
from coref_tf.model import CorefOutput
from coref_tf.models.calibration import Calibration


class SignatureOutputs(NamedTuple):
    """What an exported model says of a document. Spans are ordered by start, then end.

    A mention is a span that is in a cluster. Clusters are counted from 0 in the order of their first mentions.
    """

    mention_starts: tf.Tensor  # int32 [mentions], first word
    mention_ends: tf.Tensor  # int32 [mentions], last word
    mention_clusters: tf.Tensor  # int32 [mentions]
    mention_scores: tf.Tensor  # float32 [mentions], s_m
    mention_probability: tf.Tensor  # float32 [mentions], of its place in its cluster
    # float32 [mentions], of the best antecedent alone, or of none if that is best
    antecedent_probability: tf.Tensor
    # float32 [mentions, max_mention_width], the weight of each word; behind the last 0
    head_attention: tf.Tensor
    top_span_starts: tf.Tensor  # int32 [spans], the spans that pruning kept
    top_span_ends: tf.Tensor  # int32 [spans]
    top_span_mention_scores: tf.Tensor  # float32 [spans], s_m
    top_span_antecedents: tf.Tensor  # int32 [spans], each one's best antecedent among them; -1 is none
    top_span_antecedent_scores: tf.Tensor  # float32 [spans], s(i, j) of that one; 0 for none
    top_span_antecedent_probability: tf.Tensor  # float32 [spans], of that one alone; 0 for none
    top_span_probability: tf.Tensor  # float32 [spans], of its place in its cluster; 0 in none


def decode_clusters(
    output: CorefOutput, max_mention_width: int, calibration: Calibration, min_probability: tf.Tensor
) -> SignatureOutputs:
    """Links each span to its best antecedent, where its place is probable enough, and what is linked is a cluster."""
    # [spans]
    columns, best = output.antecedents.best()
    probabilities = Probabilities.from_scores(output.antecedents, *calibration)
    antecedents = tf.where(probabilities.places < min_probability, -1, best)
    places = place_probabilities(antecedents, probabilities.places)
    # [spans]: the first of each span's cluster; [mentions]: those that aren't alone in theirs
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
    """How probable each mention's place is, float32 [spans], as coref_tf.decoding has it: of the first of a cluster,
    that of the surest that is linked to it; 0 for spans in no cluster.
    """
    # [1 + spans]; what isn't linked to anything counts behind the last
    nobody = tf.size(antecedents)
    targets = tf.where(antecedents < 0, nobody, antecedents)
    surest = tf.math.unsorted_segment_max(places, targets, nobody + 1)[:-1]
    return tf.where(antecedents < 0, tf.maximum(surest, 0.0), places)


def attention(head_scores: tf.Tensor, starts: tf.Tensor, ends: tf.Tensor, max_width: int) -> tf.Tensor:
    """a, how much each word of a span counts as its head, float32 [spans, max_width]; 0 behind its end."""
    places = starts[:, tf.newaxis] + tf.range(max_width)
    inside = places <= ends[:, tf.newaxis]
    scores = tf.gather(head_scores, tf.minimum(places, ends[:, tf.newaxis]))
    return tf.nn.softmax(tf.where(inside, scores, -float("inf")), axis=1)
