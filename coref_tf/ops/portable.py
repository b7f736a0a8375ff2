"""Plain-TensorFlow twins of the custom ops, with identical results; `coref_tf.ops` says what they do.

Vectorised, with shapes known or unknown, and made of TensorFlow's own ops alone, so that a SavedModel that
holds them loads in a process that has never heard of this project.
"""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.ops import checks as check

# How many spans are suppressed at a time, give or take a sentence: bounds what their crossing pairs take.
SPANS_PER_BLOCK = 16384

_SCALAR = tf.TensorSpec([], tf.int32)
_VECTOR = tf.TensorSpec([None], tf.int32)


class _Spans(NamedTuple):
    """Spans ordered by start; each int32 [spans]."""

    starts: tf.Tensor
    ends: tf.Tensor
    ranks: tf.Tensor  # place in the order of decreasing score, equal scores by lower index


class _Suppression(NamedTuple):
    """What is known after some rounds of suppression."""

    accepted: tf.Tensor  # bool [spans]
    undecided: tf.Tensor  # bool [spans]
    better: tf.Tensor  # int32 [pairs]: of two undecided spans that cross, the one with the better rank
    worse: tf.Tensor  # int32 [pairs]


def extract_spans(
    span_scores: tf.Tensor,
    candidate_starts: tf.Tensor,
    candidate_ends: tf.Tensor,
    num_output_spans: tf.Tensor,
) -> tf.Tensor:
    """See `coref_tf.ops.extract_spans`."""
    scores = check.with_rank("span_scores", tf.stop_gradient(span_scores), 1)
    starts = check.with_rank("candidate_starts", candidate_starts, 1)
    starts = check.as_long_as("candidate_starts", starts, "span_scores", scores)
    ends = check.with_rank("candidate_ends", candidate_ends, 1)
    ends = check.as_long_as("candidate_ends", ends, "span_scores", scores)
    count = check.with_rank("num_output_spans", num_output_spans, 0)

    scores = check.no_nan("span_scores", scores)
    starts = check.no_negative("candidate_starts", starts)
    ends = check.not_before("candidate_ends", ends, "candidate_starts", starts)
    count = check.no_negative("num_output_spans", count)
    return _extract_spans(scores, starts, ends, count)


def nearest_antecedents(num_spans: tf.Tensor, max_antecedents: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """See `coref_tf.ops.nearest_antecedents`."""
    num_spans = check.no_negative("num_spans", check.with_rank("num_spans", num_spans, 0))
    columns = tf.minimum(num_spans, _checked_max_antecedents(max_antecedents))
    # [spans, 1] and [1, columns]
    spans = tf.range(num_spans)[:, tf.newaxis]
    places = tf.range(columns)[tf.newaxis, :]
    antecedents = tf.maximum(spans - columns, 0) + places
    return tf.where(places < spans, antecedents, 0), tf.minimum(tf.range(num_spans), columns)


def top_antecedents(coarse_scores: tf.Tensor, max_antecedents: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """See `coref_tf.ops.top_antecedents`."""
    scores = check.with_rank("coarse_scores", tf.stop_gradient(coarse_scores), 2)
    scores = check.no_nan_in_earlier_columns("coarse_scores", check.not_tall("coarse_scores", scores))
    num_rows, num_spans = tf.unstack(tf.shape(scores))
    columns = tf.minimum(num_spans, _checked_max_antecedents(max_antecedents))
    # [rows, 1] and [1, spans]: how far back each place of a row looks. Nearer spans come first, so that
    # top_k, which gives ties to the lower place, gives them to the nearer span, and to any real antecedent
    # before the places that have none.
    spans = tf.range(num_spans - num_rows, num_spans)[:, tf.newaxis]
    distances = tf.range(1, num_spans + 1)[tf.newaxis, :]
    # [rows, spans]
    candidates = spans - distances
    candidate_scores = tf.gather(scores, tf.maximum(candidates, 0), batch_dims=1)
    candidate_scores = tf.where(candidates >= 0, candidate_scores, -float("inf"))
    # [rows, columns]
    places = tf.math.top_k(candidate_scores, columns).indices
    return tf.maximum(spans - 1 - places, 0), tf.minimum(spans[:, 0], columns)


def _checked_max_antecedents(max_antecedents: tf.Tensor) -> tf.Tensor:
    max_antecedents = check.with_rank("max_antecedents", max_antecedents, 0)
    return check.no_negative("max_antecedents", max_antecedents)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), _VECTOR, _VECTOR, _SCALAR], autograph=False)
