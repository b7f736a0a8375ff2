"""Computes large tables tile by tile, with gradients that recompute each tile instead of storing it."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf


def compute_in_tiles(
    compute_rows: Callable[[tf.Tensor, tf.Tensor, Any], tf.Tensor],
    values: Any,
    shape: Sequence[tf.Tensor | int],
    rows_per_tile: int,
) -> tf.Tensor:
    """Computes a table tile by tile.

    The gradient recomputes the same tiles. So it needs no more memory than the forward pass, and `compute_rows` must
    return the same rows both times.

    Args:
        compute_rows: A function (first, last, values) -> float32 [last - first, columns] that computes rows first to
            last - 1 and is differentiable in `values`.
        values: float32 tensors in any structure; other tensors that `compute_rows` uses get no gradient.
        shape: (rows, columns) of the table, int32 [] each.
        rows_per_tile: The number of rows of a tile; the last tile may have fewer.

    Returns:
        float32 [rows, columns].

    Example:
        compute_in_tiles(lambda first, last, x: x[first:last, None] * x, x, [5, 5], 2)   # x[i] * x[j]
    """
    num_rows, num_columns = shape
    num_tiles = -(-num_rows // rows_per_tile)

    def compute(tile: tf.Tensor, flat: Sequence[tf.Tensor]) -> tf.Tensor:
        first, last = tile * rows_per_tile, tf.minimum(num_rows, (tile + 1) * rows_per_tile)
        return compute_rows(first, last, tf.nest.pack_sequence_as(values, flat))

    @tf.custom_gradient
    def table(*given: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], list[tf.Tensor]]]:
        # The same tensor may occur twice; each occurrence gets its own gradient.
        flat = [tf.identity(value) for value in given]

        def backward(upstream: tf.Tensor) -> list[tf.Tensor]:
            def backward_step(tile: tf.Tensor, sums: list[tf.Tensor]) -> tuple[tf.Tensor, list[tf.Tensor]]:
                with tf.GradientTape() as tape:
                    tape.watch(flat)
                    rows = compute(tile, flat)
                first = tile * rows_per_tile
                gradients = tape.gradient(rows, flat, upstream[first : first + rows_per_tile])
                return tile + 1, [
                    _add(total, gradient) for total, gradient in zip(sums, gradients, strict=True)
                ]

            sums = [tf.zeros_like(value) for value in flat]
            return _loop(num_tiles, backward_step, sums)

        return _concat(lambda tile: compute(tile, flat), num_tiles, num_columns, tf.float32), backward

    return table(*tf.nest.flatten(values))


def choose_in_tiles(
    choose_rows: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    shape: Sequence[tf.Tensor | int],
    rows_per_tile: int,
) -> tf.Tensor:
    """Computes a table of indices, which have no gradient, tile by tile.

    Args:
        choose_rows: A function (first, last) -> int32 [last - first, columns] that computes rows first to last - 1.
        shape: (rows, columns) of the table, int32 [] each.
        rows_per_tile: The number of rows of a tile; the last tile may have fewer.

    Returns:
        int32 [rows, columns].
    """
    num_rows, num_columns = shape

    def choose(tile: tf.Tensor) -> tf.Tensor:
        return choose_rows(tile * rows_per_tile, tf.minimum(num_rows, (tile + 1) * rows_per_tile))

    return _concat(choose, -(-num_rows // rows_per_tile), num_columns, tf.int32)


def _concat(
    compute: Callable[[tf.Tensor], tf.Tensor],
    num_tiles: tf.Tensor,
    num_columns: tf.Tensor | int,
    dtype: tf.DType,
) -> tf.Tensor:
    """Concatenates compute(tile) of all tiles."""
    tiles = tf.TensorArray(dtype, num_tiles + 1, infer_shape=False, element_shape=[None, None])
    # A final tile without rows, so that an empty table still has its columns.
    tiles = tiles.write(num_tiles, tf.zeros([0, num_columns], dtype))
    return _loop(num_tiles, lambda tile, tiles: (tile + 1, tiles.write(tile, compute(tile))), tiles).concat()


def _loop(num_tiles: tf.Tensor, step: Callable[[tf.Tensor, Any], tuple[tf.Tensor, Any]], state: Any) -> Any:
    """Runs step(tile, state) for each tile sequentially, because parallel tiles would multiply the memory."""
    return tf.while_loop(lambda tile, _: tile < num_tiles, step, (0, state), parallel_iterations=1)[1]


def _add(total: tf.Tensor, gradient: tf.Tensor | tf.IndexedSlices | None) -> tf.Tensor:
    """Adds a gradient to a total; a sparse gradient touches only its own rows."""
    if gradient is None:
        return total
    if isinstance(gradient, tf.IndexedSlices):
        return tf.tensor_scatter_nd_add(total, gradient.indices[:, tf.newaxis], gradient.values)
    return total + tf.ensure_shape(gradient, total.shape)
