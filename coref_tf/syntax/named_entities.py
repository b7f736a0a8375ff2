"""The spans of the CoNLL-2012 named-entity column."""

import itertools
import re
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError

_BIT = re.compile(r"(?P<opened>(?:\([^()*\s]+)*)\*?(?P<closed>\)*)")


class NamedEntity(NamedTuple):
    """Some words that name something, both ends included, and what kind of thing."""

    start: int
    end: int
    kind: str


def named_entities(document: Document) -> list[NamedEntity]:
    """The named entities of a document, in the order in which they end; none where it doesn't say.

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
                f"document {document.key}: named-entity bit {bit!r} of word {place}; expected such as '(PERSON*'"
                " with as many brackets opened as closed"
            )
        for _ in range(closed):
            start, kind = opened.pop()
            found.append(NamedEntity(start, place, kind))
    if opened:
        start, kind = opened[-1]
        raise CorefError(f"document {document.key}: named entity {kind} at word {start} is never closed")
    return found
