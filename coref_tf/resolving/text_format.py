"""Resolved text as an output."""

from collections.abc import Callable
from typing import IO

from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Write, Writing, plain
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.resolving.resolve import resolve
from coref_tf.support.errors import CorefError


def check_english(writing: Writing) -> None:
    """Refuses a model of another language, of whose pronouns the rules know nothing."""
    for experiment in writing.experiments:
        if experiment.language != ENGLISH:
            raise CorefError(
                f"experiment {experiment.name}: language = {experiment.language}; text can be resolved in English"
                " only: expected language = en, or `coref resolve --annotated`"
            )


def text_writer(change: Callable[[Document, list], str]) -> Callable[[IO[bytes], Writing], Write]:
    """Writers of the texts that `change` makes of documents and clusters, with a blank line between them."""

    def writer(file: IO[bytes], writing: Writing) -> Write:
        behind = bool(writing.after)

        def write(document: Document, prediction: Predicted | None) -> None:
            nonlocal behind
            text = change(document, prediction.clusters if prediction else document.clusters)
            whole = text if text.endswith("\n") else text + "\n"
            file.write((("\n" if behind else "") + whole).encode())
            behind = True

        return write

    return writer


def resolved_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes documents as resolved text."""
    check_english(writing)
    return text_writer(resolve)(file, writing)


FORMAT = Format(
    "resolved",
    (),
    "the text with its pronouns replaced",
    open=plain(resolved_writer),
    appends=True,
    written_to=(".txt",),
)
