"""Label Studio's JSON: a list of tasks, each a text with regions and relations between them."""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from typing import IO, Any

from coref_tf.documents.character_spans import (
    MENTION,
    CharacterSpan,
    document_from_spans,
    is_coreference,
    link_groups,
)
from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Format, Reading, Write, Writing
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.running_text import RunningText
from coref_tf.documents.sources import BYTE_ORDER_MARK, document_name, open_source
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.json_text import parse_json

_BLANK = re.compile(r"[\s,]*")
_LINK = "coref"  # what a relation is called in files that we write


def read_label_studio(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of an export: of each task the first annotation, or else the first prediction."""
    problems, found, name = FileProblems(), False, document_name(path).removesuffix(".labelstudio")
    for number, (line, task) in enumerate(_tasks(path, reading), start=1):
        found = True

        def problem(_: int, message: str, fatal: bool = True, line: int = line) -> None:
            reading.report(InputError(path, line, message), fatal)

        try:
            text, doc_key = _text(task, f"{name}-{task.get('id', number)}")
            clusters = _clusters(task, text, line)
        except CorefError as error:
            problem(line, str(error))
            continue
        document = document_from_spans(text, doc_key, clusters, reading, problems, problem)
        if document is not None:
            yield document
    if rest := problems.left_out():
        reading.report(InputError(path, rest.mention.line, rest.message), rest.fatal)
    if not found:
        reading.report(
            InputError(path, 1, "the file holds no task; expected a list of Label Studio's tasks"), True
        )


def _tasks(path: str | os.PathLike, reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    """The tasks of a file, each with the line where it begins."""
    with open_source(path) as file:
        content = file.read().removeprefix(BYTE_ORDER_MARK)
    try:
        text = content.decode()
        tasks = parse_json(text)
    except ValueError as error:  # UnicodeDecodeError is one
        reading.report(InputError(path, 1, f"bad JSON: {error}; expected Label Studio's export"), True)
        return
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        reading.report(
            InputError(path, 1, "expected a list of tasks, as Label Studio exports it as JSON"), True
        )
        return
    decoder, position, line, counted = json.JSONDecoder(), text.index("[") + 1, 1, 0
    for task in tasks:
        position = _BLANK.match(text, position).end()
        line += text.count("\n", counted, position)
        counted = position
        yield line, task
        _, position = decoder.raw_decode(text, position)


def _text(task: dict[str, Any], name: str) -> tuple[str, str]:
    """The text of a task, and what its document is called."""
    data = task.get("data")
    strings = [value for value in data.values() if isinstance(value, str)] if isinstance(data, dict) else []
    text = data.get("text") if strings else None
    if not isinstance(text, str):
        raise CorefError('the task has no text; expected {"data": {"text": "..."}}')
    key = data.get("doc_key")
    return text, key if isinstance(key, str) and key else name


def _clusters(task: dict[str, Any], text: str, line: int) -> list[list[CharacterSpan]]:
    """The clusters of a task. A region that is linked to nothing counts if it is called a mention."""
    spans, alone, links = {}, set(), []
    for one in _results(task):
        kind, value = one.get("type"), one.get("value")
        if kind == "relation":
            labels = one.get("labels") or [_LINK]
            if any(is_coreference(str(label)) for label in labels):
                links.append([one.get("from_id"), one.get("to_id")])
        elif isinstance(value, dict) and "start" in value and isinstance(one.get("id"), str):
            spans[one["id"]] = _span(one["id"], value, text, line)
            if MENTION in (value.get("labels") or value.get("hypertextlabels") or []):
                alone.add(one["id"])
    for link in links:
        for name in link:
            if name not in spans:
                raise CorefError(
                    f"a relation names region {name!r}, which isn't there; expected the id of one"
                )
    named = {name for link in links for name in link}
    return [
        [spans[n] for n in group] for group in link_groups([n for n in spans if n in named | alone], links)
    ]


def _results(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The regions and relations of the first annotation that wasn't cancelled, or else of the first prediction."""
    for kind in ("annotations", "predictions"):
        answers = task.get(kind) or []
        if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
            raise CorefError(f"{kind} of a task must be a list of objects")
        for answer in answers:
            result = answer.get("result")
            if not answer.get("was_cancelled"):
                if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
                    raise CorefError(f"{kind} without a result; expected a list of regions and relations")
                return result
    return []


def _span(name: str, value: dict[str, Any], text: str, line: int) -> CharacterSpan:
    """Where a region is; browsers count some characters twice, which the region's own text tells."""
    begin, end, read = value.get("start"), value.get("end"), value.get("text")
    if type(begin) is not int or type(end) is not int or not 0 <= begin < end:
        raise CorefError(
            f"region {name!r} has start {begin!r} and end {end!r}; expected whole numbers in order"
        )
    if isinstance(read, str) and text[begin:end] != read:
        units = text.encode("utf-16-le")
        before, inside = (
            units[2 * a : 2 * b].decode("utf-16-le", "replace") for a, b in ((0, begin), (begin, end))
        )
        if inside != read:
            raise CorefError(
                f"region {name!r} reads {read[:40]!r} and stands on {text[begin:end][:40]!r}; expected the same"
            )
        begin, end = len(before), len(before) + len(inside)
    return CharacterSpan(name, begin, end, line)


@contextlib.contextmanager
def label_studio_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes tasks: what documents have as annotations, what a model says as predictions."""
    written = 0

    def write(document: Document, prediction: ClusterPrediction | None) -> None:
        nonlocal written
        given = document.with_clusters(prediction.clusters) if prediction else document
        task = to_task(given, "predictions" if prediction else "annotations")
        file.write((("[\n" if not written else ",\n") + json.dumps(task, ensure_ascii=False)).encode())
        written += 1

    yield write
    file.write(b"\n]\n" if written else b"[]\n")


def to_task(document: Document, kind: str) -> dict[str, Any]:
    """A document as a task; each mention is linked to the one before it in its cluster."""
    text, offsets = RunningText.from_document(document)
    place = {"from_name": "label", "to_name": "text"}
    result: list[dict[str, Any]] = []
    for number, cluster in enumerate(document.clusters, start=1):
        for index, (start, end) in enumerate(cluster, start=1):
            begin, stop = offsets[start][0], offsets[end][1]
            value = {"start": begin, "end": stop, "text": text[begin:stop], "labels": [MENTION]}
            result.append({"id": f"{number}-{index}", "type": "labels", "value": value, **place})
    for number, cluster in enumerate(document.clusters, start=1):
        for index in range(2, len(cluster) + 1):
            ends = {"from_id": f"{number}-{index}", "to_id": f"{number}-{index - 1}"}
            result.append({**ends, "type": "relation", "direction": "right", "labels": [_LINK]})
    return {"data": {"text": text, "doc_key": document.key}, kind: [{"result": result}]}


FORMAT = Format(
    "label-studio",
    (".labelstudio.json",),
    "Label Studio's JSON",
    read=read_label_studio,
    open=label_studio_writer,
)
