"""The int8 dense layer equals a NumPy oracle with both backends and every instruction set; invalid input."""

import math

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.ops import library
from coref_tf.ops.int8 import (
    PackedKernel,
    int8_dense,
    int8_levels,
    pack_kernel,
    packed_shapes,
    portable_int8_dense,
    unpack_kernel,
)
from coref_tf.support import libraries
from coref_tf.support.errors import CorefError

INSTRUCTIONS = libraries.algorithms().int8_instructions()
SHAPES = [(1, 1, 1), (5, 3, 7), (70, 33, 50), (3, 768, 17), (0, 4, 3), (130, 5, 16)]


def random_layer(rows, depth, units, seed=0):
    generator = np.random.default_rng([seed, rows, depth, units])
    values = generator.normal(0.5, 2.0, [rows, depth]).astype(np.float32)
    weights = generator.integers(-127, 128, [depth, units]).astype(np.int8)
    scales = generator.uniform(0.001, 0.02, [units]).astype(np.float32)
    bias = generator.normal(size=[units]).astype(np.float32)
    return values, weights, scales, bias


def oracle(values, weights, scales, bias, levels, gelu=False):
    """Computes row by row in float64, except that rows are rounded in float32, as in the op."""
    outputs = []
    for row in values:
        least, value_range = row.min(), row.max() - row.min()
        step = value_range / np.float32(levels) if value_range else np.float32(0)
        inverse = np.float32(levels) / value_range if value_range else np.float32(0)
        integers = np.minimum(np.rint((row - least) * inverse), levels).astype(np.int64)
        sums = integers @ weights.astype(np.int64)
        exact = float(step) * sums + float(least) * weights.astype(np.int64).sum(axis=0)
        outputs.append(exact * scales + bias)
    outputs = np.array(outputs).reshape(len(values), weights.shape[1])
    if gelu:
        outputs = outputs * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(outputs / 2**0.5))
    return outputs


def assert_close(found, expected):
    np.testing.assert_allclose(
        found, expected, rtol=2e-5, atol=2e-5 * max(1, np.abs(expected).max(initial=0))
    )


