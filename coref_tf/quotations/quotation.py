"""A quotation and its speaker."""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Quotation:
    """A quotation in a text. Spans are inclusive (start, end) pairs of word indices.

    Args:
        text: the quotation, with its marks.
        start: the index of its first word.
        end: the index of its last word.
        begin_char: the offset of its first character in the text; None if the input was words.
        end_char: the offset after its last character.
        depth: 0 for a top-level quotation, 1 for one nested in it, and so on.
        speaker: the most frequent name of the speaker; None if the speaker is unknown.
        mention: the words that name the speaker, here or at the nearest attributed quotation; None if unknown.
        tag: the words that attribute the quotation, such as "said Anna"; None if only turns or narration indicate it.
        cluster: the index of the speaker's cluster; None if the speaker is in no cluster.
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
        """Returns the quotation as a JSON value."""
        return dataclasses.asdict(self)
