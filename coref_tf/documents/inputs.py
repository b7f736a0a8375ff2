"""Input files of a command line: files, folders, patterns and standard input."""

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.formats import all_formats, input_format, read_format
from coref_tf.documents.sources import STANDARD_INPUT
from coref_tf.support.errors import CorefError
from coref_tf.support.files import readable

# The annotation of `report.txt` is `report.txt.jsonlines`, as `coref serve --annotate` saves it.
ANNOTATION_ENDING = ".jsonlines"


def find_inputs(words: Iterable[str]) -> list[str]:
    """Returns the files that the arguments name, all of which exist.

    A folder means all files in it and its subfolders whose extensions determine a format, ordered by name, except for
    extensions that other files have, too (`Format.in_folders`). A word with *, ? or [ that is not a file is a
    pattern, in which ** matches folders.
    """
    return [path for word in words for path in _files(word)]


def _files(word: str) -> list[str]:
    if word == STANDARD_INPUT or (os.path.exists(word) and not os.path.isdir(word)):
        return [word]
    if os.path.isdir(word):
        files = sorted(str(path) for path in Path(word).rglob("*") if path.is_file())
        found = [path for path in files if _has_format(path, in_folders=True)]
        if not found:
            other = next((path for path in files if _has_format(path)), None)
            raise CorefError(
                f"{word}: contains no file with the extension of a known format"
                if other is None
                else f"{word}: files such as {readable(other)} are ignored if you pass their folder; pass the files"
                " themselves, or a pattern"
            )
        return _without_companions(found)
    found = sorted(path for path in glob.glob(word, recursive=True) if os.path.isfile(path))
    if found:
        return _without_companions(found)
    raise CorefError(
        f"{word}: {'matches no file' if glob.has_magic(word) else 'no such file'}; expected documents to read"
    )


def _without_companions(paths: list[str]) -> list[str]:
    """Removes companion files, such as the text file of an annotation file."""
    companions = {path[: -len(ANNOTATION_ENDING)] for path in paths if path.endswith(ANNOTATION_ENDING)}
    for form in all_formats().values():
        for path in paths if form.beside else []:
            bare = path[:-3] if path.lower().endswith(".gz") else path
            if bare.lower().endswith(form.endings):
                companions |= {os.path.splitext(bare)[0] + ending for ending in form.beside}
    return [path for path in paths if path not in companions]


def _has_format(path: str, in_folders: bool = False) -> bool:
    """Returns whether the extension determines a format; with `in_folders`, whether a folder includes such files."""
    try:
        return input_format(path).in_folders or not in_folders
    except CorefError:
        return False


def reader_of(path: str) -> Format:
    """Returns the input format of a file; standard input is text."""
    return all_formats()["text"] if path == STANDARD_INPUT else input_format(path)


def read_inputs(paths: Iterable[str], reading: Reading) -> Iterator[Document]:
    """Streams the documents of all files."""
    for path in paths:
        yield from read_format(reader_of(path), path, reading)
