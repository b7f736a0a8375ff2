"""Formats of files whose text must be extracted."""

import os
from collections.abc import Callable, Iterator

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.sources import document_name, open_source
from coref_tf.documents.text import text_as_document
from coref_tf.support.errors import InputError
from coref_tf.support.extras import require_extra

# Returns the text of a file, given its content and its path, which is used only in messages.
Extract = Callable[[bytes, str], str]


def extracted_format(
    name: str, endings: tuple[str, ...], summary: str, extract: Extract, packages: tuple[str, ...]
) -> Format:
    """Creates a format of files from which `extract` extracts the text, with packages of the extra `files`."""

    def extract_text(content: bytes, path: str) -> str:
        require_extra("files", f"{path}: reading {summary}", packages)
        # Some files contain lone surrogates and NUL characters, which are not valid in a text.
        text = extract(content, path).replace("\0", "")
        return text.encode("utf-8", "replace").decode("utf-8")

    def read(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
        with open_source(path) as file:
            content = file.read()
        document = text_as_document(extract_text(content, os.fspath(path)), document_name(path), reading)
        if not document.sentences and not reading.allow_empty:
            reading.report(InputError(path, 1, f"{summary} without text; expected at least one word"), True)
            return
        yield document

    return Format(name, endings, summary, read=read, extract=extract_text)
