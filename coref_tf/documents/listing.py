"""Clusters in a readable form for terminals; output only."""

import functools
import itertools
from collections.abc import Sequence
from typing import IO

from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Writing, output_format_by_name

# Colours that are distinguishable on light and dark terminals.
_COLOURS = (34, 32, 35, 36, 33, 31)


def write_listing(
    file: IO[bytes], writing: Writing, document: Document, prediction: ClusterPrediction | None
) -> None:
    """Writes one document."""
    clusters = prediction.clusters if prediction else document.clusters
    file.write((listing(document, clusters, writing.colour) + "\n").encode())


def listing(document: Document, clusters: Sequence[Sequence[tuple[int, int]]], colour: bool = False) -> str:
    """Returns a line with the key of the document, and one line per cluster with its mentions in order."""
    count = "1 cluster" if len(clusters) == 1 else f"{len(clusters):,} clusters"
    words = "1 word" if document.num_words == 1 else f"{document.num_words:,} words"
    lines = [f"{document.key}: {words}, {count}"]
    width = len(str(len(clusters)))
    for number, cluster in enumerate(clusters, start=1):
        mentions = " · ".join(_one_line(mention_text(document, *span)) for span in sorted(cluster))
        begin, end = (f"\x1b[{_COLOURS[(number - 1) % len(_COLOURS)]}m", "\x1b[0m") if colour else ("", "")
        lines.append(f"  {begin}{number:{width}}  {mentions}{end}")
    return "\n".join(lines)


def mention_text(document: Document, start: int, end: int) -> str:
    """Returns the text of a mention, without parts that are not words, such as the times of subtitles.

    If the document has no text, returns its words.
    """
    text, offsets = document.text, document.offsets
    if text is None or offsets is None:
        return " ".join(document.words[start : end + 1])
    pieces = [text[slice(*offsets[start])]]
    for (_, before), (begin, after) in itertools.pairwise(offsets[start : end + 1]):
        gap = text[before:begin]
        pieces += [gap if not gap.strip() else " ", text[begin:after]]
    return "".join(pieces)


def _one_line(text: str) -> str:
    """Replaces the characters that a terminal might interpret."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


FORMAT = output_format_by_name(
    "listing",
    "clusters in a readable form",
    lambda file, writing: functools.partial(write_listing, file, writing),
    ".txt",
)
