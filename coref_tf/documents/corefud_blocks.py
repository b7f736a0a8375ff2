"""The lower level of CoNLL-U: sentences of comments and rows, grouped from one `# newdoc` to the next."""

import dataclasses
import os
import re
from collections.abc import Iterator

from coref_tf.documents.document import NO_SPEAKER
from coref_tf.documents.rows import Row
from coref_tf.documents.sources import Report, decode_line, document_name, open_source
from coref_tf.support.errors import InputError

COLUMNS = 10
ID, FORM, UPOS, XPOS, HEAD, DEPREL, MISC = 0, 1, 3, 4, 6, 7, 9
DEFAULT_FIELDS: tuple[str, ...] = ("eid", "etype", "head", "other")  # if a file does not declare any

_NODE = re.compile(r"[0-9]+(?:\.[0-9]+)?")  # a word, or an empty node such as 5.1
_RANGE = re.compile(r"[0-9]+-[0-9]+")  # a multiword token
_KNOWN_COMMENTS = ("newdoc", "global.Entity", "speaker")
_MOST_FIELDS = 100  # of an entity bracket; corpora have up to 10


@dataclasses.dataclass
class Sentence:
    """The lines of a sentence and the blank lines after it, parsed into rows and comments."""

    lines: list[bytes] = dataclasses.field(default_factory=list)
    rows: list[Row] = dataclasses.field(default_factory=list)
    comments: dict[str, str] = dataclasses.field(default_factory=dict)
    first_line: int = 0


@dataclasses.dataclass
class Block:
    """One unchecked document of a file; `fields` are the fields of an entity bracket, in order."""

    path: str | os.PathLike
    doc_key: str
    fields: tuple[str, ...]
    sentences: list[Sentence] = dataclasses.field(default_factory=list)

    @property
    def line(self) -> int:
        """The first line."""
        return self.sentences[0].first_line if self.sentences else 1

    @property
    def lines(self) -> list[bytes]:
        """All lines, as bytes."""
        return [line for sentence in self.sentences for line in sentence.lines]

    @property
    def filled(self) -> list[Sentence]:
        """The sentences that have words."""
        return [sentence for sentence in self.sentences if sentence.rows]

    @property
    def rows(self) -> list[Row]:
        """The rows of all sentences; spans of mentions index them."""
        return [row for sentence in self.sentences for row in sentence.rows]

    def speakers(self) -> list[list[str]]:
        """Returns the speaker of each word, nested like the sentences."""
        return [[s.comments.get("speaker") or NO_SPEAKER] * len(s.rows) for s in self.filled]


def read_blocks(path: str | os.PathLike, report: Report) -> Iterator[Block]:
    """Streams the documents of a CoNLL-U file. Without `# newdoc`, the file is one document with the file's name."""
    fields = DEFAULT_FIELDS
    block: Block | None = None
    for sentence in _sentences(path, report):
        declared = sentence.comments.get("global.Entity")
        fields = tuple(declared.split("-")) if declared else fields
        if len(fields) > _MOST_FIELDS:
            message = f"global.Entity has {len(fields):,} fields; expected at most {_MOST_FIELDS}"
            report(InputError(path, sentence.first_line, message), True)
            fields = DEFAULT_FIELDS
        named = sentence.comments.get("newdoc")
        if block is None or (named is not None and block.sentences):
            if block is not None:
                yield block
            block = Block(path, named or document_name(path), fields)
        block.sentences.append(sentence)
        block.fields = fields
    if block is None:
        report(InputError(path, 1, "the file contains no document; expected rows of CoNLL-U"), True)
    else:
        yield block


def _sentences(path: str | os.PathLike, report: Report) -> Iterator[Sentence]:
    """Yields the sentences of a file, each with the blank lines after it."""
    with open_source(path) as file:
        sentence, ended = Sentence(first_line=1), False
        for number, raw in enumerate(file, start=1):
            text = decode_line(raw, path, number, report)
            blank = text is not None and not text.strip()
            if ended and not blank:
                yield sentence
                sentence, ended = Sentence(first_line=number), False
            sentence.lines.append(raw)
            ended = blank
            if text is not None and not blank:
                _take(sentence, number, text.rstrip("\r\n"), path, report)
        if sentence.lines:
            yield sentence


def _take_comment(sentence: Sentence, text: str) -> None:
    """Parses a comment such as `# newdoc id = x` or `# speaker = Ana`; ignores others."""
    name, _, value = text[1:].partition("=")
    words = name.split(maxsplit=2)
    if words and words[0] in _KNOWN_COMMENTS and words[1:] in ([], ["id"]):
        sentence.comments[words[0]] = value.strip()


def _take(sentence: Sentence, number: int, text: str, path: str | os.PathLike, report: Report) -> None:
    """Parses a nonblank line of a sentence."""
    if text.startswith("#"):
        _take_comment(sentence, text)
        return
    count = text.count("\t") + 1
    columns = text.split("\t", COLUMNS)
    if count != COLUMNS:
        message = f"{count:,} columns; expected the 10 tab-separated columns of CoNLL-U"
        report(InputError(path, number, message), True)
    elif _NODE.fullmatch(columns[ID]) and columns[FORM]:
        sentence.rows.append(Row(number, columns))
    elif not _RANGE.fullmatch(columns[ID]):
        shown = f"{columns[ID]!r}, {columns[FORM]!r}"
        message = f"the row starts with {shown}; expected a number such as 3, 3-4 or 3.1, and a word"
        report(InputError(path, number, message), True)
