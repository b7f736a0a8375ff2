"""The three operations on spans that are implemented in C++, with portable equivalents.

Each function has two backends with identical results: "custom", the op library that `make` builds, and
"portable", which uses only TensorFlow's built-in ops, for a SavedModel that must load without the library. The
caller chooses; neither is a fallback for the other.

All three work in eager mode, in `tf.function` and in a SavedModel, take tensors or arrays, and have no
gradient, because indices are not differentiable in the scores. Invalid input is a `tf.errors.InvalidArgumentError`.
"""

from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.ops import library, portable
from coref_tf.ops.checks import static_rank

BACKENDS = ("custom", "portable")


def extract_spans(
    span_scores: Any,
    candidate_starts: Any,
    candidate_ends: Any,
    num_output_spans: Any,
    backend: str = "custom",
) -> tf.Tensor:
    """Keeps the highest-scoring spans that do not cross (section 4 of the paper).

    Spans are accepted in order of decreasing score, ties by lower index, unless they cross an accepted span:
    start_i < start_j <= end_i < end_j, or vice versa. Nested or identical spans do not cross.

    Args:
        span_scores: float [n]; -inf is valid and comes last, NaN is an error.
        candidate_starts: int32 [n], the first word of each span.
        candidate_ends: int32 [n], the last word of each span, at or after its start.
        num_output_spans: int32 [], the maximum number of spans to accept; fewer if too many cross.
        backend: "custom" or "portable".

    Returns:
        int32 [m], the indices of the accepted spans, ordered by start, then end, then index.

    Example:
        extract_spans([3.0, 2.0, 1.0], [0, 1, 4], [2, 3, 4], 2)  # [0, 2]: span 1 crosses span 0
    """
    backend_ops = _backend(backend)
    span_scores = _floats("span_scores", span_scores, rank=1)
    candidate_starts = _integers("candidate_starts", candidate_starts, rank=1)
    candidate_ends = _integers("candidate_ends", candidate_ends, rank=1)
    num_output_spans = _integers("num_output_spans", num_output_spans, rank=0)
    return backend_ops.extract_spans(span_scores, candidate_starts, candidate_ends, num_output_spans)


def nearest_antecedents(
    num_spans: Any, max_antecedents: Any, backend: str = "custom"
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the nearest preceding spans of each span, in document order.

    Args:
        num_spans: int32 [], k, the number of kept spans.
        max_antecedents: int32 [], K, the maximum number of antecedents of a span.
        backend: "custom" or "portable".

    Returns:
        antecedents: int32 [k, c] with c = min(k, K). Row i starts with the spans max(0, i - K) to i - 1;
            the rest is 0.
        lengths: int32 [k], the number of antecedents in each row: min(i, K).

    Example:
        nearest_antecedents(4, 2)  # [[0, 0], [0, 0], [0, 1], [1, 2]], [0, 1, 2, 2]
    """
    backend_ops = _backend(backend)
    num_spans = _integers("num_spans", num_spans, rank=0)
    max_antecedents = _integers("max_antecedents", max_antecedents, rank=0)
    return backend_ops.nearest_antecedents(num_spans, max_antecedents)


def top_antecedents(
    coarse_scores: Any, max_antecedents: Any, backend: str = "custom"
) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns the highest-scoring preceding spans of each span, best first; ties go to the nearer span.

    Args:
        coarse_scores: float [r, k], the scores of the last r of k spans: row n scores the antecedents of span
            i = k - r + n, and only its columns j < i are read. -inf is valid and comes last, NaN is an error.
        max_antecedents: int32 [], K, the maximum number of antecedents of a span.
        backend: "custom" or "portable".

    Returns:
        antecedents: int32 [r, c] with c = min(k, K); values after the end of a row are 0.
        lengths: int32 [r], the number of antecedents in each row: min(i, K).

    Example:
        top_antecedents([[0, 0, 0], [1, 0, 0], [5, 7, 0]], 1)  # [[0], [0], [1]], [0, 1, 1]
    """
    backend_ops = _backend(backend)
    coarse_scores = _floats("coarse_scores", coarse_scores, rank=2)
    max_antecedents = _integers("max_antecedents", max_antecedents, rank=0)
    return backend_ops.top_antecedents(coarse_scores, max_antecedents)


def is_fused(backend: str) -> bool:
    """Returns whether a layer runs as one C++ op. Those run on CPUs; for GPUs, large matrix products are faster."""
    return backend == "custom" and not tf.config.list_physical_devices("GPU")


def _backend(name: str) -> Any:
    if name not in BACKENDS:
        raise ValueError(f'backend must be "custom" or "portable". Received: {name!r}')
    return library.custom_ops() if name == "custom" else portable


def _floats(name: str, value: Any, rank: int) -> tf.Tensor:
    return static_rank(name, tf.convert_to_tensor(value, tf.float32, name=name), rank)


def _integers(name: str, value: Any, rank: int) -> tf.Tensor:
    """Converts to int32; rejects values that TensorFlow would silently truncate or wrap around."""
    if not tf.is_tensor(value):
        value = np.asarray(value)
        if value.size and value.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers. Received: values of type {value.dtype}")
        limits = np.iinfo(np.int32)
        if value.size and not (limits.min <= value.min() and value.max() <= limits.max):
            worst = value.min() if value.min() < limits.min else value.max()
            raise tf.errors.InvalidArgumentError(
                None, None, f"{name} must fit in 32 bits, at most {limits.max}. Received: {worst}"
            )
    return static_rank(name, tf.convert_to_tensor(value, tf.int32, name=name), rank)
