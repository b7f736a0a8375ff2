"""Self-attention over windows of word pieces, for prediction: one C++ op, and its portable equivalent."""

from typing import Any

import tensorflow as tf

from coref_tf.ops import library


def self_attention(projected: Any, relative: Any) -> tf.Tensor:
    """Computes softmax(q k' / sqrt(head size) + relative) v for every head with one C++ op. Has no gradient.

    Args:
        projected: float [windows, pieces, 3 * hidden], the queries, keys and values of each piece.
        relative: float [heads, 2 * pieces - 1], the bias of a score, indexed by the position of its key minus that of
            its query, plus pieces - 1; [heads, 0] for no bias.

    Returns:
        float32 [windows, pieces, hidden], the concatenated heads.

    Example:
        self_attention(projected, tf.zeros([12, 0]))     # equals portable_self_attention(projected, 12)
    """
    return library.custom_ops().self_attention(projected, relative)


def portable_self_attention(projected: tf.Tensor, num_heads: int, bias: tf.Tensor | None = None) -> tf.Tensor:
    """Computes the same with TensorFlow's built-in ops, with a gradient and an arbitrary bias.

    Args:
        projected: float [windows, pieces, 3 * hidden].
        num_heads: The number of heads.
        bias: The bias of the scores, broadcastable to [windows, heads, pieces, pieces]; or None.

    Returns:
        float32 [windows, pieces, hidden].
    """
    shape, hidden = tf.shape(projected), projected.shape[2] // 3
    size = hidden // num_heads
    # [3, windows, heads, pieces, head size]
    parts = tf.reshape(projected, [shape[0], shape[1], 3, num_heads, size])
    query, key, value = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
    # [windows, heads, pieces, pieces]; scales the queries, because there are fewer of them than scores
    scores = tf.matmul(query * size**-0.5, key, transpose_b=True)
    scores = scores if bias is None else scores + bias
    # [windows, heads, pieces, head size]
    context = tf.matmul(tf.nn.softmax(scores), value)
    return tf.reshape(tf.transpose(context, [0, 2, 1, 3]), [shape[0], shape[1], hidden])
