"""Fused self-attention equals a NumPy oracle and TensorFlow's own ops; invalid input."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.ops import library
from coref_tf.ops.attention import portable_self_attention, self_attention
from coref_tf.support.errors import CorefError

# Windows, pieces, heads and head size, smaller and larger than a panel, a block of queries and a vector register.
SHAPES = [(1, 1, 1, 1), (2, 7, 3, 5), (1, 25, 2, 16), (3, 50, 4, 20), (1, 130, 12, 64)]


def random_window(windows, pieces, heads, size, seed=0, spread=2.0):
    generator = np.random.default_rng([seed, windows, pieces, heads, size])
    projected = generator.normal(0, spread, [windows, pieces, 3 * heads * size]).astype(np.float32)
    relative = generator.normal(0, 1, [heads, 2 * pieces - 1]).astype(np.float32)
    return projected, relative


def full_bias(relative, pieces):
    """The bias of every query and key, [heads, pieces, pieces]."""
    distances = np.arange(pieces)[np.newaxis, :] - np.arange(pieces)[:, np.newaxis]
    return relative[:, distances + pieces - 1]


def oracle(projected, heads, bias=None):
    """Computes the attention query by query, in float64."""
    windows, pieces, columns = projected.shape
    size = columns // 3 // heads
    parts = projected.astype(np.float64).reshape(windows, pieces, 3, heads, size)
    found = np.zeros([windows, pieces, heads, size])
    for window, query, head in np.ndindex(windows, pieces, heads):
        scores = parts[window, :, 1, head] @ parts[window, query, 0, head] / np.sqrt(size)
        if bias is not None:
            scores = scores + bias[head, query]
        weights = np.exp(scores - scores.max())
        found[window, query, head] = weights / weights.sum() @ parts[window, :, 2, head]
    return found.reshape(windows, pieces, heads * size)


@pytest.mark.parametrize("with_relative", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_oracle(shape, with_relative):
    projected, relative = random_window(*shape)
    heads, bias = shape[2], full_bias(relative, shape[1]) if with_relative else None
    given = relative if with_relative else relative[:, :0]
    expected = oracle(projected, heads, bias)
    np.testing.assert_allclose(self_attention(projected, given), expected, atol=2e-5)
    in_graph = tf.function(lambda projected: self_attention(projected, given), autograph=False)
    np.testing.assert_allclose(in_graph(projected), expected, atol=2e-5)
    np.testing.assert_allclose(
        portable_self_attention(tf.constant(projected), heads, bias), expected, atol=2e-5
    )


def test_large_scores_do_not_overflow():
    projected, relative = random_window(1, 40, 2, 8, spread=60.0)
    np.testing.assert_allclose(
        self_attention(projected, relative), oracle(projected, 2, full_bias(relative, 40)), atol=2e-3
    )
    far = np.full_like(relative, -1e9)
    np.testing.assert_allclose(self_attention(projected, far), oracle(projected, 2), rtol=0.2, atol=300)


def test_nan_stays_within_its_head_and_window():
    projected, relative = random_window(2, 30, 3, 4)
    before = self_attention(projected, relative).numpy()
    projected[0, 5, 4 * 3 + 1] = np.nan  # a key of the first head
    after = self_attention(projected, relative).numpy()
    assert np.isnan(after[0, :, :4]).all()
    np.testing.assert_array_equal(after[0, :, 4:], before[0, :, 4:])
    np.testing.assert_array_equal(after[1], before[1])


@pytest.mark.parametrize("shape", [(0, 5, 6), (3, 0, 6)])
def test_empty_input_gives_empty_output(shape):
    assert self_attention(np.zeros(shape, np.float32), np.zeros([2, 0])).shape == (*shape[:2], 2)


def test_shapes_are_inferred():
    specs = [tf.TensorSpec([1, None, 24], tf.float32), tf.TensorSpec([None, None], tf.float32)]
    function = tf.function(library.custom_ops().self_attention, input_signature=specs, autograph=False)
    assert function.get_concrete_function().output_shapes.as_list() == [1, None, 8]


def bad_inputs():
    projected, relative = random_window(1, 6, 2, 4)
    yield "projected must have rank 3", (projected[0], relative)
    yield "relative must have rank 2", (projected, relative[0])
    yield "projected must have 3 columns or a multiple", (projected[:, :, :21], relative)
    yield "projected must have 3 columns or a multiple", (projected, relative[:0])
    yield "relative must have shape", (projected, relative[:, 1:])


@pytest.mark.parametrize(("message", "arguments"), list(bad_inputs()), ids=lambda value: str(value)[:30])
def test_invalid_input_is_named(message, arguments):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=message):
        self_attention(*arguments)


def test_a_gradient_is_refused():
    projected, relative = random_window(1, 6, 2, 4)
    variable = tf.Variable(projected)
    with tf.GradientTape() as tape:
        outputs = self_attention(variable + 0, relative)
    with pytest.raises(CorefError, match="has no gradient: it is for prediction"):
        tape.gradient(outputs, variable)
