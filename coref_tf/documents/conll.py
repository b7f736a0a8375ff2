"""Reads and writes CoNLL-2012 files.

Rows have 12 or more columns (document, part, index, word, part of speech, parse bit, lemma, frameset, sense,
speaker, named entity, arguments ..., coreference) or just 5 (document, part, index, word, coreference).

A document that was read from CoNLL is written back unchanged; if its clusters have changed, only the coreference column
differs. Any other document is written with all twelve columns.
"""

import itertools
import os
from collections.abc import Iterator
from typing import IO, Any

from coref_tf.documents.conll_blocks import Block, read_blocks
from coref_tf.documents.document import LAYERS, NO_SPEAKER, Document
from coref_tf.documents.format import Format, Reading, Write, Writing, plain, with_predicted_clusters
from coref_tf.documents.rows import SourceLines, place_brackets
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.sources import BYTE_ORDER_MARK, Report, refuse
from coref_tf.support.errors import CorefError, InputError

WORD, POS, PARSE, SPEAKER, NAMED_ENTITY = 3, 4, 5, 9, 10
FEW_COLUMNS, FULL_COLUMNS = 5, 12

_LAST_PART = 999_999_999
_BLANKS = " \t\n\r\v\f"  # the characters that separate columns


class ConllSource(SourceLines):
    """The lines of a CoNLL-2012 file that a document was read from."""


def conll_layers(document: Document) -> dict[str, Any]:
    """Returns the attributes of a document that CoNLL-2012 lines contain, except its clusters."""
    return {name: getattr(document, name) for name in ("doc_key", "part", "sentences", "speakers", *LAYERS)}


def read_conll(
    path: str | os.PathLike, report: Report = refuse, allow_empty: bool = False
) -> Iterator[Document]:
    """Streams the documents without fatal problems of a CoNLL file, with one in memory at a time."""
    for block in checked_blocks(path, report, allow_empty):
        if not block.broken:
            yield _document(block)


def checked_blocks(path: str | os.PathLike, report: Report, allow_empty: bool = False) -> Iterator[Block]:
    """Streams the blocks of a CoNLL file, and reports all problems of each."""
    problems = FileProblems()
    for block in read_blocks(path, report):
        check_block(block, report, allow_empty, problems)
        yield block
    if rest := problems.left_out():
        report(InputError(path, rest.mention.line, rest.message), rest.fatal)


def check_block(
    block: Block, report: Report, allow_empty: bool = False, problems: FileProblems | None = None
) -> None:
    """Reports the problems of a block; `problems` counts those of the whole file."""

    def problem(line: int, message: str, fatal: bool = True) -> None:
        block.broken |= fatal
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
    # Messages quote words; for rows that are too short to have one, they quote the last column.
    words = [[row.columns[min(WORD, len(row.columns) - 1)] for row in rows] for rows in block.sentences]
    for found in (problems or FileProblems()).check(block.mentions, words):
        problem(found.mention.line, found.message, found.fatal)


def _document(block: Block) -> Document:
    full = bool(block.sentences) and len(block.sentences[0][0].columns) >= FULL_COLUMNS
    sentences = _column(block, WORD)
    layers: dict[str, Any] = {
        "doc_key": block.doc_key,
        "part": block.part,
        "sentences": sentences,
        "speakers": _column(block, SPEAKER) if full else tuple((NO_SPEAKER,) * len(row) for row in sentences),
        "pos": _informative(_column(block, POS), {"-"}) if full else None,
        "parse": _informative(_column(block, PARSE), {"-", "*"}) if full else None,
        "named_entities": _informative(_column(block, NAMED_ENTITY), {"-", "*"}) if full else None,
    }
    spans: dict[Any, list[tuple[int, int]]] = {}
    for mention in block.mentions:
        spans.setdefault(mention.cluster, []).append((mention.start, mention.end))
    clusters = tuple(tuple(sorted(cluster)) for cluster in spans.values())
    word_lines = tuple(row.line - block.first_line for row in block.rows)
    return Document(
        **layers, clusters=clusters, source=ConllSource(tuple(block.lines), word_lines, clusters, layers)
    )


def _column(block: Block, index: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.columns[index] for row in sentence) for sentence in block.sentences)


def _informative(column: tuple[tuple[str, ...], ...], blanks: set[str]) -> tuple[tuple[str, ...], ...] | None:
    """Returns the column, or None if it contains only placeholders."""
    return column if any(value not in blanks for row in column for value in row) else None


