"""The human-readable format of the sample corpus.

Each line contains one sentence as plain text, and a blank line separates paragraphs. `[ana|the old [town|town's]
mayor]` is a mention of the entity `ana` that contains one of `town`. A line that starts with `@Name: ` begins a turn of
that speaker, which lasts until the next such line. A line `---` separates the documents of a file.
"""

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NoReturn

from coref_tf.documents.brackets import BracketedMention, BracketError, strip_brackets
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.rules import FileMention, mention_problems
from coref_tf.documents.sources import decode_line, refuse
from coref_tf.documents.tokenizer import ENGLISH, Token, tokenize_sentence
from coref_tf.support.errors import InputError

SEPARATOR = "---"
_TURN = re.compile(r"@([^:@\[\]|]+): +")


def read_inline(path: str | os.PathLike, doc_key: str, language: str = ENGLISH) -> Document:
    """Reads a file with one document; raises an InputError with the line number of an error.

    Example:
        read_inline("data/sample/train/nw/harbour.txt", "nw/harbour")
    """
    documents = list(read_inline_file(path, doc_key, language))
    if len(documents) > 1:
        raise InputError(path, 1, f"{len(documents)} documents; expected one, without {SEPARATOR} lines")
    return documents[0]


def read_inline_file(path: str | os.PathLike, doc_key: str, language: str = ENGLISH) -> Iterator[Document]:
    """Reads the documents of a file; if there are several, a number is added to the key of each.

    Example:
        [document.doc_key for document in read_inline_file("data/short/open/names.txt", "open/names")]
        # ["open/names_1", "open/names_2", ...]
    """
    readers = [_InlineReader(path, language)]
    with open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            line = (decode_line(raw, path, number, refuse) or "").rstrip()
            if line == SEPARATOR:
                readers.append(_InlineReader(path, language, first_line=number + 1))
            else:
                readers[-1].take(number, line)
    for number, reader in enumerate(readers, start=1):
        yield reader.document(doc_key if len(readers) == 1 else f"{doc_key}_{number}")


def read_inline_folder(folder: str | os.PathLike, language: str = ENGLISH) -> Iterator[Document]:
    """Reads every GENRE/NAME.txt in a folder, ordered by key."""
    for path in sorted(Path(folder).glob("*/*.txt")):
        yield from read_inline_file(path, f"{path.parent.name}/{path.stem}", language)


class _InlineReader:
    """Parses a document line by line."""

    def __init__(self, path: str | os.PathLike, language: str, first_line: int = 1):
        self.path, self.language, self.first_line = path, language, first_line
        self.number = 0
        self.speaker = NO_SPEAKER
        self.lines: list[str] = []  # without brackets
        self.length = 0  # the total length of the lines
        self.sentences: list[list[str]] = []
        self.speakers: list[list[str]] = []
        self.offsets: list[tuple[int, int]] = []
        self.mentions: list[FileMention] = []

    def take(self, number: int, line: str) -> None:
        self.number = number
        if line.startswith("@"):
            turn = _TURN.match(line)
            if not turn:
                self._fail("the line starts with '@' but does not begin a turn; expected '@Name: words'")
            self.speaker, line = turn[1], line[turn.end() :]
        try:
            text, marked = strip_brackets(line)
        except BracketError as error:
            self._fail(str(error))
        tokens = tokenize_sentence(text, 0, len(text), self.language)
        if tokens:
            self._place(text, marked, tokens)
            self.sentences.append([text[first:last] for first, last in tokens])
            self.speakers.append([self.speaker] * len(tokens))
            self.offsets += [(self.length + first, self.length + last) for first, last in tokens]
        self.lines.append(text + "\n")
        self.length += len(text) + 1

    def document(self, doc_key: str) -> Document:
        if not self.sentences:
            raise InputError(
                self.path, self.first_line, "the document is empty; expected at least one sentence"
            )
        for problem in mention_problems(self.mentions, self.sentences):
            raise InputError(self.path, problem.mention.line, problem.message)
        sizes = Counter(mention.cluster for mention in self.mentions)
        clusters: dict[Hashable, list[tuple[int, int]]] = {}
        for mention in sorted(self.mentions, key=lambda mention: (mention.start, -mention.end)):
            if sizes[mention.cluster] == 1:
                message = (
                    f"{mention.cluster!r} is mentioned once; expected at least two mentions, or no brackets"
                )
                raise InputError(self.path, mention.line, message)
            clusters.setdefault(mention.cluster, []).append((mention.start, mention.end))
        return Document(
            doc_key,
            self.sentences,
            self.speakers,
            [sorted(cluster) for cluster in clusters.values()],
            text="".join(self.lines),
            offsets=self.offsets,
        )

    def _fail(self, message: str) -> NoReturn:
        raise InputError(self.path, self.number, message)

    def _place(self, text: str, marked: list[BracketedMention], tokens: list[Token]) -> None:
        """Finds the words of the mentions in a sentence with the given tokens."""
        first_word = len(self.offsets)
        begins = {token.begin: first_word + index for index, token in enumerate(tokens)}
        ends = {token.end: first_word + index for index, token in enumerate(tokens)}
        for entity, begin, end in marked:
            if begin not in begins or end not in ends:
                words = " ".join(text[first:last] for first, last in tokens if last > begin and first < end)
                expected = f"expected it to consist of whole words from {words!r}"
                self._fail(f"mention {text[begin:end]!r} of {entity!r} cuts through a word; {expected}")
            self.mentions.append(FileMention(begins[begin], ends[end], entity, self.number))
