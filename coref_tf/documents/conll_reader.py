"""CoNLL-2012 files as documents.

Rows have 12 or more columns (document, part, index, word, part of speech, parse bit, lemma, frameset, sense,
speaker, named entity, arguments ..., coreference) or just 5 (document, part, index, word, coreference).
"""

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import Any

from coref_tf.documents.conll_blocks import Block, read_blocks
from coref_tf.documents.document import LAYERS, NO_SPEAKER, Document
from coref_tf.documents.reporting import Report, refuse
from coref_tf.documents.rules import FileProblems
from coref_tf.support.errors import InputError

WORD, POS, PARSE, SPEAKER, NAMED_ENTITY = 3, 4, 5, 9, 10
FEW_COLUMNS, FULL_COLUMNS = 5, 12


@dataclasses.dataclass(frozen=True)
class ConllSource:
    """The lines that a document was read from, which of them are its words, and what they say."""

    lines: tuple[bytes, ...]
    word_lines: tuple[int, ...]
    clusters: tuple
    layers: Mapping[str, Any]

    @staticmethod
    def layers_of(document: Document) -> dict[str, Any]:
        """What a document's lines say apart from its clusters."""
        names = ("doc_key", "part", "sentences", "speakers", *LAYERS)
        return {name: getattr(document, name) for name in names}

    def fits(self, document: Document) -> bool:
        """Whether the document still says, clusters apart, what these lines say."""
        return self.layers == self.layers_of(document)


def read_conll(
    path: str | os.PathLike, report: Report = refuse, allow_empty: bool = False
) -> Iterator[Document]:
    """Streams the documents of a CoNLL file, one in memory at a time."""
    for block in checked_blocks(path, report, allow_empty):
        yield _document(block)


def checked_blocks(path: str | os.PathLike, report: Report, allow_empty: bool = False) -> Iterator[Block]:
    """Streams the blocks of a CoNLL file, reporting everything that is wrong with each."""
    problems = FileProblems()
    for block in read_blocks(path, report):
        check_block(block, report, allow_empty, problems)
        yield block
    if rest := problems.left_out():
        report(InputError(path, rest.mention.line, rest.message), rest.fatal)


def check_block(
    block: Block, report: Report, allow_empty: bool = False, problems: FileProblems | None = None
) -> None:
    """Reports what keeps a block from being a document, or is odd about it; `problems` are those of its file."""

    def problem(line: int, message: str, fatal: bool = True) -> None:
        report(InputError(block.path, line, message), fatal)

    if not block.sentences and not allow_empty:
        problem(block.line, f"document {block.doc_key} is empty; expected at least one sentence")
    for sentence in block.sentences:
        line, columns = sentence[0]
        if len(columns) < FULL_COLUMNS and len(columns) != FEW_COLUMNS:
            expected = "expected 12 or more, or 5 (document, part, index, word, coreference)"
            problem(line, f"{len(columns)} columns; {expected}")
        elif (len(columns) == FEW_COLUMNS) != (len(block.sentences[0][0].columns) == FEW_COLUMNS):
            problem(line, f"{len(columns)} columns; expected 5, or 12 or more, throughout a document")
    # Messages quote the words; rows too short for one show their last column.
    words = [[row.columns[min(WORD, len(row.columns) - 1)] for row in rows] for rows in block.sentences]
    for found in (problems or FileProblems()).of(block.mentions, words):
        problem(found.mention.line, found.message, found.fatal)


def _document(block: Block) -> Document:
    full = bool(block.sentences) and len(block.sentences[0][0].columns) >= FULL_COLUMNS
    sentences = _column(block, WORD)
    layers = {
        "doc_key": block.doc_key,
        "part": block.part,
        "sentences": sentences,
        "speakers": _column(block, SPEAKER) if full else tuple((NO_SPEAKER,) * len(row) for row in sentences),
        "pos": _informative(_column(block, POS), {"-"}) if full else None,
        "parse": _informative(_column(block, PARSE), {"-", "*"}) if full else None,
        "named_entities": _informative(_column(block, NAMED_ENTITY), {"-", "*"}) if full else None,
    }
    spans = {}
    for mention in block.mentions:
        spans.setdefault(mention.cluster, []).append((mention.start, mention.end))
    clusters = tuple(tuple(sorted(cluster)) for cluster in spans.values())
    word_lines = tuple(row.line - block.first_line for row in block.rows)
    return Document(
        **layers, clusters=clusters, source=ConllSource(tuple(block.lines), word_lines, clusters, layers)
    )


def _column(block: Block, index: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.columns[index] for row in sentence) for sentence in block.sentences)


def _informative(column: tuple[tuple[str, ...], ...], blanks: set[str]) -> tuple | None:
    """The column, or None where it says nothing in the whole document."""
    return column if any(value not in blanks for row in column for value in row) else None
