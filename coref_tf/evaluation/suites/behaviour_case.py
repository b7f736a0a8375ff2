"""The cases of the behaviour suite: short texts in which brackets mark mentions that must or must not corefer.

A file holds the cases of one kind and is named after it; the lines before the first case describe the kind.

    == MFT
    [1|Tom] met [2|Mary]. [2|She] likes [1|him].

    == DIR call
    @Ana: Is [1|Ben] there?
    @Cem: [0|It] is late, but [3|I] can ask [1|him].

A case begins with `== TYPE`, where the type is one of CheckList's (Ribeiro et al. 2020); for INV and DIR, the name of
a group of related cases follows. `[1|words]` is a mention of entity 1; `[1?|words]` is an optional one; `[0|words]`
refers to nothing and must not be linked. A line that begins with `@Name: ` starts a turn of that speaker.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from coref_tf.documents.brackets import ENTITY, BracketedMention, BracketError, strip_brackets
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.rules import FileMention, mention_problems
from coref_tf.documents.sources import decode_line, refuse
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError, InputError

FUNCTIONALITY, INVARIANCE, DIRECTION = TYPES = ("MFT", "INV", "DIR")
NOTHING = "0"  # the entity of mentions that refer to nothing
_OPTIONAL = "?"
_HEADER = re.compile(r"== (?P<type>[A-Z]+)(?: (?P<group>[\w-]+))?")
_TURN = re.compile(r"@([^:@\[\]|]+): ")


class MarkedMention(NamedTuple):
    """A mention of a case, as an inclusive span of words."""

    entity: str
    span: tuple[int, int]
    required: bool = True  # whether a model must find it


class BehaviourCase(NamedTuple):
    """One text and its entities."""

    kind: str  # the name of its file
    line: int  # the line of the file where it begins
    type: str  # one of TYPES
    group: str | None  # the name of its group of related cases
    document: Document
    mentions: Sequence[MarkedMention]  # in the order of the text

    @property
    def id(self) -> str:
        """The identifier of the case: its kind and line."""
        return f"{self.kind}:{self.line}"


def read_behaviour(path: str | os.PathLike) -> list[BehaviourCase]:
    """Reads the cases of a file, or of all .txt files of a folder in the order of their names.

    Example:
        read_behaviour("data/behaviour/dev")[0].mentions
    """
    if not Path(path).is_dir():
        return _read_file(Path(path))
    files = sorted(Path(path).glob("*.txt"))
    if not files:
        raise CorefError(f"{path}: has no .txt files; expected a folder of files such as gender-names.txt")
    return [case for file in files for case in _read_file(file)]


def _read_file(path: Path) -> list[BehaviourCase]:
    with open(path, "rb") as file:
        lines = [
            str(decode_line(raw, path, number, refuse)).rstrip() for number, raw in enumerate(file, start=1)
        ]
    headers = [number for number, line in enumerate(lines, start=1) if line.startswith("==")]
    if not headers:
        raise InputError(path, 1, "has no cases; expected a line such as '== MFT' before each case")
    if not any(lines[: headers[0] - 1]):
        raise InputError(path, 1, "has no description; expected a sentence before the first case")
    ends = [*headers[1:], len(lines) + 1]
    cases = [
        _read_case(path, number, lines[number - 1 : end - 1])
        for number, end in zip(headers, ends, strict=True)
    ]
    _check_groups(path, cases)
    return cases


def _read_case(path: Path, number: int, lines: Sequence[str]) -> BehaviourCase:
    """Reads the case whose header is the first of the lines, which is line `number` of the file."""
    header = _HEADER.fullmatch(lines[0])
    if not header or header["type"] not in TYPES:
        raise InputError(
            path, number, f"invalid header {lines[0]!r}; expected '== ' and one of {', '.join(TYPES)}"
        )
    if (header["type"] == FUNCTIONALITY) == bool(header["group"]):
        message = f"invalid header {lines[0]!r}; expected a group name after INV and DIR, and none after MFT"
        raise InputError(path, number, message)
    text = _CaseText(path)
    for offset, line in enumerate(lines[1:], start=1):
        text.add_line(number + offset, line)
    document = text.document(f"{path.stem}:{number}", number)
    mentions = list(text.place(document))
    if not _asks_something(mentions):
        message = "a model cannot fail this case; mark at least two mentions, or one that refers to nothing"
        raise InputError(path, number, message)
    return BehaviourCase(path.stem, number, header["type"], header["group"], document, mentions)


def _asks_something(mentions: Sequence[MarkedMention]) -> bool:
    """Returns whether a model can fail the case, by missing a link or by adding one."""
    required = Counter(mention.entity for mention in mentions if mention.required)
    entities = {mention.entity for mention in mentions}
    return NOTHING in entities or len(entities) > 1 or any(count > 1 for count in required.values())


class _CaseText:
    """Collects the lines of a case, and maps characters to lines."""

    def __init__(self, path: Path):
        self.path = path
        self.text = ""
        self.speakers: list[str] = []
        self.marked: list[tuple[int, BracketedMention]] = []  # with its line

    def add_line(self, number: int, line: str) -> None:
        """Adds a line without its brackets and, if it starts a turn, without its @."""
        if line.startswith("@"):
            turn = _TURN.match(line)
            if not turn:
                raise InputError(self.path, number, "the line begins with '@'; expected '@Name: words'")
            self.speakers.append(turn[1])
            line = line[1:]
        try:
            bare, marked = strip_brackets(line, rf"{ENTITY}\{_OPTIONAL}?")
        except BracketError as error:
            raise InputError(self.path, number, str(error)) from None
        begin = len(self.text)
        self.marked += [
            (number, BracketedMention(mention.entity, begin + mention.begin, begin + mention.end))
            for mention in marked
        ]
        self.text += bare + "\n"

    def document(self, key: str, number: int) -> Document:
        """Returns the text as a document for the model."""
        document = document_from_text(self.text.rstrip("\n"), key, dialogue=bool(self.speakers))
        if not document.sentences:
            raise InputError(self.path, number, "the case is empty; expected a text below its header")
        heard = {row[0] for row in document.speakers} - {NO_SPEAKER}
        if heard != set(self.speakers):
            message = f"the speakers were read as {sorted(heard)}; expected {sorted(set(self.speakers))}"
            raise InputError(self.path, number, message)
        return document

    def place(self, document: Document) -> Iterator[MarkedMention]:
        """Yields the mentions as spans of the document's words, in order."""
        begins = {begin: word for word, (begin, _) in enumerate(document.offsets or ())}
        ends = {end: word for word, (_, end) in enumerate(document.offsets or ())}
        placed = []
        for number, (entity, begin, end) in self.marked:
            if begin not in begins or end not in ends:
                words = f"mention {self.text[begin:end]!r} of {entity!r} splits a word"
                raise InputError(
                    self.path, number, f"{words}; expected it to begin and end at word boundaries"
                )
            mention = FileMention(begins[begin], ends[end], entity.removesuffix(_OPTIONAL), number)
            placed.append((mention, not entity.endswith(_OPTIONAL)))
        for problem in mention_problems([mention for mention, _ in placed], document.sentences):
            raise InputError(self.path, problem.mention.line, problem.message)
        for mention, required in sorted(placed, key=lambda item: (item[0].start, -item[0].end)):
            yield MarkedMention(str(mention.cluster), (mention.start, mention.end), required)


def _check_groups(path: Path, cases: Sequence[BehaviourCase]) -> None:
    """Rejects groups of one case, groups of two types, and invariance groups whose cases have different entities."""
    groups: dict[str, list[BehaviourCase]] = {}
    for case in cases:
        if case.group:
            groups.setdefault(case.group, []).append(case)
    for name, (first, *others) in groups.items():
        if not others:
            raise InputError(path, first.line, f"the group {name} has one case; expected two or more")
        for other in others:
            if other.type != first.type:
                raise InputError(
                    path, other.line, f"the group {name} is already {first.type} in line {first.line}"
                )
            if first.type == INVARIANCE and [m.entity for m in other.mentions] != [
                m.entity for m in first.mentions
            ]:
                message = f"the group {name} has different mentions in line {first.line}; expected the same entities"
                raise InputError(path, other.line, message)