def _extract_spans(
    scores: tf.Tensor, starts: tf.Tensor, ends: tf.Tensor, num_output_spans: tf.Tensor
) -> tf.Tensor:
    """Suppresses without a cap, then takes the first `num_output_spans` accepted."""
    # [spans] each; argsort gives ties to the lower index
    by_rank = tf.argsort(scores, direction="DESCENDING", stable=True)
    ranks = tf.math.invert_permutation(by_rank)
    by_start = tf.argsort(starts, stable=True)
    accepted = _suppress(_Spans(*(tf.gather(x, by_start) for x in (starts, ends, ranks))))
    # [kept]
    accepted_ranks = tf.sort(tf.gather(ranks, tf.boolean_mask(by_start, accepted)))
    kept = tf.sort(tf.gather(by_rank, accepted_ranks[:num_output_spans]))
    keys = tf.cast(tf.gather(starts, kept), tf.int64) * 2**31 + tf.cast(tf.gather(ends, kept), tf.int64)
    return tf.gather(kept, tf.argsort(keys, stable=True))


def _suppress(spans: _Spans) -> tf.Tensor:
    """Which spans are accepted, bool [spans]: whole groups that share no word, block by block."""
    num_spans = tf.size(spans.starts)
    # A span begins a group when all spans before it end before it starts.
    ended = tf.searchsorted(tf.sort(spans.ends), spans.starts, side="left")
    group_begins = tf.boolean_mask(tf.range(num_spans), ended == tf.range(num_spans))
    block_ids = group_begins // SPANS_PER_BLOCK
    first_of_block = tf.concat([[True], block_ids[1:] != block_ids[:-1]], 0)[: tf.size(block_ids)]
    bounds = tf.concat([tf.boolean_mask(group_begins, first_of_block), [num_spans]], 0)
    num_blocks = tf.size(bounds) - 1

    def suppress_block(block: tf.Tensor, accepted: tf.TensorArray) -> tuple[tf.Tensor, tf.TensorArray]:
        inside = slice(bounds[block], bounds[block + 1])
        return block + 1, accepted.write(block, _suppress_block(_Spans(*(x[inside] for x in spans))))

    accepted = tf.TensorArray(tf.bool, num_blocks, infer_shape=False, element_shape=[None])
    _, accepted = tf.while_loop(
        lambda block, _: block < num_blocks, suppress_block, [tf.constant(0), accepted], parallel_iterations=1
    )
    return accepted.concat()


def _suppress_block(spans: _Spans) -> tf.Tensor:
    """Fixed-point iteration: a span is accepted once no better span that crosses it is undecided.

    Whether a span is accepted depends on better spans alone, so every round decides at least the best of the
    undecided ones.
    """
    num_spans = tf.size(spans.starts)

    def any_pair(where: tf.Tensor, worse: tf.Tensor) -> tf.Tensor:
        return tf.math.unsorted_segment_sum(tf.cast(where, tf.int32), worse, num_spans) > 0

    def decide(
        accepted: tf.Tensor, undecided: tf.Tensor, better: tf.Tensor, worse: tf.Tensor
    ) -> _Suppression:
        blocked = any_pair(tf.ones_like(worse), worse)
        accepted_now = undecided & ~blocked
        rejected_now = any_pair(tf.gather(accepted_now, better), worse)
        undecided &= blocked & ~rejected_now
        still = tf.gather(undecided, better) & tf.gather(undecided, worse)
        better, worse = tf.boolean_mask(better, still), tf.boolean_mask(worse, still)
        return _Suppression(accepted | accepted_now, undecided, better, worse)

    nothing = tf.zeros([num_spans], tf.bool)
    vector = tf.TensorShape([None])
    last = tf.while_loop(
        lambda accepted, undecided, better, worse: tf.reduce_any(undecided),
        decide,
        _Suppression(nothing, ~nothing, *_crossing_pairs(spans)),
        shape_invariants=_Suppression(vector, vector, vector, vector),
    )
    return last.accepted


def _crossing_pairs(spans: _Spans) -> tuple[tf.Tensor, tf.Tensor]:
    """All pairs of spans that cross, as (better, worse), int32 [pairs] each."""
    # [spans]: the spans that start inside span i, after its first word, are numbered begins[i] to ends[i] - 1
    begins = tf.searchsorted(spans.starts, spans.starts, side="right")
    counts = tf.searchsorted(spans.starts, spans.ends, side="right") - begins
    offsets = tf.cumsum(counts, exclusive=True)
    # [pairs]: i is repeated counts[i] times
    num_pairs = tf.reduce_sum(counts)
    steps = tf.math.unsorted_segment_sum(tf.ones_like(offsets), offsets, num_pairs + 1)[:num_pairs]
    first = tf.cumsum(steps) - 1
    second = tf.gather(begins - offsets, first) + tf.range(num_pairs)
    crosses = tf.gather(spans.ends, second) > tf.gather(spans.ends, first)
    first, second = tf.boolean_mask(first, crosses), tf.boolean_mask(second, crosses)
    first_is_better = tf.gather(spans.ranks, first) < tf.gather(spans.ranks, second)
    return tf.where(first_is_better, first, second), tf.where(first_is_better, second, first)
