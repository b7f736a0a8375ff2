"""The errors as a page: the tables, and the worst documents with their gold and predicted mentions marked."""

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

# Each kind of mark has brackets of its own, so that no colour has to be seen.
BRACKETS = {"right": ("[", "]"), "missing": ("‹", "›"), "extra": ("{", "}")}
_BETWEEN = {
    SPAN: "instead of",
    CONFLATED: "joined to",
    EXTRA_MENTION: "added to",
    DIVIDED: "parted from",
    MISSING_MENTION: "left out of",
}
_SHOWN = 4  # mentions of an entity in the list of errors


def write_errors_page(path: str | os.PathLike, title: str, lead: str, models: Models, worst: int) -> None:
    """Writes the page.

    Args:
        path: of the page.
        title: of all.
        lead: which model read what.
        models: the errors of one model, or of several.
        worst: how many documents to show, of the first model.
    """
    tables = [section(table.title, table_element(table._replace(title=""))) for table in error_tables(models)]
    name, counts = next(iter(models.items()))
    documents = "".join(document_element(document) for document in counts.worst(worst))
    legend = (
        "A mention that was found [stands in brackets], one that was missed ‹in these›, one that is none {in these}."
        " The number behind it is its gold entity, the letter its predicted one."
    )
    shown = section(f"The worst documents: {name}", paragraph(legend, "hint"), documents)
    write_report(path, title, lead, [*tables, shown])


def document_element(of: DocumentErrors) -> str:
    """One document: its figures, its errors in words, and its text with marks."""
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
    """An error in words."""
    line = f"<b>{error.kind}</b> ({error.mention_kind}): {_in_words(document, error.mentions)}"
    if error.other:
        line += f" {_BETWEEN[error.kind]} {_in_words(document, error.other)}"
    return line


def marked_text(of: DocumentErrors) -> str:
    """The text, each sentence a line, with brackets around each gold and each predicted mention."""
    words, gaps = words_and_gaps(of.document)
    gold, predicted = _numbers(of.gold), _numbers(of.predicted)
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    # What opens at one word opens from the widest in; what closes there closes from the narrowest out.
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
        # A text's own line ends are kept to one, so that a page of verse isn't longer than it has to be.
        gap = "<br>\n" if place in ends else html.escape(" " if gaps[place].strip(" ") else gaps[place])
        parts += [gap, *opening.get(place, []), html.escape(word), *closing.get(place, [])]
    return "".join(parts)


def letters(number: int) -> str:
    """a ... z, aa, ab ...: the names of predicted entities.

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
