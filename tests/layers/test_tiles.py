"""Tables computed in tiles have the same rows and gradients as tables computed at once."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.layers.dropout import dropout, fold
from coref_tf.layers.tiles import compute_in_tiles

SEED = np.array([3, 4], np.int32)


def rows_of_products(first, last, values):
    """Rows first to last of dropout(x[i] * x[j]) + y[j]."""
    x, (y,) = values
    products = tf.gather(x, tf.range(first, last))[:, tf.newaxis] * x
    return dropout(products, 0.5, fold(SEED, first)) + y


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("graph", [False, True])
def test_equals_the_table_computed_at_once(rows, graph):
    generator = np.random.default_rng(rows)
    x, y, upstream = (
        tf.constant(generator.normal(size=s), tf.float32) for s in ([rows], [rows], [rows, rows])
    )

    def in_tiles(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            table = compute_in_tiles(rows_of_products, (x, (y,)), (tf.size(x), tf.size(x)), 4)
        return table, *map(tf.convert_to_tensor, tape.gradient(table, [x, y], upstream))

    if graph:
        in_tiles = tf.function(in_tiles, input_signature=[tf.TensorSpec([None])] * 2, autograph=False)
    table, dx, dy = in_tiles(x, y)

    mask = [
        rows_of_products(first, min(first + 4, rows), (tf.ones_like(x), (tf.zeros_like(y),)))
        for first in range(0, rows, 4)
    ]
    mask = tf.concat([*mask, tf.zeros([0, rows])], axis=0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        expected = x[:, tf.newaxis] * x * mask + y
    expected_dx, expected_dy = tape.gradient(expected, [x, y], upstream)
    np.testing.assert_allclose(table, expected, atol=1e-6)
    np.testing.assert_allclose(dx, expected_dx, atol=1e-5)
    np.testing.assert_allclose(dy, expected_dy, atol=1e-5)
    if rows > 4:
        assert 0 < np.mean(mask.numpy() == 0) < 1


def test_values_without_influence_have_zero_gradient():
    x, unused = tf.constant([1.0, 2.0]), tf.constant([5.0])
    with tf.GradientTape() as tape:
        tape.watch([x, unused])
        table = compute_in_tiles(
            lambda first, last, values: values[0][first:last, None], (x, unused), (2, 1), 1
        )
    dx, d_unused = tape.gradient(table, [x, unused])
    assert dx.numpy().tolist() == [1, 1] and d_unused.numpy().tolist() == [0]
