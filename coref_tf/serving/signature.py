"""What a model can be asked, and what it answers."""

from typing import NamedTuple

import numpy as np


class TensorInput(NamedTuple):
    """One tensor that a signature takes."""

    tensor: str  # its name in the graph
    dtype: np.dtype  # strings are bytes in an array of objects
    shape: tuple[int | None, ...] | None  # None where it can be of any length, or of any rank


class Signature(NamedTuple):
    """One function of the model, by the names that requests and responses use."""

    name: str
    inputs: dict[str, TensorInput]
    outputs: dict[str, str]  # their names in the graph
    optional: frozenset[str] = frozenset()  # inputs that have a default

    @property
    def required(self) -> dict[str, TensorInput]:
        """The inputs without a default."""
        return {name: kind for name, kind in self.inputs.items() if name not in self.optional}
