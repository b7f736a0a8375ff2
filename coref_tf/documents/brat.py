"""BRAT standoff: NAME.ann, with the annotations, beside NAME.txt, with the text they are of."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coref_tf.documents.brat_parsing import annotations_of, parse_annotations
from coref_tf.documents.character_spans import document_of_spans
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Reading, Write, Writing
from coref_tf.documents.lines import BYTE_ORDER_MARK, decode_line
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.sources import name_of, open_source
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write, is_replaceable


def text_beside(path: str) -> str:
    """The .txt of a .ann."""
    bare = path[:-3] if path.lower().endswith(".gz") else path
    return os.path.splitext(bare)[0] + ".txt"


def read_brat(path: str, reading: Reading) -> Iterator[Document]:
    """Reads the document of a .ann file and the text beside it."""
    beside = text_beside(path)
    if not os.path.exists(beside):
        reading.report(InputError(path, 1, f"no text beside it; expected {beside}"), True)
        return
    lines = _lines(path, reading)
    text = _lines(beside, reading)
    if lines is None or text is None:
        return
    document = brat_document(path, lines, "".join(text), name_of(path), reading)
    if document is not None:
        yield document


def brat_document(path: str, lines: list[str], text: str, doc_key: str, reading: Reading) -> Document | None:
    """The document of the lines of a .ann file and their text."""
    broken = []

    def problem(line: int, message: str, fatal: bool) -> None:
        broken.append(fatal)
        reading.report(InputError(path, line, message), fatal)

    problems = FileProblems()
    clusters = parse_annotations([line.rstrip("\r\n") for line in lines], text, problem)
    document = None if any(broken) else document_of_spans(text, doc_key, clusters, reading, problems, problem)
    if rest := problems.left_out():
        problem(rest.mention.line, rest.message, rest.fatal)
    return document


def _lines(path: str, reading: Reading) -> list[str] | None:
    with open_source(path) as file:
        lines = [decode_line(raw, path, number, reading.report) for number, raw in enumerate(file, start=1)]
    return None if None in lines else lines


@contextlib.contextmanager
def brat_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes one document, and its text beside it unless that is there already."""
    texts: list[str] = []
    beside = text_beside(writing.path) if writing.path and is_replaceable(writing.path) else ""

    def write(document: Document, prediction: Predicted | None) -> None:
        if texts:
            raise CorefError(
                f"{writing.path or document.key}: a .ann file holds one document, and {document.key} is the second;"
                " expected an output that ends in .brat.zip"
            )
        given = document.with_clusters(prediction.clusters) if prediction else document
        annotations, text = annotations_of(given)
        _check_text(beside, text)
        file.write(annotations.encode())
        texts.append(text)

    yield write
    if texts and beside and not os.path.exists(beside):
        with atomic_write(beside, "wb") as text_file:
            text_file.write(texts[0].encode())


def _check_text(path: str, text: str) -> None:
    """Refuses to put annotations beside another text."""
    if os.path.exists(path) and Path(path).read_bytes().removeprefix(BYTE_ORDER_MARK) != text.encode():
        raise CorefError(
            f"{path}: is another text than the document's; expected its own, or none, beside the .ann"
        )


FORMAT = Format(
    "brat", (".ann",), "BRAT standoff, beside a .txt", read=read_brat, open=brat_writer, beside=(".txt",)
)
