"""Common parts of CoNLL-2012 and CoNLL-U, the formats with one word per row."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from coref_tf.documents.document import Document


class Row(NamedTuple):
    """The columns of one word, and their line in the file."""

    line: int
    columns: list[str]


@dataclasses.dataclass(frozen=True)
class SourceLines:
    """The lines that a document was read from, so that a writer can reproduce them.

    Args:
        lines: All lines, as bytes.
        word_lines: The index in `lines` of each word.
        clusters: The clusters in the lines.
        layers: The other attributes of the document in the lines, by name.
    """

    lines: tuple[bytes, ...]
    word_lines: tuple[int, ...]
    clusters: Sequence[Sequence[tuple[int, int]]]
    layers: Mapping[str, Any]

    def fits(self, document: Document) -> bool:
        """Returns whether the document still agrees with the lines, except for its clusters."""
        return all(getattr(document, name) == value for name, value in self.layers.items())


class WordBrackets(NamedTuple):
    """The brackets at one word: of mentions that begin, begin and end, or end there, outermost first."""

    opening: list[str]
    single: list[str]
    closing: list[str]


def place_brackets(
    document: Document, bracket: Callable[[int, int, int], tuple[str, str]]
) -> list[WordBrackets]:
    """Returns the brackets of each word, with wider mentions outside of narrower ones.

    Args:
        document: The document, with its clusters.
        bracket: Returns the opening and the closing bracket of (start, end, cluster).
    """
    places = [WordBrackets([], [], []) for _ in range(document.num_words)]
    spans = [(*span, cluster) for cluster, spans in enumerate(document.clusters) for span in spans]
    for start, end, cluster in sorted(spans, key=lambda span: (span[0], -span[1])):
        opened, closed = bracket(start, end, cluster)
        if start == end:
            places[start].single.append(opened + ")")
        else:
            places[start].opening.append(opened)
            places[end].closing.append(closed)
    for place in places:
        place.closing.reverse()
    return places
