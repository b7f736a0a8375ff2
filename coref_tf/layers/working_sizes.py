"""The memory that a layer needs; does not import TensorFlow."""

from collections.abc import Iterable
from typing import NamedTuple


class WorkingSizes(NamedTuple):
    """The maximum number of float32 values that a layer holds during prediction; used to plan memory."""

    per_word: int = 0  # for each word of the document
    per_block_word: int = 0  # for each word of the current block
    per_span: int = 0  # for each kept span
    fixed: int = 0  # for its tiles, independent of the document

    @classmethod
    def total(cls, parts: Iterable["WorkingSizes"]) -> "WorkingSizes":
        """Returns the sum over several layers."""
        return cls(*map(sum, zip(*parts, strict=True)))
