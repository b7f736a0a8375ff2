"""What the model answered -> the body of a response."""

import base64
import json
from typing import Any

import numpy as np

from coref_tf.serving.predict_request import Form
from coref_tf.serving.request_error import RequestError


def encode_response(form: Form, results: list[dict[str, np.ndarray]]) -> bytes:
    """The body of a response: `outputs`, or `predictions` for a request with instances.

    An output by itself goes without its name. Floats have as many digits as tell them apart; NaN, Infinity and
    -Infinity are written so, as TensorFlow Serving does. Strings are JSON strings; outputs named `..._bytes`, and
    strings that aren't UTF-8, are `{"b64": "..."}`.
    """
    if form is Form.COLUMNS:
        content: dict[str, Any] = {"outputs": _without_name(_columns(results[0]))}
    elif form is Form.ROWS:
        content = {"predictions": [_without_name(row) for row in _rows(results[0])]}
    else:
        content = {"predictions": [_without_name(_columns(result)) for result in results]}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _columns(result: dict[str, np.ndarray]) -> dict[str, Any]:
    return {name: _plain(name, array) for name, array in result.items()}


def _rows(result: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """The results of each instance that was stacked."""
    lengths = {name: array.shape[0] if array.ndim else 0 for name, array in result.items()}
    if len(set(lengths.values())) != 1 or 0 in lengths.values():
        found = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise RequestError(
            400,
            f"the outputs don't have one row for each instance (rows: {found}); send inputs, not instances",
        )
    columns = _columns(result)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _without_name(outputs: dict[str, Any]) -> Any:
    return next(iter(outputs.values())) if len(outputs) == 1 else outputs


def _plain(name: str, array: np.ndarray) -> Any:
    """A tensor in JSON's terms."""
    if array.dtype.kind == "f" and array.dtype != np.float64:
        # By way of its shortest decimal: 0.2 is to read 0.2, not 0.20000000298.
        return array.astype(str).astype(np.float64).tolist()
    if array.dtype.kind != "O":
        return array.tolist()
    strings = np.empty(array.size, object)
    strings[:] = [_text(value, binary=name.endswith("_bytes")) for value in array.ravel()]
    return strings.reshape(array.shape).tolist()


def _text(value: bytes, binary: bool) -> Any:
    try:
        if not binary:
            return value.decode()
    except UnicodeDecodeError:
        pass
    return {"b64": base64.b64encode(value).decode()}
