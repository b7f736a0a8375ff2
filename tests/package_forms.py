"""Weights in the file formats of packages: safetensors, ONNX and zip."""

import io
import json
import struct
import zipfile

import numpy as np


def safetensors(weights):
    """Returns the content of a safetensors file."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, values in weights.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[str(values.dtype)]
        place = [len(body), len(body) + values.nbytes]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": place}
        body += values.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def field(number, value):
    """Returns an encoded field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & ((1 << 64) - 1))
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(number):
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts, number])


def onnx(weights, quantized, external=None):
    """Returns an ONNX model with the weights, in which matrices of products have generated names.

    Matrices are int8 if `quantized`. If `external` is a bytearray, tensors other than scalars are appended to it.
    """
    graph = b""

    def tensor(name, values):
        nonlocal graph
        kind = {"float32": 1, "int8": 3}[str(values.dtype)]
        message = b"".join(field(1, size) for size in values.shape) + field(2, kind) + field(8, name)
        if external is None or not values.shape:
            message += field(9, values.tobytes())
        else:
            place = {"location": "w.onnx.data", "offset": str(len(external)), "length": str(values.nbytes)}
            message += b"".join(field(13, field(1, key) + field(2, text)) for key, text in place.items())
            external.extend(values.tobytes())
        graph += field(5, message)

    def node(op, inputs, output):
        nonlocal graph
        message = b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op)
        graph += field(1, message)

    for number, (name, values) in enumerate(weights.items()):
        is_product = values.ndim == 2 and name.removesuffix("weight") + "bias" in weights
        inner = f"onnx::MatMul_{number}" if is_product else name
        values = np.ascontiguousarray(values.T) if is_product else values
        if quantized and values.ndim == 2:
            scale = np.float32(np.abs(values).max() / 100)
            tensor(f"{inner}_quantized", np.rint(values / scale + 20).astype(np.int8))
            tensor(f"{inner}_scale", np.array(scale))
            tensor(f"{inner}_zero_point", np.array(20, np.int8))
            names = [f"{inner}_{part}" for part in ("quantized", "scale", "zero_point")]
            inner = f"{inner}_output"
            node("DequantizeLinear", names, inner)
        else:
            tensor(inner, values)
        if is_product:
            node("MatMul", [f"x_{number}", inner], f"y_{number}")
            node("QuantizeLinear", [f"y_{number}", "s", "z"], f"q_{number}")
            node("DequantizeLinear", [f"q_{number}", "s", "z"], f"d_{number}")
            node("Add", [name.removesuffix("weight") + "bias", f"d_{number}"], f"a_{number}")
    return field(1, 10) + field(7, graph)


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()
