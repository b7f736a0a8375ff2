"""A change of a text."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """text[begin:end] becomes `replacement`."""

    begin: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they stand in their order and don't overlap.

    Example:
        apply_edits("She ran.", [Edit(0, 3, "Marta")])      # "Marta ran."
    """
    pieces, position = [], 0
    for begin, end, replacement in edits:
        pieces += [text[position:begin], replacement]
        position = end
    return "".join([*pieces, text[position:]])
