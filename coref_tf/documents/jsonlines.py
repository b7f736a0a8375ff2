"""The jsonlines format of earlier systems: one JSON object per line, each of which is a document.

`doc_key` and `sentences` are required; `speakers` and `clusters` are optional, and so are `pos`, `parse` and
`named_entities`, if they are nested like the sentences, and `text` together with `offsets`. All other keys are
preserved.
"""

import dataclasses
import functools
import json
import os
import re
from collections.abc import Iterator
from typing import IO, Any

from coref_tf.documents.document import LAYERS, Document
from coref_tf.documents.format import ClusterPrediction, Format, Reading, Writing, plain
from coref_tf.documents.rules import FileMention, FileProblems
from coref_tf.documents.sources import decode_line, open_source
from coref_tf.documents.text import text_as_document
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.json_text import parse_json

# Earlier systems append the part of a CoNLL document to its key: nw/harbour_0.
_KEY_WITH_PART = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})", re.DOTALL)


def read_jsonlines(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of a jsonlines file. Blank lines are skipped."""
    report = reading.report
    found, problems = False, FileProblems()
    with open_source(path) as file:
        for number, raw in enumerate(file, start=1):
            line = decode_line(raw, path, number, report)
            if line is None or not line.strip():
                continue
            found = True
            try:
                document, clusters = parse_record(line, reading)
            except CorefError as error:
                report(InputError(path, number, str(error)), True)
                continue
            for problem in problems.check(_mentions(clusters, number), document.sentences):
                report(InputError(path, number, problem.message), problem.fatal)
            if not problems.fatal:
                yield document.with_clusters(clusters)
    if rest := problems.left_out():
        report(InputError(path, rest.mention.line, rest.message), rest.fatal)
    if not found:
        report(InputError(path, 1, "the file contains no document; expected one JSON object per line"), True)


def write_jsonlines(
    file: IO[bytes], writing: Writing, document: Document, prediction: ClusterPrediction | None
) -> None:
    """Writes a document as one line, with predictions in separate keys."""
    if prediction:
        gained = prediction.summary() | (prediction.details() if writing.details else {})
        document = dataclasses.replace(document, extra={**document.extra, **gained})
    record = to_record(document)
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:
        among = ", ".join(document.extra)[:60]
        raise CorefError(
            f"document {document.key}: an infinite number or NaN among {among}; expected finite numbers"
        ) from None
    file.write((line + "\n").encode())


def to_record(document: Document) -> dict[str, Any]:
    """Returns the JSON object of a document."""
    record = {
        "doc_key": document.key,
        "sentences": document.sentences,
        "speakers": document.speakers,
        "clusters": document.clusters,
    }
    layers = {name: getattr(document, name) for name in (*LAYERS, "text", "offsets")}
    record |= {name: layer for name, layer in layers.items() if layer is not None}
    for name in LAYERS:
        if name not in record and _is_nested(document.extra.get(name)):
            raise CorefError(
                f"document {document.key}: {name} in extra would be read as annotations of its words"
            )
    return record | {name: value for name, value in document.extra.items() if name not in record}


def parse_record(line: str, reading: Reading) -> tuple[Document, list[list[list[int]]]]:
    """Returns the document of a line without its clusters, and the unchecked clusters."""
    record = _load(line)
    key = record.pop("doc_key", None)
    if not isinstance(key, str):
        raise CorefError(f'doc_key is {_quote(key)}; expected a string such as "nw/harbour_0"')
    named = _KEY_WITH_PART.fullmatch(key)
    doc_key, part = (named[1], int(named[2])) if named else (key, 0)
    if "sentences" not in record and isinstance(record.get("text"), str):
        return _from_text(record, key, reading), []
    sentences = _strings(record, "sentences")
    if sentences is None:
        raise CorefError("sentences are missing; expected a list of lists of words, or a text")
    if not reading.allow_empty and not sentences:
        raise CorefError(f"document {key} is empty; expected at least one sentence")
    if not reading.allow_empty and [] in sentences:
        raise CorefError(f"sentence {sentences.index([])} is empty; expected at least one word")
    speakers = _strings(record, "speakers")
    clusters = _clusters(record)
    layers: dict[str, Any] = {name: _strings(record, name) for name in LAYERS if _is_nested(record.get(name))}
    if isinstance(record.get("text"), str) and isinstance(record.get("offsets"), list):
        layers |= {"text": record.pop("text"), "offsets": record.pop("offsets")}
    document = Document(doc_key, sentences, speakers or (), part=part, key=key, extra=record, **layers)
    return document, clusters


def _from_text(record: dict[str, Any], key: str, reading: Reading) -> Document:
    """Returns the document of a record with a text instead of words."""
    for name in ("clusters", *LAYERS):
        if (name == "clusters" and name in record) or _is_nested(record.get(name)):
            raise CorefError(
                f"{name} without sentences; expected sentences with the words that they belong to"
            )
    document = text_as_document(record.pop("text"), key, reading)
    if not document.sentences and not reading.allow_empty:
        raise CorefError(f"document {key} is empty; expected at least one word in its text")
    return dataclasses.replace(document, extra=record)


def _load(line: str) -> dict[str, Any]:
    try:
        record = parse_json(line, finite=True)
    except ValueError as error:
        raise CorefError(f"bad JSON: {error}; expected one JSON object per line") from None
    if not isinstance(record, dict):
        raise CorefError(f"{_quote(record)}; expected a JSON object")
    return record


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, list) for row in value)


def _strings(record: dict[str, Any], name: str) -> list[list[str]] | None:
    """Removes a list of lists of strings from the record and returns it, or None if it is missing."""
    if name not in record:
        return None
    rows = record.pop(name)
    if not isinstance(rows, list):
        raise CorefError(f"{name} is {_quote(rows)}; expected a list of lists of strings")
    for number, row in enumerate(rows):
        if not isinstance(row, list) or not all(isinstance(value, str) for value in row):
            raise CorefError(f"{name}, sentence {number}: {_quote(row)}; expected a list of strings")
    return rows


def _clusters(record: dict[str, Any]) -> list[list[list[int]]]:
    """Removes the clusters from the record and returns them; each must be a list of [start, end] pairs."""
    clusters = record.pop("clusters", [])
    if not isinstance(clusters, list):
        raise CorefError(f"clusters is {_quote(clusters)}; expected a list of clusters")
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list) or not cluster:
            raise CorefError(f"cluster {number} is {_quote(cluster)}; expected a list of [start, end] pairs")
        for span in cluster:
            if not isinstance(span, list) or [type(value) for value in span] != [int, int]:
                raise CorefError(
                    f"cluster {number}: mention {_quote(span)}; expected [start, end], two integers"
                )
    return clusters


def _mentions(clusters: list[list[list[int]]], line: int) -> list[FileMention]:
    return [
        FileMention(start, end, name, line) for name, cluster in enumerate(clusters) for start, end in cluster
    ]


def _quote(value: Any) -> str:
    """Returns a JSON value as quoted in messages, truncated."""
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


FORMAT = Format(
    "jsonlines",
    (".jsonlines", ".jsonl"),
    "one JSON object per line, with words or text",
    read=read_jsonlines,
    open=plain(lambda file, writing: functools.partial(write_jsonlines, file, writing)),
    appends=True,
    holds_details=True,
)