@pytest.mark.parametrize("gelu", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("backend", ["custom", "portable"])
def test_equals_the_oracle(backend, shape, gelu):
    values, weights, scales, bias = random_layer(*shape)
    expected = oracle(values, weights, scales, bias, int8_levels(), gelu)
    kernel = pack_kernel(weights, scales)
    assert_close(int8_dense(values, kernel, bias, gelu, backend), expected)
    in_graph = tf.function(lambda values: int8_dense(values, kernel, bias, gelu, backend), autograph=False)
    assert_close(in_graph(values), expected)


@pytest.mark.parametrize(("name", "levels"), INSTRUCTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_instruction_set_equals_the_portable_twin(name, levels, shape):
    values, weights, scales, bias = random_layer(*shape, seed=1)
    kernel = pack_kernel(weights, scales)
    found = libraries.algorithms().int8_dense(values, *kernel, bias, False, name)
    assert_close(found, portable_int8_dense(values, kernel, bias, False, levels))


def test_integers_are_exact_before_the_scales():
    """If floats represent the scale, the step and the weights exactly, the results are exact."""
    generator = np.random.default_rng(3)
    weights = generator.integers(-127, 128, [64, 20]).astype(np.int8)
    values = generator.integers(0, int8_levels() + 1, [30, 64]).astype(np.float32)
    values[:, 0], values[:, 1] = 0, int8_levels()
    expected = values.astype(np.int64) @ weights.astype(np.int64)
    kernel = pack_kernel(weights, np.ones([20], np.float32))
    for backend in ("custom", "portable"):
        np.testing.assert_array_equal(int8_dense(values, kernel, np.zeros([20]), False, backend), expected)


def test_the_quantization_error_is_bounded_with_every_instruction_set():
    """The error is at most half a step of the coarsest quantization per weight."""
    values, weights, scales, bias = random_layer(20, 300, 40, seed=2)
    exact = values.astype(np.float64) @ (weights * scales.astype(np.float64)) + bias
    step = (values.max(axis=1) - values.min(axis=1)) / 127
    bound = 0.51 * step[:, np.newaxis] * np.abs(weights * scales).sum(axis=0)
    kernel = pack_kernel(weights, scales)
    for name, _ in INSTRUCTIONS:
        found = libraries.algorithms().int8_dense(values, *kernel, bias, False, name)
        assert (np.abs(found - exact) <= bound).all(), name


def test_report_the_tested_instruction_sets(capsys):
    names = [name for name, _ in INSTRUCTIONS]
    missing = sorted({"avx512vnni", "avxvnni", "avx2"} - set(names))
    with capsys.disabled():
        print(f"\nint8: tested with {', '.join(names)}; this processor lacks {', '.join(missing) or 'none'}")
    assert set(names) <= {"avx512vnni", "avxvnni", "avx2", "baseline"} and "baseline" in names


def test_packing_round_trips():
    weights = np.random.default_rng(4).integers(-127, 128, [10, 37]).astype(np.int8)
    kernel = pack_kernel(weights, np.ones([1, 37]))
    assert PackedKernel(*(part.shape for part in kernel)) == packed_shapes(10, 37)
    np.testing.assert_array_equal(unpack_kernel(kernel.panels, 10, 37), weights)
    np.testing.assert_array_equal(kernel.sums, weights.sum(axis=0, dtype=np.int32))


@pytest.mark.parametrize("backend", ["custom", "portable"])
def test_rows_with_nan_or_infinity_become_nan_and_constant_rows_are_exact(backend):
    values, weights, scales, bias = random_layer(4, 6, 5)
    values[0, 2], values[1, 0], values[2] = np.nan, -np.inf, 0.25
    found = int8_dense(values, pack_kernel(weights, scales), bias, backend=backend).numpy()
    assert np.isnan(found[:2]).all() and np.isfinite(found[2:]).all()
    np.testing.assert_allclose(found[2], 0.25 * (weights * scales).sum(axis=0) + bias, rtol=1e-5)


def test_rows_do_not_depend_on_their_neighbours():
    values, weights, scales, bias = random_layer(200, 40, 30)
    kernel = pack_kernel(weights, scales)
    whole = int8_dense(values, kernel, bias).numpy()
    for first, last in [(0, 1), (63, 65), (100, 200)]:
        np.testing.assert_array_equal(int8_dense(values[first:last], kernel, bias), whole[first:last])


def test_shapes_are_inferred():
    library.custom_ops()
    specs = [tf.TensorSpec([None, 8], tf.float32), tf.TensorSpec([None] * 4, tf.int8)]
    specs += [
        tf.TensorSpec([12], tf.float32),
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([None], tf.float32),
    ]
    function = tf.function(library.custom_ops().int8_dense, input_signature=specs, autograph=False)
    assert function.get_concrete_function().output_shapes.as_list() == [None, 12]


def bad_inputs():
    values, weights, scales, bias = random_layer(3, 6, 5)
    kernel = pack_kernel(weights, scales)
    yield "values must have rank 2", (values[0], kernel, bias)
    yield "values must have 1 to 65536 columns", (values[:, :0], kernel, bias)
    yield "panels must have rank 4", (values, kernel._replace(panels=kernel.panels[0]), bias)
    yield "panels must have shape", (values[:, :4], kernel, bias)
    yield "scales must have rank 1", (values, kernel._replace(scales=kernel.scales[:, None]), bias)
    yield "sums must have", (values, kernel._replace(sums=kernel.sums[1:]), bias)
    yield "bias must have", (values, kernel, bias[1:])


@pytest.mark.parametrize("backend", ["custom", "portable"])
@pytest.mark.parametrize(("message", "arguments"), list(bad_inputs()), ids=lambda value: str(value)[:30])
def test_invalid_input_is_named(backend, message, arguments):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=message):
        int8_dense(*arguments, backend=backend)


def test_a_gradient_is_refused():
    values, weights, scales, bias = random_layer(3, 6, 5)
    variable = tf.Variable(values)
    with tf.GradientTape() as tape:
        outputs = int8_dense(variable + 0, pack_kernel(weights, scales), bias)
    with pytest.raises(CorefError, match="has no gradient: int8 weights are for prediction"):
        tape.gradient(outputs, variable)
