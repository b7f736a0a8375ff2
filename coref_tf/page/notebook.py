"""The HTML of a document in a notebook: small, with inline styles only."""

import html
from collections.abc import Iterable, Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.running_text import mark_mentions

# Distinct hues that are translucent, so that they work on light and dark backgrounds.
_HUES = (210, 130, 30, 280, 350, 180, 60, 320)
_CELL = "white-space:pre-wrap;overflow-wrap:anywhere;max-height:30em;overflow:auto;line-height:2"
_MENTION = (
    "background:hsla({hue},80%,50%,.18);border-bottom:2px solid hsl({hue},70%,50%);"
    "border-radius:3px;padding:1px 2px"
)


def notebook_html(document: Document, clusters: Iterable[Iterable[Sequence[int]]]) -> str:
    """Returns the text as HTML, with its mentions coloured and numbered by cluster.

    Example:
        notebook_html(document, result.spans)
    """

    def opening(number: int) -> str:
        style = _MENTION.format(hue=_HUES[(number - 1) % len(_HUES)])
        label = f'<sub style="opacity:.7" title="cluster {number}">{number} </sub>'
        return f'<span style="{style}">{label}'

    marked = mark_mentions(document, clusters, opening, "</span>", html.escape)
    return f'<div style="{_CELL}">{marked}</div>'
