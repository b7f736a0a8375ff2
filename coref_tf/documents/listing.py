"""Clusters as people read them in a terminal; output only."""

import functools
from collections.abc import Sequence
from typing import IO

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Writing, plain

# Colours that can be told apart on light and dark terminals.
_COLOURS = (34, 32, 35, 36, 33, 31)


def write_listing(
    file: IO[bytes], writing: Writing, document: Document, prediction: Predicted | None
) -> None:
    """Writes one document: a line with its name, and a line for each cluster with its mentions in order."""
    clusters = prediction.clusters if prediction else document.clusters
    count = "1 cluster" if len(clusters) == 1 else f"{len(clusters):,} clusters"
    words = "1 word" if document.num_words == 1 else f"{document.num_words:,} words"
    lines = [f"{document.key}: {words}, {count}"]
    width = len(str(len(clusters)))
    for number, cluster in enumerate(clusters, start=1):
        mentions = " · ".join(mention_texts(document, sorted(cluster)))
        colour = f"\x1b[{_COLOURS[(number - 1) % len(_COLOURS)]}m" if writing.colour else ""
        lines.append(f"  {colour}{number:{width}}  {mentions}{colour and chr(27) + '[0m'}")
    file.write(("\n".join(lines) + "\n").encode())


def mention_texts(document: Document, spans: Sequence[tuple[int, int]]) -> list[str]:
    """How mentions read: as in the text where there is one, otherwise word by word. Control characters are shown."""
    if document.text is not None and document.offsets is not None:
        texts = [document.text[document.offsets[s][0] : document.offsets[e][1]] for s, e in spans]
    else:
        texts = [" ".join(document.words[start : end + 1]) for start, end in spans]
    return ["".join(c if c.isprintable() else " " for c in " ".join(text.split())) for text in texts]


FORMAT = Format(
    "listing",
    (),
    "clusters as people read them",
    open=plain(lambda file, writing: functools.partial(write_listing, file, writing)),
    appends=True,
)
