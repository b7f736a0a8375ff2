"""CorefUD's CoNLL-U files as documents.

Empty nodes are words like any other, so that what is left unsaid can be a mention. A mention in parts is, in the
document, its head's part; the file's lines are kept for the writer.
"""

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coref_tf.documents.corefud_blocks import FORM, UPOS, Block, read_blocks
from coref_tf.documents.corefud_entities import EntityMention, find_mentions
from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.rules import FileProblems, Mention
from coref_tf.support.errors import InputError


@dataclasses.dataclass(frozen=True)
class CorefudSource:
    """The lines that a document was read from, and what they say.

    Args:
        lines: all of them.
        rows: for each word, its line's place in `lines`.
        fields: of an entity's bracket.
        values: the fields' values of each mention, by its span.
        clusters: as the lines have them.
        layers: what they say apart from clusters.
    """

    lines: tuple[bytes, ...]
    rows: tuple[int, ...]
    fields: tuple[str, ...]
    values: Mapping[tuple[int, int], tuple[str, ...]]
    clusters: tuple
    layers: Mapping[str, Any]

    @staticmethod
    def layers_of(document: Document) -> dict[str, Any]:
        """What a document's lines say apart from its clusters."""
        return {name: getattr(document, name) for name in ("doc_key", "sentences", "speakers", "pos")}

    def fits(self, document: Document) -> bool:
        """Whether the document still says, clusters apart, what these lines say."""
        return self.layers == self.layers_of(document)


def read_corefud(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of a file, one in memory at a time."""
    problems = FileProblems()
    for block in read_blocks(path, reading.report):
        document = _document(block, reading, problems)
        if document is not None:
            yield document
    if rest := problems.left_out():
        reading.report(InputError(path, rest.mention.line, rest.message), rest.fatal)


def _document(block: Block, reading: Reading, problems: FileProblems) -> Document | None:
    """The document of a block; None where something about it was reported that can't be read."""
    broken = []

    def problem(line: int, message: str, fatal: bool = True) -> None:
        broken.append(fatal)
        reading.report(InputError(block.path, line, message), fatal)

    if not block.rows and not reading.allow_empty:
        problem(block.line, f"document {block.doc_key} is empty; expected at least one word")
    found = find_mentions(block.rows, block.fields, problem)
    spans = [(mention, mention.span(_head(mention, block.fields))) for mention in found]
    mentions = _mentions(spans)
    sentences = [[row.columns[FORM] for row in sentence.rows] for sentence in block.filled]
    for one in problems.of(mentions, sentences):
        problem(one.mention.line, one.message, one.fatal)
    if any(broken):
        return None
    clusters: dict[str, list[tuple[int, int]]] = {}
    for mention in mentions:
        clusters.setdefault(mention.cluster, []).append((mention.start, mention.end))
    tags = [[row.columns[UPOS] for row in sentence.rows] for sentence in block.filled]
    document = Document(
        block.doc_key,
        sentences,
        block.speakers(),
        [sorted(cluster) for cluster in clusters.values()],
        key=block.doc_key,
        pos=tags if any(tag != "_" for row in tags for tag in row) else None,
    )
    return dataclasses.replace(document, source=_source(block, document, spans))


def _head(mention: EntityMention, names: tuple[str, ...]) -> int | None:
    """Which of its words a mention's head is, counted from 1."""
    values = dict(zip(names, mention.fields, strict=False))
    head = values.get("head", "")
    return int(head) if head.isascii() and head.isdecimal() else None


def _mentions(spans: Sequence[tuple[EntityMention, tuple[int, int]]]) -> list[Mention]:
    """The mentions that the document has: the whole ones, and parts that don't get in another one's way."""
    whole = [Mention(*span, m.entity, m.line) for m, span in spans if len(m.parts) == 1]
    by_entity: dict[str, list[Mention]] = {}
    for mention in whole:
        by_entity.setdefault(mention.cluster, []).append(mention)
    for mention, (start, end) in spans:
        others = by_entity.setdefault(mention.entity, [])
        if len(mention.parts) > 1 and not any(_collide(start, end, other) for other in others):
            others.append(Mention(start, end, mention.entity, mention.line))
    mentions = (mention for others in by_entity.values() for mention in others)
    return sorted(mentions, key=lambda mention: (mention.start, -mention.end))


def _collide(start: int, end: int, other: Mention) -> bool:
    """Whether a span is another's, or crosses it."""
    crosses = other.start < start <= other.end < end or start < other.start <= end < other.end
    return crosses or (other.start, other.end) == (start, end)


def _source(
    block: Block, document: Document, spans: Sequence[tuple[EntityMention, tuple[int, int]]]
) -> CorefudSource:
    values: dict[tuple[int, int], tuple[str, ...]] = {}
    for mention, span in spans:
        if len(mention.parts) == 1:
            values.setdefault(span, mention.fields)
    rows = tuple(row.line - block.line for row in block.rows)
    layers = CorefudSource.layers_of(document)
    return CorefudSource(tuple(block.lines), rows, block.fields, values, document.clusters, layers)
