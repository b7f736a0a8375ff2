"""Reads and writes CorefUD's CoNLL-U, the format of the shared tasks on multilingual coreference.

Empty nodes are treated as words, so that a dropped pronoun can be a mention. Of a discontinuous mention, the document
contains the part with the head. A document that was read from CoNLL-U is written back unchanged; if its clusters have
changed, only the entities differ. Any other document is written as rows of words, tags and entities.
"""

import dataclasses
import os
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import IO

from coref_tf.documents.corefud_blocks import (
    COLUMNS,
    DEFAULT_FIELDS,
    DEPREL,
    FORM,
    HEAD,
    ID,
    MISC,
    UPOS,
    XPOS,
    Block,
    read_blocks,
)
from coref_tf.documents.corefud_entities import (
    EntityMention,
    entity_labels,
    entity_numbers,
    find_mentions,
    replace_entities,
)
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.format import Format, Reading, Write, Writing, plain, with_predicted_clusters
from coref_tf.documents.rows import SourceLines
from coref_tf.documents.rules import FileMention, FileProblems, compatible_mentions
from coref_tf.documents.running_text import words_and_gaps
from coref_tf.documents.sources import BYTE_ORDER_MARK
from coref_tf.support.errors import CorefError, InputError

_GLOBAL = "# global.Entity = "
_DECLARED = re.compile(rb"#\s*global\.Entity\b")
_NEWDOC = re.compile(rb"#\s*newdoc\b")
_UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X|_")


@dataclasses.dataclass(frozen=True)
class CorefudSource(SourceLines):
    """The lines of a CoNLL-U file that a document was read from.

    Args:
        fields: The fields of an entity bracket, in order.
        values: The field values of each mention, by span.
    """

    fields: tuple[str, ...]
    values: Mapping[tuple[int, int], tuple[str, ...]]


