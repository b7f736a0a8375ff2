"""The changes that resolve a text as an output, for people who have the text in a form of their own."""

import functools
import json
from typing import IO

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Write, Writing, plain
from coref_tf.documents.set_text import SetText
from coref_tf.resolving.resolve import find_edits
from coref_tf.resolving.text_format import check_english


def write_edits(file: IO[bytes], writing: Writing, document: Document, prediction: Predicted | None) -> None:
    """Writes one document as a line of JSON: its name, its text, and [begin, end, replacement] of each change."""
    edits = find_edits(document, prediction.clusters if prediction else document.clusters)
    record = {"doc_key": document.key, "text": SetText.of(document).text, "edits": edits}
    file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())


def edits_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes the changes of documents."""
    check_english(writing)
    return functools.partial(write_edits, file, writing)


FORMAT = Format(
    "edits",
    (),
    "the changes that resolve a text, as JSON",
    open=plain(edits_writer),
    appends=True,
    written_to=(".jsonlines", ".jsonl", ".json"),
)
