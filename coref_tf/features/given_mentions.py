"""The spans that a model keeps where it doesn't choose them itself: the paper's table 3, or a file of the user's."""

import bisect
import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from coref_tf.config import Experiment
from coref_tf.documents.document import Document
from coref_tf.documents.rules import FileMention, mention_problems
from coref_tf.documents.sources import decode_line, open_source, refuse
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.json_text import parse_json
from coref_tf.syntax.mention_detector import detect_mentions

GIVEN = "given"  # how an experiment's mentions are called where a user gives them; no setting of the file
_EXPECTED = '{"doc_key": "nw/harbour_0", "mentions": [[0, 0], [3, 4]]}'
KINDS = ("mentions", "characters")


def with_given_mentions(experiment: Experiment) -> Experiment:
    """The same settings for mentions that the user gives, whatever the model was trained with."""
    # The settings' type lists what the experiments file may say, which doesn't include GIVEN.
    return dataclasses.replace(experiment, mentions=cast(Any, GIVEN))


def given_mentions(document: Document, mentions: str) -> list[tuple[int, int]]:
    """The given spans of a document, ordered by (start, end).

    Args:
        document: the document.
        mentions: "learned" gives none; "rules" what the rule-based detector finds, for which the document needs
            parses; "oracle" the mentions of its gold clusters.

    Example:
        given_mentions(document, "oracle")     # [(0, 0), (2, 2)]
    """
    if mentions == "rules":
        try:
            return detect_mentions(document)
        except CorefError as error:
            raise CorefError(f"mentions = rules: {error}") from None
    if mentions == "oracle":
        return sorted({span for cluster in document.clusters for span in cluster})
    return []


def require_mentions(documents: Iterable[Document], mentions: str) -> Iterator[Document]:
    """Passes documents on; one that is to be resolved from its gold mentions and has none is an error."""
    for document in documents:
        if mentions == "oracle" and not document.clusters:
            raise CorefError(
                f"document {document.key} has no gold clusters, and mentions = oracle takes the mentions from them;"
                " expected documents with clusters, or an experiment with mentions = learned"
            )
        yield document


class _Record(NamedTuple):
    """What a line says."""

    line: int
    mentions: list[tuple[int, int]]  # inclusive, of words
    characters: list[tuple[int, int]]  # [begin, end) of the text


class MentionFile:
    """The mentions of documents, by their keys.

    A file has a JSON object a line, with a document's `doc_key` and its `mentions`, each [first word, last word],
    counted from 0 over the document; or `characters`, each [begin, end) of its text; or both.

    Example:
        MentionFile.read("mentions.jsonlines").mentions_in(document)     # [(0, 0), (3, 4)]
    """

    def __init__(self, path: str | os.PathLike, records: dict[str, _Record]):
        self.path = path
        self._records = records
        self._unused = set(records)

    @classmethod
    def read(cls, path: str | os.PathLike) -> "MentionFile":
        """Reads a file; what is wrong with it is a line that says where."""
        records: dict[str, _Record] = {}
        with open_source(path) as file:
            for number, raw in enumerate(file, start=1):
                line = decode_line(raw, path, number, refuse)
                if not (line and line.strip()):
                    continue
                try:
                    key, record = _parse(line, number)
                    if key in records:
                        raise CorefError(f"document {key} has mentions in line {records[key].line} already")
                except CorefError as error:
                    raise InputError(path, number, str(error)) from None
                records[key] = record
        if not records:
            raise InputError(path, 1, f"the file holds no mentions; expected lines such as {_EXPECTED}")
        return cls(path, records)

    def mentions_in(self, document: Document) -> list[tuple[int, int]]:
        """The mentions of a document, ordered by (start, end); one that isn't in it is an error, and so is no line."""
        key = next((key for key in (document.key, document.doc_key) if key in self._records), None)
        if key is None:
            raise CorefError(
                f"{self.path}: has no line for document {document.key}; expected one, with [] where it has no mentions"
            )
        self._unused.discard(key)
        line, mentions, characters = self._records[key]
        try:
            spans = {*mentions, *(_words(document, begin, end) for begin, end in characters)}
        except CorefError as error:
            raise InputError(self.path, line, str(error)) from None
        given = [FileMention(*span, cluster=0) for span in sorted(spans)]
        for problem in mention_problems(given, document.sentences):
            if problem.fatal:
                raise InputError(self.path, line, f"document {document.key}: {problem.message}")
        return sorted(spans)

    def checked(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Passes documents on whose mentions are right, so that what isn't is told before a model is loaded."""
        for document in documents:
            self.mentions_in(document)
            yield document

    def unused(self) -> str | None:
        """What to say of lines whose documents never came; None where all have."""
        if not self._unused:
            return None
        some = ", ".join(sorted(self._unused)[:3])
        more = f" and {len(self._unused) - 3:,} more" if len(self._unused) > 3 else ""
        return f"{self.path}: no document had the mentions of {some}{more}"


def _parse(line: str, number: int) -> tuple[str, _Record]:
    try:
        record = parse_json(line)
    except ValueError as error:
        raise CorefError(f"not JSON: {error}") from None
    if not isinstance(record, dict) or not isinstance(record.get("doc_key"), str):
        raise CorefError(f"has no doc_key; expected an object such as {_EXPECTED}")
    if not any(kind in record for kind in KINDS):
        raise CorefError(f"has neither mentions nor characters; expected an object such as {_EXPECTED}")
    return record["doc_key"], _Record(number, *(_pairs(record.get(kind, []), kind) for kind in KINDS))


def _pairs(value: Any, kind: str) -> list[tuple[int, int]]:
    pairs = value if isinstance(value, list) else [value]
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(number) is int for number in pair):
            raise CorefError(f"{kind} has {pair!r:.40}; expected lists of two whole numbers, such as [3, 4]")
    return [(first, second) for first, second in pairs]


def _words(document: Document, begin: int, end: int) -> tuple[int, int]:
    """Returns the words that some characters are, whitespace at either end aside."""
    if document.offsets is None or document.text is None:
        raise CorefError(
            f"document {document.key} has no text to count characters of; expected mentions, of words"
        )
    start = bisect.bisect_right(document.offsets, begin, key=lambda offset: offset[1])
    last = bisect.bisect_left(document.offsets, end, key=lambda offset: offset[0]) - 1
    if not 0 <= begin < end <= len(document.text) or start > last:
        raise CorefError(
            f"document {document.key}: characters {begin} to {end}; expected some of its {len(document.text):,}, a word"
            " among them"
        )
    first, behind = document.offsets[start][0], document.offsets[last][1]
    if (begin, end) != (first, behind):
        marked, words = document.text[begin:end], document.text[first:behind]
        if marked.strip() != words:
            raise CorefError(
                f"document {document.key}: characters {begin} to {end}, {marked[:40]!r}, cut through a word; expected"
                f" {first} to {behind}, {words[:40]!r}"
            )
    return start, last
