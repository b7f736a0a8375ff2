"""Portable equivalents of the custom ops, with identical results; `coref_tf.ops` documents them.

They are vectorised, work with known or unknown shapes, and consist only of TensorFlow's built-in ops, so that a
SavedModel that contains them loads without this project.
"""

from typing import NamedTuple

import tensorflow as tf

from coref_tf.ops import checks as check

# About how many spans are suppressed at a time (whole sentences); bounds the memory for crossing pairs.
SPANS_PER_BLOCK = 16384

_SCALAR = tf.TensorSpec([], tf.int32)
_VECTOR = tf.TensorSpec([None], tf.int32)


class _Spans(NamedTuple):
    """Spans ordered by start; int32 [spans] each."""

    starts: tf.Tensor
    ends: tf.Tensor
    ranks: tf.Tensor  # the position in order of decreasing score, ties by lower index


class _Suppression(NamedTuple):
    """The state after some rounds of suppression."""

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
    # [rows, 1] and [1, spans]: how far back each position of a row looks. Nearer spans come first, so that top_k, which
    # resolves ties in favour of the lower position, prefers the nearer span, and any real antecedent to positions
    # without one.
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
    """Suppresses crossing spans without a cap, then takes the first `num_output_spans` accepted spans."""
    # [spans] each; argsort resolves ties in favour of the lower index
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
    """Returns which spans are accepted, bool [spans], for whole groups that share no word, block by block."""
    num_spans = tf.size(spans.starts)
    # A span begins a group if all spans before it end before it starts.
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
    """Iterates to a fixed point: a span is accepted once no better span that crosses it is undecided.

    Whether a span is accepted depends only on better spans, so every round decides at least the best undecided span.
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
    """Returns all pairs of crossing spans as (better, worse), int32 [pairs] each."""
    # [spans]: the spans that start inside span i, after its first word, have the numbers begins[i] to ends[i] - 1
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
