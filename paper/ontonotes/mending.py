"""Repairs annotation in the gold files that a model cannot be trained on, like the authors of the paper."""

import dataclasses
import re
from collections.abc import Sequence

from coref_tf.documents.conll import WORD, ConllSource, conll_layers, conll_lines
from coref_tf.documents.conll_blocks import Block
from coref_tf.documents.document import Document
from coref_tf.documents.rules import FileMention

_SPOKEN_MARK = re.compile(rb"((?:\S+\s+){3})/([.?])(?=\s)")


def write_plain_marks(block: Block) -> None:
    """Removes the slash from /. and /?, which mark full stops and question marks in transcripts of speech."""
    for row in block.rows:
        if row.columns[WORD] in ("/.", "/?"):
            place = row.line - block.first_line
            block.lines[place] = _SPOKEN_MARK.sub(rb"\1 \2", block.lines[place], count=1)
            row.columns[WORD] = row.columns[WORD][1:]


def merge_repeated_mentions(block: Block) -> bool:
    """Merges clusters that share a mention, and drops mentions that occur twice in a cluster.

    Returns whether anything changed; if so, the clusters have new numbers.
    """
    spans = [(mention.start, mention.end) for mention in block.mentions]
    if len(set(spans)) == len(spans):
        return False
    clusters = merged_clusters(block.mentions)
    sentences = [[row.columns[WORD] for row in sentence] for sentence in block.sentences]
    document = Document(block.doc_key, sentences, clusters=clusters, part=block.part)
    source = ConllSource(
        lines=tuple(block.lines),
        word_lines=tuple(row.line - block.first_line for row in block.rows),
        clusters=(),
        layers=conll_layers(document),
    )
    block.lines = list(conll_lines(dataclasses.replace(document, source=source)))
    lines = {span: mention.line for span, mention in zip(spans, block.mentions, strict=True)}
    block.mentions = [
        FileMention(*span, str(number), lines[span])
        for number, cluster in enumerate(clusters)
        for span in cluster
    ]
    return True


def merged_clusters(mentions: Sequence[FileMention]) -> list[list[tuple[int, int]]]:
    """Returns the clusters, with those that share a mention merged, and each mention once.

    Example:
        merged_clusters([FileMention(0, 0, "3"), FileMention(2, 2, "3"), FileMention(2, 2, "7")])
        # [[(0, 0), (2, 2)]]
    """
    named: dict[str, set[tuple[int, int]]] = {}
    for mention in mentions:
        named.setdefault(mention.cluster, set()).add((mention.start, mention.end))
    merged: list[set[tuple[int, int]]] = []
    for cluster in named.values():
        apart = [other for other in merged if not other & cluster]
        merged = [*apart, cluster.union(*(other for other in merged if other & cluster))]
    return sorted(map(sorted, merged))
