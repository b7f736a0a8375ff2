"""Documents in any format, told by the file's ending."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from coref_tf.documents.conll import read_conll
from coref_tf.documents.conll_writer import ConllWriter
from coref_tf.documents.document import Document
from coref_tf.documents.jsonlines import read_jsonlines, write_jsonlines
from coref_tf.documents.reporting import Report, refuse
from coref_tf.documents.text import read_text
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write

_ENDINGS = {
    "jsonlines": (".jsonlines", ".jsonl"),
    "conll": (".conll", "_conll", ".key", ".response"),
    "text": (".txt",),
}


def format_of(path: str | os.PathLike) -> str:
    """The format that a file's name says it has: "jsonlines", "conll" or "text"."""
    name = Path(path).name.lower()
    for form, endings in _ENDINGS.items():
        if name.endswith(endings):
            return form
    expected = ".jsonlines, .jsonl, .conll, _conll or .txt"
    raise CorefError(f"{path}: the format is told by the ending; expected a name that ends in {expected}")


def read_documents(
    path: str | os.PathLike, report: Report = refuse, allow_empty: bool = False, dialogue: bool = False
) -> Iterator[Document]:
    """Streams the documents of a CoNLL, jsonlines or text file.

    Args:
        path: the file; its ending tells the format.
        report: hears of each problem; unless told otherwise, reading stops at the first.
        allow_empty: whether documents and sentences without words are read, instead of being a problem.
        dialogue: whether lines `Name: words` of a text name the speaker.

    Example:
        for document in read_documents("dev.english.v4_gold_conll"):
            print(document.doc_key, document.num_words, len(document.clusters))
    """
    form = format_of(path)
    if form == "text":
        return read_text(path, report, allow_empty, dialogue)
    return (read_conll if form == "conll" else read_jsonlines)(path, report, allow_empty)


@contextlib.contextmanager
def open_writer(path: str | os.PathLike, form: str | None = None) -> Iterator[Callable[[Document], None]]:
    """Opens a CoNLL or jsonlines file for writing; it takes its place when the block succeeds.

    The ending tells the format, unless `form` ("conll" or "jsonlines") does.

    Example:
        with open_writer("predicted.jsonlines") as write:
            write(document)
    """
    form = form or format_of(path)
    if form == "text":
        raise CorefError(f"{path}: text can be read only; expected an output ending in .jsonlines or .conll")
    with atomic_write(path, "wb") as file:
        yield writer_of(form, file)


def writer_of(form: str, file: IO[bytes], after: bytes = b"") -> Callable[[Document], None]:
    """What writes documents to a file opened in binary mode, as "conll" or "jsonlines".

    `after` is the end of what the file holds already.
    """
    if form == "conll":
        return ConllWriter(file, after)
    return lambda document: write_jsonlines(document, file)
