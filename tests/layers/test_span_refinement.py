"""Span refinement equals the equation, gradients included, at any number of tiles, and in bounded memory."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from oracles_model import refine_spans

from coref_tf import ops
from coref_tf.inference import memory
from coref_tf.layers import span_refinement
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.layers.span_refinement import SpanRefinement

SIZE, REACH = 5, 6


def random_case(num_spans, reach=REACH):
    """g and s(i, j) as variables, and the indices and lengths of the nearest antecedents."""
    generator = np.random.default_rng(num_spans)
    indices, lengths = ops.nearest_antecedents(num_spans, reach, backend="portable")
    scores = generator.normal(size=[num_spans, 1 + indices.shape[1]]).astype(np.float32)
    scores[:, 0] = 0.0
    real = np.arange(indices.shape[1]) < np.array(lengths)[:, np.newaxis]
    scores[:, 1:][~real] = -np.inf
    g = tf.Variable(generator.normal(size=[num_spans, SIZE]).astype(np.float32))
    return g, tf.Variable(scores), indices, lengths


def random_layer(reach):
    layer = SpanRefinement(SIZE, reach)
    generator = np.random.default_rng(1)
    for variable in layer.variables:
        variable.assign(generator.normal(size=variable.shape))
    return layer


# Numbers of spans around multiples of the tile size, 4, and around the reach.
@pytest.mark.parametrize("num_spans", [1, 4, 5, 7, 9, 21])
@pytest.mark.parametrize("reach", [REACH, None])
def test_equals_the_equation(num_spans, reach, monkeypatch):
    monkeypatch.setattr(span_refinement, "SPANS_PER_TILE", 4)
    layer = random_layer(reach)
    g, scores, indices, lengths = random_case(num_spans)
    variables = [g, scores, *layer.trainable_variables]
    graph = functools.partial(tf.function, autograph=False) if num_spans == 21 else lambda function: function
    runs = [
        graph(lambda: layer(tf.identity(g), indices, tf.identity(scores))),
        lambda: refine_spans(layer, tf.identity(g), Antecedents(indices, lengths, tf.identity(scores))),
    ]
    results = []
    for run in runs:
        with tf.GradientTape() as tape:
            refined = run()
            loss = tf.reduce_sum(tf.sin(3 * refined))
        gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
        results.append([refined, *gradients])
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


def test_no_spans():
    g, scores, indices, _ = random_case(0)
    assert random_layer(REACH)(g + 0, indices, scores + 0).shape == [0, SIZE]


def test_a_span_without_an_antecedent_does_not_change():
    g, scores, indices, _ = random_case(9)
    refined = random_layer(REACH)(g + 0, indices, tf.where(tf.range(1 + REACH) == 0, scores, -1e9))
    np.testing.assert_allclose(refined, g, rtol=1e-5)


def test_config_round_trips():
    layer = SpanRefinement(SIZE, REACH, name="refinement")
    assert SpanRefinement.from_config(layer.get_config()).get_config() == layer.get_config()


def test_no_table_of_all_pairs_is_stored():
    num_spans = 12_000  # a table of all pairs would take 576 MB
    layer = random_layer(None)
    g, scores, indices, _ = random_case(num_spans)
    refine = tf.function(lambda: layer(g + 0, indices, scores + 0), autograph=False)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # resets the peak
    before = memory.peak_bytes()
    assert refine().shape == [num_spans, SIZE]
    assert memory.peak_bytes() - before < 150 * 2**20
