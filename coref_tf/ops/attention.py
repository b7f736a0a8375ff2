"""Self-attention over windows of word pieces, for prediction: one C++ op, and the same of TensorFlow's own ops."""

from typing import Any

import tensorflow as tf

from coref_tf.ops import library


def self_attention(projected: Any, relative: Any) -> tf.Tensor:
    """Computes softmax(q k' / sqrt(head size) + relative) v for every head, in one C++ op. No gradient.

    Args:
        projected: float [windows, pieces, 3 * hidden], the queries, keys and values of each piece.
        relative: float [heads, 2 * pieces - 1], what a score gains by the place of its key less that of its query, plus
            pieces - 1; [heads, 0] adds nothing.

    Returns:
        float32 [windows, pieces, hidden], the heads side by side.

    Example:
        self_attention(projected, tf.zeros([12, 0]))     # as portable_self_attention(projected, 12)
    """
    return library.custom_ops().self_attention(projected, relative)


def portable_self_attention(projected: tf.Tensor, num_heads: int, bias: tf.Tensor | None = None) -> tf.Tensor:
    """The same of TensorFlow's own ops, with a gradient, and any bias.

    Args:
        projected: float [windows, pieces, 3 * hidden].
        num_heads: how many heads hidden consists of.
        bias: what is added to the scores, of a shape that broadcasts to [windows, heads, pieces, pieces]; or None.

    Returns:
        float32 [windows, pieces, hidden].
    """
    shape, hidden = tf.shape(projected), projected.shape[2] // 3
    size = hidden // num_heads
    # [3, windows, heads, pieces, head size]
    parts = tf.reshape(projected, [shape[0], shape[1], 3, num_heads, size])
    query, key, value = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
    # [windows, heads, pieces, pieces]; the queries are scaled, since they are fewer than the scores
    scores = tf.matmul(query * size**-0.5, key, transpose_b=True)
    scores = scores if bias is None else scores + bias
    # [windows, heads, pieces, head size]
    context = tf.matmul(tf.nn.softmax(scores), value)
    return tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [shape[0], shape[1], hidden])
