"""Given mentions: spans that the model does not choose itself, as in table 3 of the paper or from a user's file."""

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

GIVEN = "given"  # the value of `mentions` if a user provides them; not valid in experiments.conf
_EXPECTED = '{"doc_key": "nw/harbour_0", "mentions": [[0, 0], [3, 4]]}'
KINDS = ("mentions", "characters")


def with_given_mentions(experiment: Experiment) -> Experiment:
    """Returns the settings for mentions that the user provides, regardless of how the model was trained."""
    # The type of the setting lists the values that the experiments file allows, which do not include GIVEN.
    return dataclasses.replace(experiment, mentions=cast(Any, GIVEN))


def given_mentions(document: Document, mentions: str) -> list[tuple[int, int]]:
    """Returns the given spans of a document, ordered by (start, end).

    Args:
        document: the document.
        mentions: "learned" returns none; "rules" those of the rule-based detector, which requires parse trees;
            "oracle" the mentions of the gold clusters.

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
    """Yields the documents; raises an error if gold mentions are required and a document has none."""
    for document in documents:
        if mentions == "oracle" and not document.clusters:
            raise CorefError(
                f"document {document.key} has no gold clusters, which mentions = oracle requires;"
                " expected documents with clusters, or an experiment with mentions = learned"
            )
        yield document


class _Record(NamedTuple):
    """The content of a line."""

    line: int
    mentions: list[tuple[int, int]]  # inclusive spans of word indices
    characters: list[tuple[int, int]]  # [begin, end) offsets into the text


class MentionFile:
    """Mentions of documents, by document key.

    A file has one JSON object per line, with the `doc_key` of a document and its `mentions`, each [first word, last
    word], counted from 0 over the document; or `characters`, each [begin, end) of its text; or both.

    Example:
        MentionFile.read("mentions.jsonlines").mentions_in(document)     # [(0, 0), (3, 4)]
    """

    def __init__(self, path: str | os.PathLike, records: dict[str, _Record]):
        self.path = path
        self._records = records
        self._unused = set(records)

    @classmethod
    def read(cls, path: str | os.PathLike) -> "MentionFile":
        """Reads a file; raises an error with the line number if it is invalid."""
        records: dict[str, _Record] = {}
        with open_source(path) as file:
            for number, raw in enumerate(file, start=1):
                line = decode_line(raw, path, number, refuse)
                if not (line and line.strip()):
                    continue
                try:
                    key, record = _parse(line, number)
                    if key in records:
                        raise CorefError(f"document {key} already has mentions in line {records[key].line}")
                except CorefError as error:
                    raise InputError(path, number, str(error)) from None
                records[key] = record
        if not records:
            raise InputError(path, 1, f"the file contains no mentions; expected lines such as {_EXPECTED}")
        return cls(path, records)

    def mentions_in(self, document: Document) -> list[tuple[int, int]]:
        """Returns the mentions of a document by (start, end); raises an error if its line is missing or invalid."""
        key = next((key for key in (document.key, document.doc_key) if key in self._records), None)
        if key is None:
            raise CorefError(
                f"{self.path}: has no line for document {document.key}; expected one, with [] if it has no mentions"
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
        """Yields the documents after checking their mentions, so that errors are reported before a model is loaded."""
        for document in documents:
            self.mentions_in(document)
            yield document

    def unused(self) -> str | None:
        """Returns a warning about lines without a document, or None if there are none."""
        if not self._unused:
            return None
        some = ", ".join(sorted(self._unused)[:3])
        more = f" and {len(self._unused) - 3:,} more" if len(self._unused) > 3 else ""
        return f"{self.path}: no input document for the mentions of {some}{more}"


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
            raise CorefError(f"{kind} has {pair!r:.40}; expected pairs of integers, such as [3, 4]")
    return [(first, second) for first, second in pairs]


def _words(document: Document, begin: int, end: int) -> tuple[int, int]:
    """Returns the words at the given characters, ignoring leading and trailing whitespace."""
    if document.offsets is None or document.text is None:
        raise CorefError(
            f"document {document.key} has no text, so characters cannot be located; expected mentions as word indices"
        )
    start = bisect.bisect_right(document.offsets, begin, key=lambda offset: offset[1])
    last = bisect.bisect_left(document.offsets, end, key=lambda offset: offset[0]) - 1
    if not 0 <= begin < end <= len(document.text) or start > last:
        raise CorefError(
            f"document {document.key}: characters {begin} to {end}; expected a range within its {len(document.text):,}"
            " characters that contains a word"
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
