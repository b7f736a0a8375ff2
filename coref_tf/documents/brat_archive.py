"""Many documents in BRAT standoff: a zip archive of NAME.ann and NAME.txt, as BRAT takes them."""

import contextlib
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from coref_tf.documents.brat import brat_document
from coref_tf.documents.brat_parsing import annotations_of
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Reading, Write, Writing
from coref_tf.support.errors import CorefError, InputError

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # for every file, so that the same documents give the same archive


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
                yield from _document(path, archive, name, names, reading)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorefError(f"{path}: can't be unpacked: {error}; expected a zip archive") from None


def _document(
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

        def write(document: Document, prediction: Predicted | None) -> None:
            stem = posixpath.normpath("/" + document.key).lstrip("/") or "document"
            if stem in taken:
                raise CorefError(f"two documents are called {document.key}; expected a name for each")
            taken.add(stem)
            given = document.with_clusters(prediction.clusters) if prediction else document
            for ending, content in zip((".ann", ".txt"), annotations_of(given), strict=True):
                entry = zipfile.ZipInfo(stem + ending, _FIRST_DAY)
                archive.writestr(entry, content.encode(), zipfile.ZIP_DEFLATED)

        yield write


FORMAT = Format(
    "brat-archive", (".brat.zip",), "BRAT standoff of many documents", read=read_archive, open=archive_writer
)
