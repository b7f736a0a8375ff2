"""A document as a cell of a notebook shows it: small, and nothing in it touches the rest of the page."""

import html
from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.set_text import SetText

# Hues far apart, laid thinly over whatever the page's background is, so that light and dark both show them.
_HUES = (210, 130, 30, 280, 350, 180, 60, 320)
_CELL = "white-space:pre-wrap;overflow-wrap:anywhere;max-height:30em;overflow:auto;line-height:2"
_MENTION = (
    "background:hsla({hue},80%,50%,.18);border-bottom:2px solid hsl({hue},70%,50%);"
    "border-radius:3px;padding:1px 2px"
)


def notebook_html(document: Document, clusters: Iterable[Iterable[Sequence[int]]]) -> str:
    """The text with its mentions coloured and numbered by cluster.

    Example:
        notebook_html(document, result.spans)
    """
    text, offsets = SetText.of(document)
    spans = [(*span, number) for number, cluster in enumerate(clusters, start=1) for span in cluster]
    opening: dict[int, str] = {}
    closing: dict[int, str] = {}
    for start, end, number in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        begin, stop = offsets[start][0], offsets[end][1]
        style = _MENTION.format(hue=_HUES[(number - 1) % len(_HUES)])
        label = f'<sub style="opacity:.7" title="cluster {number}">{number} </sub>'
        opening[begin] = opening.get(begin, "") + f'<span style="{style}">{label}'
        closing[stop] = closing.get(stop, "") + "</span>"
    pieces, position = [], 0
    for place in sorted(opening.keys() | closing.keys()):
        pieces += [html.escape(text[position:place]), closing.get(place, ""), opening.get(place, "")]
        position = place
    pieces.append(html.escape(text[position:]))
    return f'<div style="{_CELL}">{"".join(pieces)}</div>'
