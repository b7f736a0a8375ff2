"""Output formats for text with replaced pronouns or bracketed mentions, and for the edits."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import IO

from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Write, Writing, output_format_by_name
from coref_tf.documents.running_text import RunningText, mark_mentions
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.resolving.cautious import ResolvedText, resolve_text
from coref_tf.support.errors import CorefError

Clusters = Iterable[Iterable[Sequence[int]]]


def annotate(document: Document, clusters: Clusters | None = None) -> str:
    """Returns the text with each mention as `[1 Marta Oduya]`; clusters are numbered from 1, and brackets may nest.

    Args:
        document: The words, and the text, if available.
        clusters: Inclusive spans of words. By default, the clusters of the document.
    """
    chosen = document.clusters if clusters is None else clusters
    return mark_mentions(document, chosen, lambda number: f"[{number} ", "]")


def check_english(writing: Writing) -> None:
    """Raises an error if a model has another language, because the rules support only English pronouns."""
    for experiment in writing.experiments:
        if experiment.language != ENGLISH:
            raise CorefError(
                f"experiment {experiment.name}: language = {experiment.language}, but resolving text is supported only"
                " in English: expected language = en, or `coref resolve --annotated`"
            )


def text_writer(
    file: IO[bytes], writing: Writing, make_text: Callable[[Document, ClusterPrediction | None], str]
) -> Write:
    """Writes the result of `make_text` for each document, with a blank line between documents."""
    follows_another = bool(writing.after)

    def write(document: Document, prediction: ClusterPrediction | None) -> None:
        nonlocal follows_another
        text = make_text(document, prediction)
        whole = text if text.endswith("\n") else text + "\n"
        file.write((("\n" if follows_another else "") + whole).encode())
        follows_another = True

    return write


def resolve_with_options(
    writing: Writing, document: Document, prediction: ClusterPrediction | None
) -> ResolvedText:
    """Resolves a document with its prediction, cautiously if `writing` says so, or else with its own clusters."""
    clusters = prediction.clusters if prediction else document.clusters
    threshold = writing.min_probability
    resolved = resolve_text(
        document,
        clusters,
        prediction.probable_clusters(threshold) if prediction and threshold else None,
        writing.keep,
    )
    writing.left.update(resolved.left)
    return resolved


def resolved_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes documents with their pronouns replaced."""
    check_english(writing)
    return text_writer(file, writing, lambda *written: resolve_with_options(writing, *written).text)


def annotated_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes documents with their mentions in numbered brackets."""
    return text_writer(
        file, writing, lambda document, found: annotate(document, found.clusters if found else None)
    )


def edits_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes one JSON line per document: doc_key, text, and [begin, end, replacement] of each edit."""
    check_english(writing)

    def write(document: Document, prediction: ClusterPrediction | None) -> None:
        edits = resolve_with_options(writing, document, prediction).edits
        text = RunningText.from_document(document).text
        record = {"doc_key": document.key, "text": text, "edits": edits}
        file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())

    return write


RESOLVED = output_format_by_name("resolved", "the text with its pronouns replaced", resolved_writer, ".txt")
ANNOTATED = output_format_by_name(
    "annotated", "the text with its mentions in numbered brackets", annotated_writer, ".txt"
)
EDITS = output_format_by_name(
    "edits", "the edits that resolve a text, as JSON", edits_writer, ".jsonlines", ".jsonl", ".json"
)
