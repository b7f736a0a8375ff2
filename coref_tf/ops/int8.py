"""A dense layer with int8 weights, for prediction: `int8_dense`, and the layout of its weights.

The custom backend quantizes each row of the input to 8 bits, or to 7 if the processor cannot add products of 8 bits
without overflow (x86 without VNNI), and multiplies integers. `int8_levels` returns which. The portable backend computes
the same with TensorFlow's built-in ops: the same integers and the same sums, which are then scaled in float32.
"""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.ops import checks as check
from coref_tf.ops import library
from coref_tf.support import libraries

# As in kernels/dense/int8_dense.h, which gives the reasons.
PANEL_COLUMNS, GROUP = 16, 4
MAX_DEPTH = 65536


class PackedKernel(NamedTuple):
    """An int8 matrix with a scale per column, in the layout of `int8_dense`."""

    panels: Any  # int8 [ceil(units / 16), ceil(depth / 4), 16, 4], padded with zeros
    scales: Any  # float32 [units]
    sums: Any  # int32 [units], the sum of the weights of each column


def packed_shapes(depth: int, units: int) -> PackedKernel:
    """Returns the shapes of a packed matrix [depth, units]."""
    panels = (-(-units // PANEL_COLUMNS), -(-depth // GROUP), PANEL_COLUMNS, GROUP)
    return PackedKernel(panels, (units,), (units,))


def pack_kernel(values: np.ndarray, scales: np.ndarray) -> PackedKernel:
    """Packs a matrix.

    Args:
        values: int8 [depth, units].
        scales: float32, one for each column.

    Example:
        int8_dense(rows, pack_kernel(values, scales), bias)    # about rows @ (values * scales) + bias
    """
    depth, units = values.shape
    panels, groups, columns, group = packed_shapes(depth, units).panels
    padded = np.zeros([groups * group, panels * columns], np.int8)
    padded[:depth, :units] = values
    packed = padded.reshape(groups, group, panels, columns).transpose(2, 0, 3, 1)
    sums = values.sum(axis=0, dtype=np.int32)
    return PackedKernel(np.ascontiguousarray(packed), np.reshape(scales, [units]).astype(np.float32), sums)


def unpack_kernel(panels: tf.Tensor, depth: tf.Tensor, units: tf.Tensor) -> tf.Tensor:
    """Unpacks the matrix in panels, int8 [depth, units]."""
    shape = tf.shape(panels)
    unpacked = tf.transpose(panels, [1, 3, 0, 2])
    return tf.reshape(unpacked, [shape[1] * GROUP, shape[0] * PANEL_COLUMNS])[:depth, :units]


def int8_levels() -> int:
    """Returns the largest integer of a quantized row with the instructions of this processor: 127 or 255."""
    return libraries.algorithms().int8_instructions()[0][1]


def int8_dense(
    values: Any, kernel: PackedKernel, bias: Any, gelu: bool = False, backend: str = "custom"
) -> tf.Tensor:
    """Multiplies float rows by an int8 matrix, adds the bias and optionally applies GELU. Has no gradient.

    Args:
        values: float [rows, depth], depth from 1 to 65,536. A row that contains NaN or an infinity gives NaN.
        kernel: The PackedKernel of a matrix [depth, units].
        bias: float [units].
        gelu: Whether to apply GELU, in its exact form, to the result.
        backend: "custom" or "portable".

    Returns:
        float32 [rows, units].
    """
    if backend == "custom":
        return library.custom_ops().int8_dense(values, *kernel, bias, gelu=gelu)
    return portable_int8_dense(values, kernel, bias, gelu, int8_levels())


def portable_int8_dense(values: Any, kernel: PackedKernel, bias: Any, gelu: bool, levels: int) -> tf.Tensor:
    """See `int8_dense`; `levels` is the largest integer of a quantized row."""
    values = check.with_rank("values", tf.convert_to_tensor(values, tf.float32), 2)
    panels = check.with_rank("panels", tf.convert_to_tensor(kernel.panels, tf.int8), 4)
    scales = check.with_rank("scales", tf.convert_to_tensor(kernel.scales, tf.float32), 1)
    sums = check.as_long_as("sums", tf.convert_to_tensor(kernel.sums, tf.int32), "scales", scales)
    bias = check.as_long_as("bias", tf.convert_to_tensor(bias, tf.float32), "scales", scales)
    depth, units = tf.shape(values)[1], tf.size(scales)
    message = f"values must have 1 to {MAX_DEPTH} columns. Received: shape {{}}"
    values = check.require((depth >= 1) & (depth <= MAX_DEPTH), values, message, tf.shape(values))
    groups = tf.stack([-(-units // PANEL_COLUMNS), -(-depth // GROUP), PANEL_COLUMNS, GROUP])
    message = "panels must have shape {}. Received: shape {}"
    panels = check.require(
        tf.reduce_all(tf.shape(panels) == groups), panels, message, groups, tf.shape(panels)
    )
    # [rows, 1]
    minimum = tf.reduce_min(values, axis=1, keepdims=True)
    value_range = tf.reduce_max(values, axis=1, keepdims=True) - minimum
    inverse = levels / value_range
    is_finite = tf.reduce_all(tf.math.is_finite(values), axis=1, keepdims=True) & tf.math.is_finite(
        value_range
    )
    is_even = is_finite & tf.math.is_finite(inverse)
    step = tf.where(is_even, value_range / levels, tf.where(is_finite, 0.0, float("nan")))
    # [rows, depth]: integers from 0 to levels
    quantized = tf.minimum(tf.round((values - minimum) * tf.where(is_even, inverse, 0.0)), float(levels))
    quantized = tf.where(is_even, quantized, 0.0)
    # [rows, units]: sums of integers, which are exact in float64
    matrix = tf.cast(unpack_kernel(panels, depth, units), tf.float64)
    products = tf.cast(tf.matmul(tf.cast(quantized, tf.float64), matrix), tf.float32)
    outputs = (step * products + minimum * tf.cast(sums, tf.float32)) * scales + bias
    return tf.nn.gelu(outputs, approximate=False) if gelu else outputs
