"""How much memory a layer takes; needs no TensorFlow."""

from collections.abc import Iterable
from typing import NamedTuple


class WorkingNumbers(NamedTuple):
    """How many float32 numbers a layer holds at most while it predicts; memory is planned with them."""

    per_word: int = 0  # for each word of the document
    per_block_word: int = 0  # for each word of the block that is being read
    per_span: int = 0  # for each kept span
    fixed: int = 0  # for its tiles, whatever the document

    @classmethod
    def total(cls, parts: Iterable["WorkingNumbers"]) -> "WorkingNumbers":
        """The numbers of several layers together."""
        return cls(*map(sum, zip(*parts, strict=True)))
