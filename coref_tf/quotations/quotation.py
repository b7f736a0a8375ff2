"""A quotation and who speaks it."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Quotation:
    """Something said in a text. Spans are inclusive, (start, end), and of words.

    Args:
        text: how it reads, with its marks.
        start: its first word.
        end: its last word.
        begin_char: where it begins in the text; None where only words were given.
        end_char: where it ends there, exclusive.
        depth: 0 for a quotation of the text, 1 for one inside it, and so on.
        speaker: who speaks, as they are called most often; None where nothing tells.
        mention: the words that name the speaker, here or at the nearest quotation that tells; None where nothing does.
        tag: the words that say who speaks, such as "said Anna"; None where only the turn or the narration tells.
        cluster: the number of the speaker's cluster, counted from 0; None for a speaker who is in none.
    """

    text: str
    start: int
    end: int
    begin_char: int | None = None
    end_char: int | None = None
    depth: int = 0
    speaker: str | None = None
    mention: tuple[int, int] | None = None
    tag: tuple[int, int] | None = None
    cluster: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns the same as JSON values."""
        return dataclasses.asdict(self)
