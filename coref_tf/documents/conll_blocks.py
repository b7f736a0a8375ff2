"""The lower level of the CoNLL-2012 format: lines, rows of columns, brackets.

A file is a sequence of blocks from `#begin document (KEY); part NNN` to `#end document`. A block has one row per word,
with columns separated by blanks or tabs, and a blank line after each sentence. The last column contains the coreference
brackets: `(3` opens a mention of cluster 3, `3)` closes it, `(3)` does both, and `|` separates several.
"""

import dataclasses
import os
import re
from collections.abc import Iterator

from coref_tf.documents.rows import Row
from coref_tf.documents.rules import FileMention
from coref_tf.documents.sources import BYTE_ORDER_MARK, Report, decode_line, open_source, refuse
from coref_tf.support.errors import InputError

_BEGIN = re.compile(r"#begin document \(([^\r]+)\);?(?:\s*part\s+([0-9]{1,9}))?\s*")
_BRACKET = re.compile(r"(\()?([0-9]+)(\))?")
# The `|` is optional: files of the official scorer contain adjacent brackets without it. A number ends with its last
# digit, so a label can be parsed in only one way and backtracking costs no time.
_ONE_BRACKET = r"(?:\([0-9]+(?![0-9])\)?|[0-9]+\))"
_BRACKETS = re.compile(rf"{_ONE_BRACKET}(?:\|?{_ONE_BRACKET})*")


@dataclasses.dataclass
class Block:
    """One unchecked document of a CoNLL file.

    `lines` contains all its bytes and everything up to the next document (and, for the first one, everything before
    it), so that concatenating the lines of all blocks gives the file. `mentions` contains what the brackets mark, in
    the order in which they open; it may violate the rules. `line` is the line of `#begin document`, `first_line` the
    first of `lines`. `broken` is set if a fatal problem was reported.
    """

    path: str | os.PathLike
    line: int
    doc_key: str
    part: int
    lines: list[bytes]
    first_line: int
    sentences: list[list[Row]] = dataclasses.field(default_factory=list)
    mentions: list[FileMention] = dataclasses.field(default_factory=list)
    broken: bool = False

    @property
    def rows(self) -> list[Row]:
        """The rows of all sentences; spans of mentions index them."""
        return [row for sentence in self.sentences for row in sentence]


def read_blocks(path: str | os.PathLike, report: Report = refuse) -> Iterator[Block]:
    """Streams the blocks of a CoNLL file. Rows need at least two columns, the last of which contains the brackets.

    Violations of the format are reported with their line. If `report` returns, reading continues after them.

    Example:
        for block in read_blocks("dev.english.v4_gold_conll"):
            print(block.doc_key, block.part, len(block.rows), block.mentions)
    """
    with open_source(path) as file:
        reader = _BlockReader(path, report)
        for number, raw in enumerate(file, start=1):
            finished = reader.take(number, raw)
            if finished:
                yield finished
        finished = reader.finish()
        if finished:
            yield finished


