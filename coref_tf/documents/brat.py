"""BRAT standoff: annotations in NAME.ann beside their text in NAME.txt, or many such pairs in a zip archive."""

import contextlib
import os
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from coref_tf.documents.brat_parsing import format_annotations, parse_annotations
from coref_tf.documents.character_spans import document_from_spans
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading, Write, Writing, with_predicted_clusters
from coref_tf.documents.rules import FileProblems
from coref_tf.documents.sources import BYTE_ORDER_MARK, document_name, read_lines
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write, is_replaceable

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same documents give the same archive


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
    lines = read_lines(path, reading.report)
    text = read_lines(beside, reading.report)
    if lines is None or text is None:
        return
    document = brat_document(path, lines, "".join(text), document_name(path), reading)
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
    document = (
        None if any(broken) else document_from_spans(text, doc_key, clusters, reading, problems, problem)
    )
    if rest := problems.left_out():
        problem(rest.mention.line, rest.message, rest.fatal)
    return document


@contextlib.contextmanager
def brat_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes one document, and its text beside it unless that is there already."""
    texts: list[str] = []
    beside = text_beside(writing.path) if writing.path and is_replaceable(writing.path) else ""

    def write(document: Document) -> None:
        if texts:
            raise CorefError(
                f"{writing.path or document.key}: a .ann file holds one document, and {document.key} is the second;"
                " expected an output that ends in .brat.zip"
            )
        annotations, text = format_annotations(document)
        _check_text(beside, text)
        file.write(annotations.encode())
        texts.append(text)

    yield with_predicted_clusters(write)
    if texts and beside and not os.path.exists(beside):
        with atomic_write(beside, "wb") as text_file:
            text_file.write(texts[0].encode())


def _check_text(path: str, text: str) -> None:
    """Refuses to put annotations beside another text."""
    if os.path.exists(path) and Path(path).read_bytes().removeprefix(BYTE_ORDER_MARK) != text.encode():
        raise CorefError(
            f"{path}: is another text than the document's; expected its own, or none, beside the .ann"
        )


def read_archive(path: str, reading: Reading) -> Iterator[Document]:
    """Streams the documents of an archive, in the order of their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            annotated = sorted(name for name in names if name.endswith(".ann"))
            if not annotated:
                reading.report(
                    InputError(path, 1, "holds no .ann file; expected NAME.ann and NAME.txt"), True
                )
            for name in annotated:
                yield from _archived_document(path, archive, name, names, reading)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorefError(f"{path}: can't be unpacked: {error}; expected a zip archive") from None


def _archived_document(
    path: str, archive: zipfile.ZipFile, name: str, names: set[str], reading: Reading
) -> Iterator[Document]:
    stem = name.removesuffix(".ann")
    where = f"{path}/{name}"
    if f"{stem}.txt" not in names:
        reading.report(InputError(where, 1, f"no text beside it; expected {stem}.txt"), True)
        return
    try:
        annotations, text = (
            archive.read(f"{stem}{ending}").decode("utf-8-sig") for ending in (".ann", ".txt")
        )
    except UnicodeDecodeError as error:
        reading.report(InputError(where, 1, f"{error.object[error.start : error.end]!r} is not UTF-8"), True)
        return
    document = brat_document(where, annotations.split("\n"), text, stem, reading)
    if document is not None:
        yield document


@contextlib.contextmanager
def archive_writer(file: IO[bytes], writing: Writing) -> Iterator[Write]:
    """Writes documents to an archive."""
    taken: set[str] = set()
    with zipfile.ZipFile(file, "w") as archive:

        def write(document: Document) -> None:
            stem = posixpath.normpath("/" + document.key).lstrip("/") or "document"
            if stem in taken:
                raise CorefError(f"two documents are called {document.key}; expected a name for each")
            taken.add(stem)
            for ending, content in zip((".ann", ".txt"), format_annotations(document), strict=True):
                entry = zipfile.ZipInfo(stem + ending, _FIRST_DAY)
                archive.writestr(entry, content.encode(), zipfile.ZIP_DEFLATED)

        yield with_predicted_clusters(write)


FORMAT = Format(
    "brat", (".ann",), "BRAT standoff, beside a .txt", read=read_brat, open=brat_writer, beside=(".txt",)
)
ARCHIVE_FORMAT = Format(
    "brat-archive", (".brat.zip",), "BRAT standoff of many documents", read=read_archive, open=archive_writer
)
