"""The registry of document formats, by file extension, and functions to read, write and lint files of any format."""

import contextlib
import dataclasses
import functools
import os
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading, Writing
from coref_tf.documents.sources import Report, refuse
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.support.errors import CorefError, InputError
from coref_tf.support.files import atomic_write, check_ending, is_replaceable, readable

# The module:attribute that defines each format; imported on demand.
_DECLARATIONS = (
    "coref_tf.documents.jsonlines:FORMAT",
    "coref_tf.documents.conll:FORMAT",
    "coref_tf.documents.corefud:FORMAT",
    "coref_tf.documents.brat:FORMAT",
    "coref_tf.documents.brat:ARCHIVE_FORMAT",
    "coref_tf.documents.label_studio:FORMAT",
    "coref_tf.documents.subtitles:WEBVTT_FORMAT",
    "coref_tf.documents.subtitles:SUBRIP_FORMAT",
    "coref_tf.documents.slack:FORMAT",
    "coref_tf.documents.irc:FORMAT",
    "coref_tf.documents.text:FORMAT",
    "coref_tf.documents.extraction.markdown:FORMAT",
    "coref_tf.documents.extraction.html:FORMAT",
    "coref_tf.documents.extraction.docx:FORMAT",
    "coref_tf.documents.extraction.epub:FORMAT",
    "coref_tf.documents.extraction.pdf:FORMAT",
    "coref_tf.documents.listing:FORMAT",
    "coref_tf.page.format:FORMAT",
    "coref_tf.resolving.formats:RESOLVED",
    "coref_tf.resolving.formats:ANNOTATED",
    "coref_tf.resolving.formats:EDITS",
    "coref_tf.quotations.formats:QUOTES",
    "coref_tf.quotations.formats:QUOTES_CSV",
    "coref_tf.quotations.formats:QUOTES_JSON",
    "coref_tf.quotations.formats:CHARACTERS",
    "coref_tf.quotations.formats:CHARACTERS_CSV",
    "coref_tf.quotations.formats:CHARACTERS_JSON",
)
_COMPRESSED = ".gz"


@functools.cache
def all_formats() -> dict[str, Format]:
    """Returns the formats by name."""
    formats: list[Format] = [pkgutil.resolve_name(declared) for declared in _DECLARATIONS]
    return {form.name: form for form in formats}


def endings(writable: bool = False) -> str:
    """Returns the extensions of readable or writable formats, as listed in messages and help texts."""
    known = (form for form in all_formats().values() if (form.open if writable else form.read))
    *first, last = (ending for form in known for ending in form.endings)
    return f"{', '.join(first)} or {last}" if first else last


def input_format(path: str | os.PathLike) -> Format:
    """Returns the format of an input file by its extension, which may be followed by .gz."""
    form = _by_ending(Path(path).name.lower().removesuffix(_COMPRESSED), lambda form: form.read is not None)
    if form is None:
        raise CorefError(
            f"{path}: the file extension determines the format; expected a name that ends in {endings()}"
        )
    return form


def output_format(path: str | os.PathLike) -> Format:
    """Returns the format of an output file by its extension."""
    name = Path(path).name.lower()
    form = _by_ending(name, _is_writable)
    if form is None:
        known = _by_ending(name, lambda form: True)
        reads_only = f"{known.name} can only be read" if known else "the file extension determines the format"
        raise CorefError(f"{path}: {reads_only}; expected an output that ends in {endings(writable=True)}")
    return form


def choose_output_format(path: str | os.PathLike, name: str | None = None) -> Format:
    """Returns the output format: `name`, unless the extension contradicts it, or the one that the extension determines.

    Standard output, devices and pipes need no extension; without a `name`, their format is jsonlines.
    """
    named = _by_ending(Path(path).name.lower(), _is_writable)
    if name is None:
        return output_format(path) if named or is_replaceable(path) else all_formats()["jsonlines"]
    form = all_formats()[name]
    if form.endings and is_replaceable(path) and named != form:
        says = output_format(path).name
        raise CorefError(f"{readable(path)}: the file extension means {says}, but the format is {name}")
    if form.written_to:
        check_ending(path, *form.written_to)
    return form


def _is_writable(form: Format) -> bool:
    return form.open is not None


def _by_ending(name: str, is_wanted: Callable[[Format], bool]) -> Format | None:
    """Returns the first matching format by the extension of a name; reading and writing HTML are two formats."""
    known = (form for form in all_formats().values() if form.endings and name.endswith(form.endings))
    return next(filter(is_wanted, known), None)


def read_documents(
    path: str | os.PathLike,
    report: Report = refuse,
    allow_empty: bool = False,
    dialogue: bool = False,
    genre: str | None = None,
    language: str = ENGLISH,
) -> Iterator[Document]:
    """Streams the documents of a file in any readable format; see `Reading` for the arguments.

    Example:
        for document in read_documents("dev.english.v4_gold_conll"):
            print(document.doc_key, document.num_words, len(document.clusters))
    """
    reading = Reading(report, allow_empty, dialogue, genre, language)
    return read_format(input_format(path), path, reading)


def read_format(form: Format, path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Streams the documents of a file in the given format."""
    if form.read is None:
        raise CorefError(f"{path}: {form.name} can only be written; expected a file that ends in {endings()}")
    return form.read(os.fspath(path), reading)


def lint(path: str | os.PathLike) -> list[InputError]:
    """Returns all problems of a file, ordered by line."""
    problems: list[InputError] = []

    def collect(error: InputError, fatal: bool = True) -> None:
        problems.append(error)

    form, reading = input_format(path), Reading(collect)
    if form.check:
        form.check(os.fspath(path), reading)
    else:
        for _ in read_format(form, path, reading):
            pass
    return sorted(problems, key=lambda error: error.line)


@contextlib.contextmanager
def open_writer(
    path: str | os.PathLike, form: str | None = None, writing: Writing | None = None
) -> Iterator[Callable[[Document], None]]:
    """Opens a file for writing documents atomically.

    The extension determines the format, unless `form` specifies it; "-" is standard output.

    Example:
        with open_writer("predicted.jsonlines") as write:
            write(document)
    """
    chosen = all_formats()[form] if form else choose_output_format(path)
    if chosen.open is None or chosen.predictions_only:
        raise CorefError(
            f"{path}: {chosen.name} shows what a model computed, so only `coref predict` can write it;"
            " expected another format"
        )
    with (
        atomic_write(path, "wb") as file,
        chosen.open(file, dataclasses.replace(writing or Writing(), path=os.fspath(path))) as write,
    ):
        yield lambda document: write(document, None)