class ConllWriter:
    """Writes documents one after another to a file opened in binary mode.

    Args:
        file: The file to write to; existing content is kept.
        after: The last bytes of the existing content; empty at the start of a file.

    Example:
        with atomic_write("predicted.conll", "wb") as file:
            write = ConllWriter(file)
            write(document.with_clusters(predicted))
    """

    def __init__(self, file: IO[bytes], after: bytes = b""):
        self.file = file
        self.empty, self.line_ended = not after, not after or after.endswith(b"\n")

    def __call__(self, document: Document) -> None:
        """Writes one document."""
        content = b"".join(conll_lines(document))
        if not self.empty:  # a byte order mark from another file belongs only at the start of a file
            content = content.removeprefix(BYTE_ORDER_MARK)
        self.file.write(content if self.line_ended else b"\n" + content)
        self.empty, self.line_ended = False, content.endswith(b"\n")


def conll_lines(document: Document) -> Iterator[bytes]:
    """Returns the lines of a document."""
    source = document.source
    if not isinstance(source, ConllSource) or not source.fits(document):
        return _new_lines(document)
    if source.clusters == document.clusters:
        return iter(source.lines)
    return _relabelled_lines(document, source)


def coreference_column(document: Document) -> list[str]:
    """Returns the coreference column: the brackets of each word, with wider mentions outside of narrower ones.

    Example:
        coreference_column(document)     # ["(0|(1", "1)", "-", "(0)|0)"]
    """
    places = place_brackets(document, lambda start, end, cluster: (f"({cluster}", f"{cluster})"))
    return ["|".join(itertools.chain(*place)) or "-" for place in places]


def _relabelled_lines(document: Document, source: ConllSource) -> Iterator[bytes]:
    labels = dict(zip(source.word_lines, coreference_column(document), strict=True))
    for number, line in enumerate(source.lines):
        if number in labels:
            body = line.rstrip()
            label_start = len(body) - len(body.split()[-1])
            yield line[:label_start] + labels[number].encode() + line[len(body) :]
        else:
            yield line


def _new_lines(document: Document) -> Iterator[bytes]:
    if document.part > _LAST_PART:
        raise CorefError(f"document {document.key}: part {document.part}; expected at most {_LAST_PART:,}")
    yield f"#begin document ({document.doc_key}); part {document.part:03d}\n".encode()
    doc_key = _joined(document.doc_key)
    if doc_key.startswith("#"):
        doc_key = f"_{doc_key}"  # a row that starts with # would be a comment; the line above has the key
    pos, parse, entities = (
        getattr(document, name) or [[blank] * len(sentence) for sentence in document.sentences]
        for name, blank in zip(LAYERS, "-**", strict=True)
    )
    labels = iter(coreference_column(document))
    for rows in zip(document.sentences, pos, parse, document.speakers, entities, strict=True):
        for index, (word, tag, bit, speaker, entity) in enumerate(zip(*rows, strict=True)):
            columns = [doc_key, document.part, index]
            columns += [_checked(value, document) for value in (word, tag, bit)]
            columns += ["-", "-", "-", _joined(speaker), _checked(entity, document), next(labels)]
            yield ("   ".join(map(str, columns)) + "\n").encode()
        if rows[0]:
            yield b"\n"
    yield b"#end document\n"


def _checked(value: str, document: Document) -> str:
    if not value or any(blank in value for blank in _BLANKS):
        raise CorefError(
            f"document {document.key}: {value!r} cannot be written to a CoNLL column; expected no blanks, "
            "or write jsonlines"
        )
    return value


def _joined(name: str) -> str:
    """Returns a name with underscores instead of blanks, as OntoNotes writes Larry_King."""
    return "_".join(name.split()) or NO_SPEAKER


def _check_conll(path: str, reading: Reading) -> None:
    """Reports all problems of a file, including those of documents that cannot be created."""
    for _ in checked_blocks(path, reading.report, reading.allow_empty):
        pass


def _conll_writer(file: IO[bytes], writing: Writing) -> Write:
    return with_predicted_clusters(ConllWriter(file, writing.after))


FORMAT = Format(
    "conll",
    (".conll", "_conll", ".key", ".response"),
    "CoNLL-2012",
    read=lambda path, reading: read_conll(path, reading.report, reading.allow_empty),
    open=plain(_conll_writer),
    check=_check_conll,
    appends=True,
)
