"""BRAT standoff format: annotations in NAME.ann with their text in NAME.txt, or many such pairs in a zip archive."""

import contextlib
import io
import os
import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coref_tf.documents.archives import Archive
from coref_tf.documents.brat_parsing import format_annotations, parse_annotations
from coref_tf.documents.character_spans import document_from_spans
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading, Write, Writing, with_predicted_clusters
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.sources import BYTE_ORDER_MARK, decode_lines, document_name, read_lines
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write, is_replaceable

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same documents always give the same archive
_LONGEST_NAME = 60_000  # in bytes; zip archives store the length of a name in two bytes


def text_beside(path: str) -> str:
    """Returns the path of the .txt file that belongs to a .ann file."""
    bare = path[:-3] if path.lower().endswith(".gz") else path
    return os.path.splitext(bare)[0] + ".txt"


def read_brat(path: str, reading: Reading) -> Iterator[Document]:
    """Reads the document of a .ann file and its text file."""
    beside = text_beside(path)
    if not os.path.exists(beside):
        reading.report(InputError(path, 1, f"the text file is missing; expected {beside}"), True)
        return
    lines = read_lines(path, reading.report)
    text = read_lines(beside, reading.report)
    if lines is None or text is None:
        return
    document = brat_document(path, lines, "".join(text), document_name(path), reading)
    if document is not None:
        yield document


def brat_document(path: str, lines: list[str], text: str, doc_key: str, reading: Reading) -> Document | None:
    """Creates a document from the lines of a .ann file and its text; returns None if a fatal problem was reported."""
    broken: list[bool] = []

    def problem(line: int, message: str, fatal: bool) -> None:
        broken.append(fatal)
        reading.report(InputError(path, line, message), fatal)

    problems = FileProblems()
    clusters = parse_annotations([line.rstrip("\r\n") for line in lines], text, problem)
    document = (
        None if any(broken) else document_from_spans(text, doc_key, clusters, reading, problems, problem)
    )
    if rest := problems.left_out():
        problem(rest.mention.line, rest.message, rest.fatal)
    return document


@contextlib.contextmanager
def brat_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes one document, and its text file unless it already exists."""
    texts: list[str] = []
    beside = text_beside(writing.path) if writing.path and is_replaceable(writing.path) else ""

    def write(document: Document) -> None:
        if texts:
            raise CorefError(
                f"{writing.path or document.key}: a .ann file holds only one document, but {document.key} is a second;"
                " expected an output that ends in .brat.zip"
            )
        annotations, text = format_annotations(document)
        _check_text(beside, text)
        file.write(annotations.encode())
        texts.append(text)

    yield with_predicted_clusters(write)
    if texts and beside and not os.path.exists(beside):
        with atomic_write(beside, "wb") as text_file:
            text_file.write(_encode_text(texts[0]))


def _encode_text(text: str) -> bytes:
    """Encodes a text. Readers strip one byte order mark, so a text that starts with one gets another in front."""
    return (BYTE_ORDER_MARK if text.startswith("\ufeff") else b"") + text.encode()


def _check_text(path: str, text: str) -> None:
    """Raises an error if the existing text file has a different text."""
    if os.path.exists(path) and Path(path).read_bytes().removeprefix(BYTE_ORDER_MARK) != text.encode():
        raise CorefError(f"{path}: differs from the text of the document; expected the same text, or no file")


def read_archive(path: str, reading: Reading) -> Iterator[Document]:
    """Streams the documents of an archive, ordered by name."""
    with open(path, "rb") as file:
        archive = Archive(file, path)
        annotated = sorted(name for name in archive.names if name.endswith(".ann"))
        if not annotated:
            reading.report(InputError(path, 1, "contains no .ann file; expected NAME.ann and NAME.txt"), True)
        for name in annotated:
            stem = name.removesuffix(".ann")
            if f"{stem}.txt" not in archive.names:
                message = f"the text file is missing; expected {stem}.txt"
                reading.report(InputError(f"{path}/{name}", 1, message), True)
                continue
            lines, text = (
                _archived_lines(path, archive, f"{stem}{ending}", reading) for ending in (".ann", ".txt")
            )
            if lines is not None and text is not None:
                document = brat_document(f"{path}/{name}", lines, "".join(text), stem, reading)
                if document is not None:
                    yield document


def _archived_lines(path: str, archive: Archive, name: str, reading: Reading) -> list[str] | None:
    return decode_lines(io.BytesIO(archive.read(name)), f"{path}/{name}", reading.report)


@contextlib.contextmanager
def archive_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes documents to an archive."""
    taken: set[str] = set()
    with zipfile.ZipFile(file, "w") as archive:

        def write(document: Document) -> None:
            stem = posixpath.normpath("/" + document.key).lstrip("/") or "document"
            if len(stem.encode()) > _LONGEST_NAME:
                raise CorefError(f"document {stem:.40}...: the name is too long for a zip archive")
            if stem in taken:
                raise CorefError(f"two documents are named {document.key}; expected different names")
            taken.add(stem)
            annotations, text = format_annotations(document)
            for ending, content in ((".ann", annotations.encode()), (".txt", _encode_text(text))):
                entry = zipfile.ZipInfo(stem + ending, _FIRST_DAY)
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)

        yield with_predicted_clusters(write)


FORMAT = Format(
    "brat", (".ann",), "BRAT standoff, with a .txt file", read=read_brat, open=brat_writer, beside=(".txt",)
)
ARCHIVE_FORMAT = Format(
    "brat-archive", (".brat.zip",), "BRAT standoff of many documents", read=read_archive, open=archive_writer
)
