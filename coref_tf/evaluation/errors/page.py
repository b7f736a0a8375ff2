"""The error page: tables, and the worst documents with their gold and predicted mentions marked."""

import html
import itertools
import os
from collections import Counter
from collections.abc import Sequence

from coref_tf.documents.document import Document
from coref_tf.documents.running_text import words_and_gaps
from coref_tf.evaluation.errors.corrections import (
    CONFLATED,
    DIVIDED,
    ERROR_KINDS,
    EXTRA_MENTION,
    MISSING_MENTION,
    SPAN,
    Clusters,
    Error,
)
from coref_tf.evaluation.errors.measure import DocumentErrors
from coref_tf.evaluation.errors.mention_kinds import Span
from coref_tf.evaluation.errors.tables import Models, error_tables
from coref_tf.page.report import paragraph, section, table_element, write_report

# Each kind of mention has its own brackets, so that the page does not depend on colour.
BRACKETS = {"right": ("[", "]"), "missing": ("‹", "›"), "extra": ("{", "}")}
_BETWEEN = {
    SPAN: "instead of",
    CONFLATED: "joined to",
    EXTRA_MENTION: "added to",
    DIVIDED: "separated from",
    MISSING_MENTION: "left out of",
}
_SHOWN = 4  # the maximum number of mentions of an entity in the list of errors


def write_errors_page(path: str | os.PathLike, title: str, lead: str, models: Models, worst: int) -> None:
    """Writes the page.

    Args:
        path: The path of the page.
        title: The title of the page.
        lead: A line that names the model and the data.
        models: The errors of one or more models.
        worst: How many documents of the first model to show.
    """
    tables = [section(table.title, table_element(table._replace(title=""))) for table in error_tables(models)]
    name, counts = next(iter(models.items()))
    documents = "".join(document_element(document) for document in counts.worst(worst))
    legend = (
        "Brackets mark [mentions that were found], ‹mentions that were missed› and {predicted mentions that are wrong}."
        " The number after a mention is its gold entity, the letter its predicted entity."
    )
    shown = section(f"The worst documents: {name}", paragraph(legend, "hint"), documents)
    write_report(path, title, lead, [*tables, shown])


def document_element(of: DocumentErrors) -> str:
    """Formats one document: its scores, its errors in words, and its text with marks."""
    counts = Counter(error.kind for error in of.errors)
    facts = [f"F1 {100 * of.f1:.1f}", f"{of.document.num_words:,} words"]
    facts += [f"{counts[kind]} × {kind}" for kind in ERROR_KINDS if counts[kind]]
    lines = "".join(f"<li>{error_line(error, of.document)}</li>\n" for error in of.errors)
    return (
        f"<h3>{html.escape(of.document.key)}</h3>\n{paragraph(', '.join(facts), 'hint')}"
        f"<details><summary>{len(of.errors)} errors</summary><ol>{lines}</ol></details>\n"
        f'<p class="marked">{marked_text(of)}</p>\n'
    )


def error_line(error: Error, document: Document) -> str:
    """Describes an error in words."""
    line = f"<b>{error.kind}</b> ({error.mention_kind}): {_in_words(document, error.mentions)}"
    if error.other:
        line += f" {_BETWEEN[error.kind]} {_in_words(document, error.other)}"
    return line


def marked_text(of: DocumentErrors) -> str:
    """Formats the text, one sentence per line, with brackets around each gold and each predicted mention."""
    words, gaps = words_and_gaps(of.document)
    gold, predicted = _numbers(of.gold), _numbers(of.predicted)
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    # Mentions that start at the same word open from the widest to the narrowest, and close in reverse order.
    for span in sorted(set(gold) | set(predicted), key=lambda span: (span[0], -span[1])):
        kind = "right" if span in gold and span in predicted else "missing" if span in gold else "extra"
        opens, closes = BRACKETS[kind]
        label = (str(gold[span] + 1) if span in gold else "") + (
            letters(predicted[span]) if span in predicted else ""
        )
        opening.setdefault(span[0], []).append(f'<b class="{kind}">{opens}</b>')
        closing.setdefault(span[1], []).insert(0, f'<b class="{kind}">{closes}<sub>{label}</sub></b>')
    ends = set(itertools.accumulate(len(sentence) for sentence in of.document.sentences))
    parts = []
    for place, word in enumerate(words):
        # Successive line breaks are reduced to one, to keep pages of verse short.
        gap = "<br>\n" if place in ends else html.escape(" " if gaps[place].strip(" ") else gaps[place])
        parts += [gap, *opening.get(place, []), html.escape(word), *closing.get(place, [])]
    return "".join(parts)


def letters(number: int) -> str:
    """Returns a ... z, aa, ab ...: the names of predicted entities.

    Example:
        letters(0), letters(25), letters(26)     # "a", "z", "aa"
    """
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def _numbers(clusters: Clusters) -> dict[Span, int]:
    return {mention: number for number, cluster in enumerate(clusters) for mention in cluster}


def _in_words(document: Document, mentions: Sequence[Span]) -> str:
    shown = [" ".join(document.words[start : end + 1]) for start, end in mentions[:_SHOWN]]
    more = [f"and {len(mentions) - _SHOWN} more"] if len(mentions) > _SHOWN else []
    return ", ".join([f"<q>{html.escape(words)}</q>" for words in shown] + more)