def read_corefud(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of a file, with one in memory at a time."""
    problems = FileProblems()
    for block in read_blocks(path, reading.report):
        document = _document(block, reading, problems)
        if document is not None:
            yield document
    if rest := problems.left_out():
        reading.report(InputError(path, rest.mention.line, rest.message), rest.fatal)


def _document(block: Block, reading: Reading, problems: FileProblems) -> Document | None:
    """Returns the document of a block, or None if a fatal problem was reported."""
    broken = []

    def problem(line: int, message: str, fatal: bool = True) -> None:
        broken.append(fatal)
        reading.report(InputError(block.path, line, message), fatal)

    if not block.rows and not reading.allow_empty:
        problem(block.line, f"document {block.doc_key} is empty; expected at least one word")
    found = find_mentions(block.rows, block.fields, problem)
    spans = [(mention, mention.span(_head(mention, block.fields))) for mention in found]
    mentions, repeated = _mentions(spans)
    for mention in repeated:
        message = (
            f"mention ({mention.start}, {mention.end}) occurs twice in entity {mention.cluster}; kept once"
        )
        problem(mention.line, message, False)
    sentences = [[row.columns[FORM] for row in sentence.rows] for sentence in block.filled]
    for one in problems.check(mentions, sentences):
        problem(one.mention.line, one.message, one.fatal)
    if any(broken):
        return None
    clusters: dict[Hashable, list[tuple[int, int]]] = {}
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
    """Returns the index of the head word in a mention, from 1, or None if the bracket does not specify it."""
    values = dict(zip(names, mention.fields, strict=False))
    head = values.get("head", "")
    return int(head) if head.isascii() and head.isdecimal() and len(head) < 10 else None


def _mentions(
    spans: Sequence[tuple[EntityMention, tuple[int, int]]],
) -> tuple[list[FileMention], list[FileMention]]:
    """Returns the mentions of the document, and those that repeat a mention of their entity.

    Of a discontinuous mention, only the part with the head is returned, unless it repeats or crosses another mention.
    """
    whole: dict[tuple[int, int, str], FileMention] = {}
    repeated, parts = [], []
    for entity_mention, (start, end) in spans:
        mention = FileMention(start, end, entity_mention.entity, entity_mention.line)
        if len(entity_mention.parts) > 1:
            parts.append(mention)
        elif whole.setdefault((start, end, entity_mention.entity), mention) is not mention:
            repeated.append(mention)
    firm = list(whole.values())
    mentions = firm + compatible_mentions(firm, parts)
    return sorted(mentions, key=lambda mention: (mention.start, -mention.end)), repeated


def _source(
    block: Block, document: Document, spans: Sequence[tuple[EntityMention, tuple[int, int]]]
) -> CorefudSource:
    values: dict[tuple[int, int], tuple[str, ...]] = {}
    for mention, span in spans:
        if len(mention.parts) == 1:
            values.setdefault(span, mention.fields)
    word_lines = tuple(row.line - block.line for row in block.rows)
    layers = {name: getattr(document, name) for name in ("doc_key", "sentences", "speakers", "pos")}
    return CorefudSource(tuple(block.lines), word_lines, document.clusters, layers, block.fields, values)


class CorefudWriter:
    """Writes documents one after another to a file opened in binary mode.

    Args:
        file: The file to write to; existing content is kept.
        after: The last bytes of the existing content; empty at the start of a file.
    """

    def __init__(self, file: IO[bytes], after: bytes = b""):
        self.file = file
        self.empty, self.line_ended, self.sentence_ended = not after, True, True
        self.fields: tuple[str, ...] | None = None  # from the latest `# global.Entity`
        self.last_entity = _last_entity(_written_lines(file)) if after else 0
        self.numbered = self.last_entity  # the highest entity number that this writer may have used

    def __call__(self, document: Document) -> None:
        """Writes one document."""
        source = document.source
        if not isinstance(source, CorefudSource) or not source.fits(document):
            lines, fields = list(_new_lines(document, self._next_entity(document))), DEFAULT_FIELDS
        elif source.clusters == document.clusters and not self._collides(source.lines):
            lines, fields = list(source.lines), source.fields
            self.last_entity = max(self.last_entity, _last_entity(lines))
        else:
            lines = list(_relabelled_lines(document, source, self._next_entity(document)))
            fields = source.fields
        self._write(self._declared(lines, fields))

    def _next_entity(self, document: Document) -> int:
        """Returns the number of the first entity of a document; documents in a file share no entities."""
        first = self.last_entity + 1
        self.last_entity = self.numbered = self.last_entity + len(document.clusters)
        return first

    def _collides(self, lines: Sequence[bytes]) -> bool:
        """Returns whether entity names in the lines may collide with names that this writer has already used."""
        return any(number <= self.numbered for number in entity_numbers(lines))

    def _declared(self, lines: list[bytes], fields: tuple[str, ...]) -> list[bytes]:
        """Returns the lines, with a declaration of the bracket fields unless they or earlier lines contain it."""
        declared = any(_DECLARED.match(line.removeprefix(BYTE_ORDER_MARK)) for line in lines)
        known = fields == (self.fields or DEFAULT_FIELDS) and (self.fields is not None or self.empty)
        self.fields = fields
        if declared or known:
            return lines
        place = 1 if lines and _NEWDOC.match(lines[0].removeprefix(BYTE_ORDER_MARK)) else 0
        return [*lines[:place], f"{_GLOBAL}{'-'.join(fields)}\n".encode(), *lines[place:]]

    def _write(self, lines: list[bytes]) -> None:
        content = b"".join(lines)
        if not self.empty:  # a byte order mark from another file belongs only at the start of a file
            content = content.removeprefix(BYTE_ORDER_MARK)
        if not content:
            return
        missing = b"" if self.sentence_ended else (b"\n" if self.line_ended else b"\n\n")
        self.file.write(missing + content)
        self.empty, self.line_ended = False, content.endswith(b"\n")
        self.sentence_ended = content.endswith((b"\n\n", b"\n\r\n"))


def _written_lines(file: IO[bytes]) -> list[bytes]:
    """Returns the existing lines of a file that is appended to."""
    file.seek(0)
    lines = file.readlines()
    file.seek(0, os.SEEK_END)
    return lines


def _last_entity(lines: Iterable[bytes]) -> int:
    return max(entity_numbers(lines), default=0)


def _relabelled_lines(document: Document, source: CorefudSource, first_entity: int) -> Iterator[bytes]:
    rows = [source.lines[row].decode().removeprefix("\ufeff").split("\t") for row in source.word_lines]
    labels = entity_labels(document, first_entity, source.fields, source.values, _heads(document, rows))
    by_line = dict(zip(source.word_lines, labels, strict=True))
    for number, line in enumerate(source.lines):
        if number not in by_line:
            yield line
            continue
        text = line.decode()
        body = text.rstrip("\r\n")
        *columns, misc = body.split("\t")
        yield ("\t".join([*columns, replace_entities(misc, by_line[number])]) + text[len(body) :]).encode()


def _heads(document: Document, rows: Sequence[Sequence[str]]) -> list[int]:
    """Returns the index of the word that each word depends on; -1 for a root, or if the file does not specify it."""
    heads, first = [], 0
    for sentence in document.sentences:
        here = rows[first : first + len(sentence)]
        places = {columns[ID]: first + n for n, columns in enumerate(here)}
        heads += [
            places.get(columns[HEAD], first + n if "." in columns[ID] else -1)
            for n, columns in enumerate(here)
        ]
        first += len(sentence)
    return heads


def _new_lines(document: Document, first_entity: int) -> Iterator[bytes]:
    """Yields the lines of a document from another format.

    Each word depends on the next one, so that the head of every mention is its last word, as in its bracket.
    """
    words, gaps = words_and_gaps(document)
    labels, place = entity_labels(document, first_entity), 0
    name = "_".join(document.key.replace("/", "_").split())  # a slash would begin a zone
    tags = document.pos or [["_"] * len(sentence) for sentence in document.sentences]
    yield f"# newdoc id = {document.key}\n{_GLOBAL}{'-'.join(DEFAULT_FIELDS)}\n".encode()
    filled = [rows for rows in zip(document.sentences, tags, document.speakers, strict=True) if rows[0]]
    for number, (sentence, sentence_tags, speakers) in enumerate(filled, start=1):
        behind = place + len(sentence)
        text = "".join(g + w for g, w in zip(gaps[place:behind], words[place:behind], strict=True))
        yield f"# sent_id = {name}-{number}\n# text = {' '.join(text.split())}\n".encode()
        if speakers[0] != NO_SPEAKER:
            yield f"# speaker = {' '.join(speakers[0].split())}\n".encode()
        for index, (word, tag) in enumerate(zip(sentence, sentence_tags, strict=True)):
            misc = [f"Entity={labels[place]}"] if labels[place] else []
            glued = index + 1 < len(sentence) and not gaps[place + 1]
            columns = [str(index + 1), _checked(word, document)] + ["_"] * (COLUMNS - 2)
            last = index + 1 == len(sentence)
            columns[HEAD], columns[DEPREL] = ("0", "root") if last else (str(index + 2), "dep")
            columns[UPOS if _UPOS.fullmatch(tag) else XPOS] = _checked(tag, document)
            columns[MISC] = "|".join([*misc, *(["SpaceAfter=No"] if glued else [])]) or "_"
            yield ("\t".join(columns) + "\n").encode()
            place += 1
        yield b"\n"


def _checked(value: str, document: Document) -> str:
    if not value or set(value) & set("\t\n\r") or value != value.strip():
        raise CorefError(
            f"document {document.key}: {value!r} cannot be written to a CoNLL-U column; expected no tabs or line"
            " breaks, and no leading or trailing blanks, or write jsonlines"
        )
    return value


def _corefud_writer(file: IO[bytes], writing: Writing) -> Write:
    return with_predicted_clusters(CorefudWriter(file, writing.after))


FORMAT = Format(
    "conllu", (".conllu",), "CorefUD's CoNLL-U", read=read_corefud, open=plain(_corefud_writer), appends=True
)
