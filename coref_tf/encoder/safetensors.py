"""Reads .safetensors files: eight bytes with the length, a JSON header with the layout, then the values."""

import json
import math
import os
from collections.abc import Mapping

import numpy as np

from coref_tf.support.errors import CorefError

LARGEST_HEADER = 100 << 20
DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
}


def read_safetensors(path: str | os.PathLike) -> Mapping[str, np.ndarray]:
    """Returns the tensors of a file by name, memory-mapped; bfloat16 is widened to float32."""
    try:
        data = np.memmap(path, np.uint8, mode="r")
        length = int.from_bytes(data[:8].tobytes(), "little")
        if not 0 < length <= min(len(data) - 8, LARGEST_HEADER):
            raise ValueError(f"a header of {length} bytes in a file of {len(data)}")
        header = json.loads(data[8 : 8 + length].tobytes())
        body = data[8 + length :]
        return {name: _tensor(name, entry, body) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorefError(f"{path}: not a readable .safetensors file ({error})") from error


def _tensor(name: str, entry: Mapping, body: np.ndarray) -> np.ndarray:
    begin, end = entry["data_offsets"]
    shape = tuple(int(size) for size in entry["shape"])
    dtype = np.dtype(DTYPES[entry["dtype"]])
    if not 0 <= begin <= end <= len(body) or end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} of shape {shape} occupies bytes {begin} to {end} of {len(body)}")
    # The values need not be aligned, so the bytes are copied before they are reinterpreted.
    values = np.frombuffer(body[begin:end], dtype).reshape(shape)
    if entry["dtype"] == "BF16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values
