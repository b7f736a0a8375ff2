"""Reads the weights of an ONNX graph under the names that they had before export; dequantizes int8.

An export keeps the names of biases and norms, but renames matrices (onnx::MatMul_767_quantized). But the product of a
matrix is added to a bias whose name is known, so the matrix must be the "...weight" of that "...bias".
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coref_tf.support.errors import CorefError

# Field numbers in onnx.proto.
MODEL_GRAPH, GRAPH_NODE, GRAPH_INITIALIZER = 7, 1, 5
NODE_INPUT, NODE_OUTPUT, NODE_OP = 1, 2, 4
TENSOR_DIMS, TENSOR_TYPE, TENSOR_FLOATS, TENSOR_INTS, TENSOR_NAME, TENSOR_RAW, TENSOR_EXTERNAL = (
    1,
    2,
    4,
    5,
    8,
    9,
    13,
)
DTYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2", 11: "<f8"}
# Ops between a product and its bias that only change the type.
PASSED = ("QuantizeLinear", "DequantizeLinear", "Cast", "Identity")


class _Node(NamedTuple):
    op: str
    inputs: list[str]
    outputs: list[str]


def read_onnx_weights(path: str | os.PathLike) -> Mapping[str, np.ndarray]:
    """Returns the named tensors of a graph; matrices are in PyTorch's layout, [outputs, inputs]."""
    path = Path(path)
    try:
        data = np.memmap(path, np.uint8, mode="r").data
        graph = next(value for field, value in _fields(data) if field == MODEL_GRAPH)
        nodes, tensors = [], {}
        for field, value in _fields(graph):
            if field == GRAPH_NODE:
                nodes.append(_read_node(value))
            elif field == GRAPH_INITIALIZER:
                name, tensor = _read_tensor(value, path.parent)
                tensors[name] = tensor
        return _named(nodes, tensors)
    except (ValueError, KeyError, IndexError, TypeError, StopIteration) as error:
        raise CorefError(f"{path}: not a readable ONNX graph ({error!r})") from error


def _named(nodes: Sequence[_Node], tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    for node in nodes:
        if node.op == "DequantizeLinear" and node.inputs[0] in tensors:
            tensors[node.outputs[0]] = _dequantize(*(tensors[name] for name in node.inputs))
            # Tables keep their names, with a suffix.
            tensors[node.inputs[0].removesuffix("_quantized")] = tensors[node.outputs[0]]
    reader = {name: node for node in nodes for name in node.inputs}
    for node in nodes:
        is_product = node.op == "MatMul" and node.inputs[1] in tensors
        if is_product and (bias := _bias_after(node, reader, tensors)):
            tensors[bias.removesuffix(".bias") + ".weight"] = tensors[node.inputs[1]].T
    return {name: tensor for name, tensor in tensors.items() if name.endswith((".weight", ".bias"))}


def _bias_after(node: _Node, reader: Mapping[str, _Node], tensors: Mapping[str, np.ndarray]) -> str | None:
    following = reader.get(node.outputs[0])
    while following is not None and following.op in PASSED:
        following = reader.get(following.outputs[0])
    if following is None or following.op != "Add":
        return None
    return next((name for name in following.inputs if name in tensors and name.endswith(".bias")), None)


def _dequantize(values: np.ndarray, scale: np.ndarray, zero: np.ndarray | None = None) -> np.ndarray:
    if scale.size > 1:
        raise ValueError(f"a scale of shape {scale.shape}; expected a single number")
    return (values.astype(np.float32) - np.float32(0 if zero is None else zero)) * scale.astype(np.float32)


def _read_node(data: memoryview) -> _Node:
    node = _Node("", [], [])
    for field, value in _fields(data):
        if field == NODE_INPUT:
            node.inputs.append(bytes(value).decode())
        elif field == NODE_OUTPUT:
            node.outputs.append(bytes(value).decode())
        elif field == NODE_OP:
            node = node._replace(op=bytes(value).decode())
    return node


def _read_tensor(data: memoryview, folder: Path) -> tuple[str, np.ndarray]:
    found: dict[int, list[Any]] = {}
    for field, value in _fields(data):
        found.setdefault(field, []).append(value)
    name = bytes(found[TENSOR_NAME][0]).decode()
    dtype, shape = np.dtype(DTYPES[found[TENSOR_TYPE][0]]), found.get(TENSOR_DIMS, [])
    if TENSOR_EXTERNAL in found:
        values = _read_external(found[TENSOR_EXTERNAL], dtype, folder)
    elif TENSOR_RAW in found:
        values = np.frombuffer(found[TENSOR_RAW][0], dtype)
    elif TENSOR_FLOATS in found:
        values = np.frombuffer(b"".join(bytes(part) for part in found[TENSOR_FLOATS]), "<f4")
    else:
        parts = found.get(TENSOR_INTS, [])
        values = np.array([number for part in parts for number in _packed(part)], np.int64).astype(dtype)
    return name, values.reshape(shape)


def _read_external(entries: Sequence[memoryview], dtype: np.dtype, folder: Path) -> np.ndarray:
    pairs = {}
    for entry in entries:
        key, value = (bytes(value).decode() for _, value in _fields(entry))
        pairs[key] = value
    # Only a file name, not a path, so that all data is read from the folder of the graph.
    path = folder / Path(pairs["location"]).name
    if not path.is_file():
        raise ValueError(f"its data file {path.name} is missing")
    offset, length = int(pairs.get("offset", 0)), int(pairs["length"])
    return np.memmap(path, dtype, mode="r", offset=offset, shape=(length // dtype.itemsize,))


def _packed(part: Any) -> Iterator[int]:
    """Yields signed integers from a packed or single field."""
    if isinstance(part, int):
        yield _signed(part)
        return
    at = 0
    while at < len(part):
        number, at = _varint(part, at)
        yield _signed(number)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yields the number and value of each field of a protobuf message; a value is an int or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        field, wire = key >> 3, key & 7
        value: Any
        if wire == 0:
            value, at = _varint(data, at)
        elif wire in (1, 2, 5):
            length = {1: 8, 5: 4}.get(wire)
            if length is None:
                length, at = _varint(data, at)
            if at + length > len(data):
                raise ValueError("the file is truncated")
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"unsupported wire type {wire}")
        yield field, value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise ValueError("a number of more than 64 bits")
