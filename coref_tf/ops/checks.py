"""Checks of tensors for the portable ops; each returns the tensor that it checked.

A failed check raises an InvalidArgumentError that names the input, the expected and the received value: immediately
if the values are known (eager mode), otherwise when the graph runs. Everything that uses the returned tensor waits for
the check. The kernels of the custom ops use the same messages.
"""

import tensorflow as tf


def static_rank(name: str, tensor: tf.Tensor, rank: int) -> tf.Tensor:
    """Rejects a tensor that is statically known to have another rank."""
    if tensor.shape.rank not in (None, rank):
        _fail(f"{name} must have rank {rank}. Received: shape {tensor.shape.as_list()}")
    return tensor


def with_rank(name: str, tensor: tf.Tensor, rank: int) -> tf.Tensor:
    """Rejects a tensor of another rank."""
    static_rank(name, tensor, rank)
    if tensor.shape.rank == rank:
        return tensor
    message = f"{name} must have rank {rank}. Received: shape {{}}"
    checked = require(tf.rank(tensor) == rank, tensor, message, tf.shape(tensor))
    # The same shape, but in a form that Grappler cannot trace back to the input, so that it does not remove the check.
    checked = tf.reshape(checked, tf.shape(checked)[:rank])
    checked.set_shape([None] * rank)
    return checked


def as_long_as(name: str, tensor: tf.Tensor, other_name: str, other: tf.Tensor) -> tf.Tensor:
    """Rejects a vector whose length differs from that of the other."""
    message = f"{name} must have as many elements as {other_name}, {{}}. Received: {{}}"
    lengths = tf.size(other), tf.size(tensor)
    return require(tf.equal(*lengths), tensor, message, *lengths)


def not_tall(name: str, tensor: tf.Tensor) -> tf.Tensor:
    """Rejects a matrix with more rows than columns."""
    shape = tf.shape(tensor)
    message = f"{name} must not have more rows than columns. Received: shape {{}}"
    return require(shape[0] <= shape[1], tensor, message, shape)


def no_negative(name: str, tensor: tf.Tensor) -> tf.Tensor:
    """Rejects negative numbers in a scalar or vector."""
    message = f"{name} must not be negative. Received: "
    if tensor.shape.rank == 0:
        return require(tensor >= 0, tensor, message + "{}", tensor)
    bad = tensor < 0
    where = _first(bad)
    return require(~tf.reduce_any(bad), tensor, f"{message}{name}[{{}}] = {{}}", where, _at(tensor, where))


def not_before(name: str, tensor: tf.Tensor, other_name: str, other: tf.Tensor) -> tf.Tensor:
    """Rejects a vector with an element that is smaller than that of the other."""
    bad = tensor < other
    where = _first(bad)
    message = (
        f"{name} must not be before {other_name}. Received: {other_name}[{{}}] = {{}}, {name}[{{}}] = {{}}"
    )
    received = where, _at(other, where), where, _at(tensor, where)
    return require(~tf.reduce_any(bad), tensor, message, *received)


def no_nan(name: str, tensor: tf.Tensor) -> tf.Tensor:
    """Rejects NaN in a vector."""
    bad = tf.math.is_nan(tensor)
    message = f"{name} must not be NaN. Received: {name}[{{}}] = nan"
    return require(~tf.reduce_any(bad), tensor, message, _first(bad))


def no_nan_in_earlier_columns(name: str, tensor: tf.Tensor) -> tf.Tensor:
    """Rejects NaN in a matrix that holds the last rows of a square matrix, in the columns j < i of each row i."""
    rows, columns = tf.unstack(tf.shape(tensor))
    bad = tf.math.is_nan(tensor) & (tf.range(columns) < tf.range(columns - rows, columns)[:, tf.newaxis])
    where = _first(tf.reshape(bad, [-1]))
    message = f"{name} must not be NaN. Received: {name}[{{}}, {{}}] = nan"
    columns = tf.maximum(columns, 1)
    return require(~tf.reduce_any(bad), tensor, message, where // columns, where % columns)


def require(good: tf.Tensor, tensor: tf.Tensor, message: str, *received: tf.Tensor) -> tf.Tensor:
    """Returns the tensor if `good` is true; otherwise raises an error, with each {} replaced by a received value."""
    if tf.executing_eagerly():
        if not good:
            _fail(tf.strings.format(message, received).numpy().decode())
        return tensor
    assertion = tf.debugging.Assert(good, [tf.strings.format(message, received)])
    with tf.control_dependencies([assertion]):
        return tf.identity(tensor)


def _fail(message: str) -> None:
    raise tf.errors.InvalidArgumentError(None, None, message)


def _first(bad: tf.Tensor) -> tf.Tensor:
    """Returns the first position of a vector that is true; 0 if there is none."""
    places = tf.where(bad, tf.range(tf.size(bad)), tf.int32.max)
    return tf.reduce_min(places) % tf.int32.max


def _at(tensor: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
    """Returns an element of a vector; 0 for an empty vector, where indexing would fail."""
    return tf.reduce_sum(tensor[place : place + 1])
