"""Stores an encoder's weights in fewer bits, and decodes them. Does not import TensorFlow.

Kernels and tables are stored as float32, float16 or int8 with a scale per output channel (kernels: per column; tables:
per row). Vectors (biases, norms) are small and stay float32.
"""

from typing import NamedTuple

import numpy as np

from coref_tf.support.errors import CorefError

# Tables, with one entry per row, are looked up; all other matrices are multiplied.
TABLES = ("embeddings/words", "embeddings/positions", "relative_positions")


class StoredTensor(NamedTuple):
    """A tensor as it is stored: values * scale, or the values alone if there is no scale."""

    values: np.ndarray  # float32, float16 or int8
    scale: np.ndarray | None  # float32, broadcasts against the values

    @classmethod
    def encode(cls, name: str, tensor: np.ndarray, dtype: str) -> "StoredTensor":
        """Encodes a tensor of an encoder.

        Args:
            name: The name of the tensor; tables have a scale per row.
            tensor: float32.
            dtype: The type in which to store matrices: "float32", "float16" or "int8".
        """
        if not np.isfinite(tensor).all():
            raise CorefError(f"{name}: has values that are not finite; the package is damaged")
        if tensor.ndim < 2 or dtype == "float32":
            return cls(tensor, None)
        if dtype == "float16":
            if np.abs(tensor).max() > np.finfo(np.float16).max:
                raise CorefError(f"{name}: values too large for float16; store them in float32 or int8")
            return cls(tensor.astype(np.float16), None)
        axis = 1 if name in TABLES else 0
        scale = np.abs(tensor).max(axis=axis, keepdims=True).astype(np.float32) / 127
        scale[scale == 0] = 1
        return cls(np.clip(np.rint(tensor / scale), -127, 127).astype(np.int8), scale)

    def decode(self) -> np.ndarray:
        """Returns the tensor as float32."""
        values = self.values.astype(np.float32)
        return values if self.scale is None else values * self.scale


def scale_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape of an int8 tensor's scale."""
    return (shape[0], 1) if name in TABLES else (1, shape[1])