class _BlockReader:
    """Parses a file line by line. A block is finished when the next one begins, or at the end of the file."""

    def __init__(self, path: str | os.PathLike, report: Report):
        self.path, self.report = path, report
        self.number = 0
        self.block: Block | None = None  # the latest block, open or ended
        self.open: Block | None = None  # the same block while it is open
        self.pending: list[bytes] = []  # lines before the first block
        self.sentence: list[Row] = []

    def take(self, number: int, raw: bytes) -> Block | None:
        """Parses one line; returns the previous block if the line begins a new one."""
        self.number = number
        line = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
        text = decode_line(line, self.path, number, self.report)
        finished = None
        if line.startswith(b"#begin document"):
            finished = self._begin(text)
        elif text is None:
            self._mark_broken()  # already reported
        elif line.startswith(b"#end document") and not line[len("#end document") :].strip():
            self._end()
        elif not line.strip():
            self._blank()
        elif not line.startswith(b"#"):
            self._row(line)
        elif self.open:
            self._problem(f"{_quote(line)} in a document; expected a row, a blank line or '#end document'")
        (self.block.lines if self.block else self.pending).append(raw)
        return finished

    def finish(self) -> Block | None:
        """Ends the file; returns the last block."""
        if self.open:
            self._problem(
                f"the document that begins in line {self.open.line} does not end; expected '#end document'"
            )
            self._end()
        elif not self.block:
            self._problem("the file contains no document; expected '#begin document (KEY); part 000'", at=1)
        return self.block

    def _problem(self, message: str, at: int | None = None) -> None:
        self._mark_broken()
        self.report(InputError(self.path, at or self.number, message), True)

    def _mark_broken(self) -> None:
        if self.open:
            self.open.broken = True

    def _begin(self, text: str | None) -> Block | None:
        if self.open:
            self._problem(
                f"a document begins inside the one that begins in line {self.open.line}; expected '#end document'"
            )
            self._end()
        match = _BEGIN.fullmatch(text or "")
        if text and not match:
            self._problem(f"{_quote(text)}; expected '#begin document (KEY); part 000'")
        finished = self.block
        doc_key, part = match.groups() if match else ("?", None)
        first_line = self.number - len(self.pending)
        self.block = Block(self.path, self.number, doc_key, int(part or 0), self.pending, first_line)
        self.block.broken = match is None
        self.open = self.block
        self.pending = []
        return finished

    def _end(self) -> None:
        block = self.open
        if block is None:
            self._problem(
                "'#end document' without '#begin document'; expected '#begin document (KEY); part 000'"
            )
            return
        self._end_sentence()
        block.mentions = self._match_brackets(block.rows)
        self.open = None

    def _blank(self) -> None:
        if self.open and not self.sentence:
            self._problem("an empty sentence; expected one blank line after each sentence")
        self._end_sentence()

    def _end_sentence(self) -> None:
        if self.open and self.sentence:
            self.open.sentences.append(self.sentence)
            self.sentence = []

    def _row(self, line: bytes) -> None:
        if not self.open:
            self._problem(f"{_quote(line)} outside a document; expected '#begin document (KEY); part 000'")
            return
        # Words may contain non-ASCII blanks, so only ASCII blanks separate columns.
        columns = [column.decode() for column in line.split()]
        if len(columns) < 2:
            self._problem(
                f"1 column; expected at least a document and a coreference column in {_quote(line)}"
            )
            return
        if self.sentence and len(columns) != len(self.sentence[0].columns):
            self._problem(
                f"{len(columns)} columns; expected {len(self.sentence[0].columns)}, "
                f"as in the first row of the sentence, line {self.sentence[0].line}"
            )
        self.sentence.append(Row(self.number, columns))

    def _match_brackets(self, rows: list[Row]) -> list[FileMention]:
        """Returns the mentions of a block; a closing bracket closes the most recently opened one of its cluster."""
        mentions: list[FileMention] = []
        opened: dict[str, list[int]] = {}
        for index, (line, columns) in enumerate(rows):
            label = columns[-1]
            if label == "-":
                continue
            if not _BRACKETS.fullmatch(label):
                expected = "expected '-' or brackets like '(3', '3)', '(3)' or '(3)|4)'"
                self._problem(f"coreference column {_quote(label)}; {expected}", at=line)
                continue
            for opens, cluster, closes in _BRACKET.findall(label):
                if opens:
                    opened.setdefault(cluster, []).append(len(mentions))
                    mentions.append(FileMention(index, -1, cluster, line))
                if closes and opened.get(cluster):
                    number = opened[cluster].pop()
                    mentions[number] = mentions[number]._replace(end=index)
                elif closes:
                    self._problem(f"'{cluster})' closes nothing; expected '({cluster}' before it", at=line)
        for number in sorted(number for numbers in opened.values() for number in numbers):
            cluster, line = mentions[number].cluster, mentions[number].line
            self._problem(f"'({cluster}' is never closed; expected '{cluster})' after it", at=line)
        return [mention for mention in mentions if mention.end >= 0]


def _quote(line: str | bytes) -> str:
    """Returns a line as quoted in messages, truncated."""
    text = (line if isinstance(line, str) else line.decode()).strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
