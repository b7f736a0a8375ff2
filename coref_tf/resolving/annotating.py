"""The text with its mentions in brackets, numbered by cluster."""

from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.set_text import SetText


def annotate(document: Document, clusters: Iterable[Iterable[Sequence[int]]] | None = None) -> str:
    """The text with every mention as `[1 Marta Oduya]`, clusters numbered from 1; nested ones stand inside.

    Args:
        document: the words, and the text where there is one.
        clusters: of inclusive spans of words; unless given, the document's own.
    """
    clusters = document.clusters if clusters is None else clusters
    text, offsets = SetText.of(document)
    spans = [(*span, number) for number, cluster in enumerate(clusters, start=1) for span in cluster]
    opening: dict[int, str] = {}
    closing: dict[int, str] = {}
    for start, end, number in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        begin, stop = offsets[start][0], offsets[end][1]
        opening[begin] = opening.get(begin, "") + f"[{number} "
        closing[stop] = closing.get(stop, "") + "]"
    pieces, position = [], 0
    for place in sorted(opening.keys() | closing.keys()):
        pieces += [text[position:place], closing.get(place, ""), opening.get(place, "")]
        position = place
    return "".join([*pieces, text[position:]])
