"""Label Studio's JSON format: a list of tasks, each with a text, regions and relations between regions."""

import bisect
import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from typing import IO, Any

from coref_tf.documents.character_spans import (
    MENTION,
    CharacterSpan,
    document_from_spans,
    is_coreference,
    link_groups,
    text_for_annotation,
)
from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Format, Reading, Write, Writing
from coref_tf.documents.json_records import read_json_records
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.sources import document_name
from coref_tf.support.errors import CorefError, InputError

_EXPECTED = "a list of tasks, as Label Studio exports it as JSON"
_LINK = "coref"  # the label of relations in written files


def read_label_studio(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of an export: the first annotation of each task, or else the first prediction."""
    problems, found, name = FileProblems(), False, document_name(path).removesuffix(".labelstudio")
    for number, (line, task) in enumerate(read_json_records(path, reading, _EXPECTED), start=1):
        found = True

        def problem(_: int, message: str, fatal: bool = True, line: int = line) -> None:
            reading.report(InputError(path, line, message), fatal)

        try:
            identity = task.get("id")
            own = identity if isinstance(identity, int | str) else number
            text, doc_key = _text(task, f"{name}-{own}")
            clusters = _clusters(task, text, line)
            document = document_from_spans(text, doc_key, clusters, reading, problems, problem)
        except InputError:
            raise  # already reported
        except CorefError as error:
            problem(line, str(error))
            continue
        if document is not None:
            yield document
    if rest := problems.left_out():
        reading.report(InputError(path, rest.mention.line, rest.message), rest.fatal)
    if not found:
        reading.report(
            InputError(path, 1, "the file contains no task; expected a list of Label Studio tasks"), True
        )


def _text(task: dict[str, Any], name: str) -> tuple[str, str]:
    """Returns the text of a task, and the key of its document."""
    given = task.get("data")
    data: dict[str, Any] = given if isinstance(given, dict) else {}
    text = data.get("text")
    if not isinstance(text, str):
        raise CorefError('the task has no text; expected {"data": {"text": "..."}}')
    key = data.get("doc_key")
    return text, key if isinstance(key, str) and key else name


def _clusters(task: dict[str, Any], text: str, line: int) -> list[list[CharacterSpan]]:
    """Returns the clusters of a task. A region without relations counts only if its label is `Mention`."""
    spans: dict[str, CharacterSpan] = {}
    alone: set[str] = set()
    links: list[list[str]] = []
    browser = BrowserText(text)
    for one in _results(task):
        value, name = one.get("value"), one.get("id")
        if one.get("type") == "relation":
            if any(is_coreference(str(label)) for label in _labels(one, "labels") or [_LINK]):
                links.append([_region_name(one, end) for end in ("from_id", "to_id")])
        elif isinstance(value, dict) and "start" in value and isinstance(name, str):
            spans[name] = _span(name, value, browser, line)
            if MENTION in (_labels(value, "labels") or _labels(value, "hypertextlabels")):
                alone.add(name)
    for name in itertools.chain.from_iterable(links):
        if name not in spans:
            raise CorefError(
                f"a relation names region {name!r:.60}, which does not exist; expected the id of a region"
            )
    counted = alone.union(*links)
    return [[spans[n] for n in group] for group in link_groups([n for n in spans if n in counted], links)]


def _labels(holder: dict[str, Any], name: str) -> list[Any]:
    labels = holder.get(name) or []
    if not isinstance(labels, list):
        raise CorefError(f"{name} is {labels!r:.60}; expected a list of labels")
    return labels


def _region_name(relation: dict[str, Any], end: str) -> str:
    name = relation.get(end)
    if not isinstance(name, str):
        raise CorefError(f"{end} of a relation is {name!r:.60}; expected the id of a region")
    return name


def _results(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the results of the first annotation that was not cancelled, or else of the first prediction."""
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


class BrowserText:
    """A text with offsets in UTF-16 code units, as in browsers, where characters beyond the BMP count twice."""

    def __init__(self, text: str):
        self.text = text
        wide = (
            [index for index, character in enumerate(text) if character > "\uffff"]
            if not text.isascii()
            else []
        )
        self._wide_units = [index + number for number, index in enumerate(wide)]

    def index(self, unit: int) -> int | None:
        """Returns the index of the character that begins at a UTF-16 code unit, or None if none begins there."""
        before = bisect.bisect_left(self._wide_units, unit)
        inside = before > 0 and self._wide_units[before - 1] == unit - 1
        return None if inside else unit - before

    def find(self, begin: int, end: int, read: str) -> tuple[int, int] | None:
        """Returns the position of `read` if it is at [begin, end), in characters or UTF-16 code units."""
        for first, last in ((begin, end), (self.index(begin), self.index(end))):
            if first is None or last is None or last - first != len(read):
                continue
            if self.text[first:last] == read:
                return first, last
        return None


def _span(name: str, value: dict[str, Any], browser: BrowserText, line: int) -> CharacterSpan:
    """Returns the position of a region; its own text determines how its characters are counted."""
    begin, end, read = value.get("start"), value.get("end"), value.get("text")
    if type(begin) is not int or type(end) is not int or not 0 <= begin < end:
        raise CorefError(
            f"region {name!r} has start {begin!r:.40} and end {end!r:.40}; expected integers, start before end"
        )
    if not isinstance(read, str):
        return CharacterSpan(name, begin, end, line)
    found = browser.find(begin, end, read)
    if found is None:
        here = browser.text[begin : min(end, begin + 40)]
        raise CorefError(
            f"region {name!r} has the text {read[:40]!r}, but covers {here!r}; expected the same text"
        )
    return CharacterSpan(name, *found, line)


@contextlib.contextmanager
def label_studio_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes tasks, with clusters of documents as annotations and clusters of models as predictions."""
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
    """Returns a document as a task; each mention is linked to the previous one in its cluster."""
    text, offsets = text_for_annotation(document)
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
