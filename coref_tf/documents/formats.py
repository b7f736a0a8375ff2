"""Every format there is; a file's ending tells its own. A new one is a module with a FORMAT, and a line here."""

import contextlib
import dataclasses
import functools
import importlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading, Writing
from coref_tf.documents.reporting import Report, refuse
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.support.errors import CorefError
from coref_tf.support.files import atomic_write, check_ending, is_replaceable, readable

_MODULES = (
    "coref_tf.documents.jsonlines",
    "coref_tf.documents.conll",
    "coref_tf.documents.corefud",
    "coref_tf.documents.brat",
    "coref_tf.documents.brat_archive",
    "coref_tf.documents.label_studio",
    "coref_tf.documents.text",
    "coref_tf.documents.listing",
    "coref_tf.page.format",
    "coref_tf.resolving.text_format",
    "coref_tf.resolving.annotated_format",
    "coref_tf.resolving.edits_format",
)
_COMPRESSED = ".gz"


@functools.cache
def all_formats() -> dict[str, Format]:
    """The formats by name."""
    formats = [importlib.import_module(module).FORMAT for module in _MODULES]
    return {form.name: form for form in formats}


def endings(writable: bool = False) -> str:
    """The endings of what can be read, or written, as messages and help name them."""
    known = (form for form in all_formats().values() if (form.open if writable else form.read))
    *first, last = (ending for form in known for ending in form.endings)
    return f"{', '.join(first)} or {last}" if first else last


def format_of(path: str | os.PathLike) -> Format:
    """The format that the name of a file to be read says it has; .gz may follow the ending."""
    form = _by_ending(Path(path).name.lower().removesuffix(_COMPRESSED))
    if form is None or form.read is None:
        raise CorefError(
            f"{path}: the format is told by the ending; expected a name that ends in {endings()}"
        )
    return form


def output_format_of(path: str | os.PathLike) -> Format:
    """The format that the name of a file to be written says it is to have."""
    form = _by_ending(Path(path).name.lower())
    if form is None or form.open is None:
        reads_only = f"{form.name} can be read only" if form else "the format is told by the ending"
        raise CorefError(f"{path}: {reads_only}; expected an output that ends in {endings(writable=True)}")
    return form


def choose_output_format(path: str | os.PathLike, name: str | None = None) -> Format:
    """The format to write: `name`, if the file's ending doesn't say another, or what the ending says.

    Standard output, devices and pipes need no ending: unless `name` says so, jsonlines goes there.
    """
    named = _by_ending(Path(path).name.lower())
    writable = named is not None and named.open is not None
    if name is None:
        return output_format_of(path) if writable or is_replaceable(path) else all_formats()["jsonlines"]
    form = all_formats()[name]
    if form.endings and is_replaceable(path) and named != form:
        says = output_format_of(path).name
        raise CorefError(f"{readable(path)}: the ending says {says}, and {name} is to be written")
    if form.written_to:
        check_ending(path, *form.written_to)
    return form


def _by_ending(name: str) -> Format | None:
    return next(
        (form for form in all_formats().values() if form.endings and name.endswith(form.endings)), None
    )


def read_documents(
    path: str | os.PathLike,
    report: Report = refuse,
    allow_empty: bool = False,
    dialogue: bool = False,
    genre: str | None = None,
    language: str = ENGLISH,
) -> Iterator[Document]:
    """Streams the documents of a file of any format that can be read; see `Reading` for the arguments.

    Example:
        for document in read_documents("dev.english.v4_gold_conll"):
            print(document.doc_key, document.num_words, len(document.clusters))
    """
    reading = Reading(report, allow_empty, dialogue, genre, language)
    return format_of(path).read(os.fspath(path), reading)


@contextlib.contextmanager
def open_writer(
    path: str | os.PathLike, form: str | None = None, writing: Writing | None = None
) -> Iterator[Callable[[Document], None]]:
    """Opens a file for writing documents as they are; it takes its place when the block succeeds.

    The ending tells the format, unless `form` names one; "-" is standard output.

    Example:
        with open_writer("predicted.jsonlines") as write:
            write(document)
    """
    chosen = all_formats()[form] if form else choose_output_format(path)
    if chosen.predictions_only:
        raise CorefError(
            f"{path}: {chosen.name} shows what a model computed; `coref predict` writes it, and"
            " documents go to another format"
        )
    with (
        atomic_write(path, "wb") as file,
        chosen.open(file, dataclasses.replace(writing or Writing(), path=os.fspath(path))) as write,
    ):
        yield lambda document: write(document, None)
