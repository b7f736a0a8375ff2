"""JSON values -> NumPy arrays, by TensorFlow Serving's rules.

A tensor is a value in as many lists as it has dimensions. Strings are JSON strings or, for any bytes,
`{"b64": "..."}`; numbers must fit their type without loss; lists beside each other are of one length. JSON has no
empty tensor of two dimensions: an empty list stands for one of any rank.
"""

import base64
import binascii
from typing import Any

import numpy as np

from coref_tf.serving.request_error import RequestError
from coref_tf.serving.signature import TensorInput


def tensor_of(value: Any, expected: TensorInput, where: str) -> np.ndarray:
    """The tensor that a JSON value stands for; a RequestError says what about it is wrong.

    Example:
        tensor_of([["She", "left"], ["Ana", ""]], tokens, "inputs.tokens").shape == (2, 2)
    """
    shape = lengths_of(value)
    if not fits_rank(value, expected):
        raise RequestError(
            400, f"{where} has {_count(len(shape), 'dimension')}; expected {len(expected.shape)}"
        )
    items: list[Any] = []
    try:
        _collect(value, shape, 0, expected.dtype, items)
    except _TensorError as error:
        raise RequestError(400, f"{where}{error.place} {error}") from None
    if expected.shape is not None:
        shape += [size or 0 for size in expected.shape[len(shape) :]]
        for dimension, (size, wanted) in enumerate(zip(shape, expected.shape, strict=True)):
            if wanted not in (None, size):
                raise RequestError(
                    400, f"{where} has length {size} in dimension {dimension}; expected {wanted}"
                )
    tensor = np.empty(len(items), expected.dtype)
    tensor[:] = items
    return tensor.reshape(shape)


def fits_rank(value: Any, expected: TensorInput, stacked: int = 0) -> bool:
    """Whether a JSON value has as many dimensions as are expected, less those that stacking adds."""
    if expected.shape is None:
        return True
    rank, lengths = len(expected.shape) - stacked, lengths_of(value)
    return len(lengths) == rank or (0 in lengths and len(lengths) < rank)


def lengths_of(value: Any) -> list[int]:
    """The lengths of the lists that a value begins with."""
    lengths = []
    while isinstance(value, list):
        lengths.append(len(value))
        if not value:
            break
        value = value[0]
    return lengths


def is_base64(value: Any) -> bool:
    """Whether a JSON object stands for bytes."""
    return isinstance(value, dict) and value.keys() == {"b64"} and isinstance(value["b64"], str)


class _TensorError(Exception):
    """What is wrong with a value, and where it is within its tensor."""

    place = ""


def _collect(value: Any, shape: list[int], level: int, dtype: np.dtype, items: list[Any]) -> None:
    """Appends the values in the lists of `value`, `level` lists deep."""
    if level == len(shape):
        items.append(_item(value, dtype))
        return
    if not isinstance(value, list):
        raise _TensorError(f"is {_kind(value)}; expected a list")
    if len(value) != shape[level]:
        padding = '; pad with ""' if dtype.kind == "O" else ""
        raise _TensorError(
            f"has {_count(len(value), 'item')}; expected {shape[level]}, as the list before it{padding}"
        )
    for place, item in enumerate(value):
        try:
            _collect(item, shape, level + 1, dtype, items)
        except _TensorError as error:
            error.place = f"[{place}]{error.place}"
            raise


def _item(value: Any, dtype: np.dtype) -> Any:
    """One value of a tensor."""
    if dtype.kind == "O":
        return _bytes(value)
    if dtype.kind == "b":
        if isinstance(value, bool):
            return value
        raise _TensorError(f"is {_kind(value)}; expected true or false")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _TensorError(f"is {_kind(value)}; expected a number")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if isinstance(value, int) and limits.min <= value <= limits.max:
            return value
        raise _TensorError(f"is {value!r:.40}; expected a whole number from {limits.min} to {limits.max}")
    limits = np.finfo(dtype)
    # Compared with a float32, a float would become one first, by NumPy 2's rules.
    largest = 2 ** (limits.nmant + 1) - 1 if isinstance(value, int) else float(limits.max)
    if abs(value) <= largest or value in (np.inf, -np.inf) or value != value:
        return value
    raise _TensorError(f"is {value!r:.40}; expected a number that {dtype} can hold")


def _bytes(value: Any) -> bytes:
    """A string of a tensor."""
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise _TensorError("holds half of a surrogate pair; expected Unicode text") from None
    if is_base64(value):
        try:
            return base64.b64decode(value["b64"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise _TensorError(f"is no base64: {error}") from None
    raise _TensorError(f'is {_kind(value)}; expected a string or {{"b64": "..."}}')


def _kind(value: Any) -> str:
    """What a JSON value is, for people to read."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
