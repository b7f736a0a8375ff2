"""Named entities from the CoNLL-2012 column."""

import itertools
import re
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError

_BIT = re.compile(r"(?P<opened>(?:\([^()*\s]+)*)\*?(?P<closed>\)*)")


class NamedEntity(NamedTuple):
    """An inclusive span of word indices that names something, and its type."""

    start: int
    end: int
    kind: str


def named_entities(document: Document) -> list[NamedEntity]:
    """Returns the named entities of a document, in the order of their ends; none if the document has no such column.

    Example:
        named_entities(document)      # [NamedEntity(0, 1, "PERSON"), NamedEntity(7, 7, "GPE")]
    """
    if document.named_entities is None:
        return []
    found: list[NamedEntity] = []
    opened: list[tuple[int, str]] = []
    for place, bit in enumerate(itertools.chain.from_iterable(document.named_entities)):
        match = _BIT.fullmatch(bit if bit != "-" else "*")
        closed = len(match["closed"]) if match else 0
        opened += [(place, kind) for kind in match["opened"].split("(")[1:]] if match else []
        if not match or closed > len(opened):
            raise CorefError(
                f"document {document.key}: named-entity bit {bit!r} of word {place}; expected one such as '(PERSON*'"
                " with balanced brackets"
            )
        for _ in range(closed):
            start, kind = opened.pop()
            found.append(NamedEntity(start, place, kind))
    if opened:
        start, kind = opened[-1]
        raise CorefError(f"document {document.key}: named entity {kind} at word {start} is never closed")
    return found
