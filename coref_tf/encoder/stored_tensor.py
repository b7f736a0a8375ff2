"""An encoder's weights in fewer bits: what is kept of a tensor, and how it is read back. Needs no TensorFlow.

Kernels and tables are kept as float32, float16 or int8 with a scale per output channel (kernels: per column; tables:
per row). Vectors - biases, norms - are few and stay float32.
"""

from typing import NamedTuple

import numpy as np

from coref_tf.support.errors import CorefError

# Tables, an entry per row, are looked up; all other matrices are multiplied with.
TABLES = ("embeddings/words", "embeddings/positions", "relative_positions")


class StoredTensor(NamedTuple):
    """A tensor as it is kept: values * scale, or values alone where there is no scale."""

    values: np.ndarray  # float32, float16 or int8
    scale: np.ndarray | None  # float32, broadcasts against the values

    @classmethod
    def encode(cls, name: str, numbers: np.ndarray, dtype: str) -> "StoredTensor":
        """Keeps an encoder's tensor.

        Args:
            name: of the tensor; tables have a scale per row.
            numbers: float32.
            dtype: what matrices are kept as: "float32", "float16" or "int8".
        """
        if not np.isfinite(numbers).all():
            raise CorefError(f"{name}: has numbers that are not finite; the package is damaged")
        if numbers.ndim < 2 or dtype == "float32":
            return cls(numbers, None)
        if dtype == "float16":
            if np.abs(numbers).max() > np.finfo(np.float16).max:
                raise CorefError(f"{name}: numbers too large for float16; keep them in float32 or int8")
            return cls(numbers.astype(np.float16), None)
        axis = 1 if name in TABLES else 0
        scale = np.abs(numbers).max(axis=axis, keepdims=True).astype(np.float32) / 127
        scale[scale == 0] = 1
        return cls(np.clip(np.rint(numbers / scale), -127, 127).astype(np.int8), scale)

    def numbers(self) -> np.ndarray:
        """The tensor, float32."""
        values = self.values.astype(np.float32)
        return values if self.scale is None else values * self.scale


def scale_shape(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an int8 tensor's scale."""
    return (shape[0], 1) if name in TABLES else (1, shape[1])
