"""Output formats for quotations and characters: a readable table, CSV, and JSON with one line per document."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

from coref_tf.documents.document import Document
from coref_tf.documents.format import ClusterPrediction, Format, Write, Writing, plain
from coref_tf.documents.tokenizer import ENGLISH
from coref_tf.quotations.attribution import find_all_quotations
from coref_tf.quotations.characters import Character, find_characters
from coref_tf.quotations.quotation import Quotation
from coref_tf.support.errors import CorefError

_WIDEST = 72  # the maximum number of characters of a table cell
_WIDEST_NAME = 28
_FORMS = 6  # the maximum number of names and pronouns of a character in a table
Clusters = Sequence[Sequence[tuple[int, int]]]
# The result for one document: the rows of a table, or a JSON record.
Rows = Callable[[Document, Clusters], Iterable[Sequence[Any]]]

QUOTE_COLUMNS = ("document", "line", "begin", "end", "first_word", "last_word", "depth", "speaker", "words")
CHARACTER_COLUMNS = ("document", "name", "mentions", "quotations", "names", "pronouns")


def quote_rows(document: Document, clusters: Clusters) -> list[list[Any]]:
    """Returns the CSV rows for the quotations of a document."""
    quotations = find_all_quotations(document, clusters)
    lines = _lines(document, quotations)
    return [
        [document.key, line, q.begin_char, q.end_char, q.start, q.end, q.depth, q.speaker, q.text]
        for line, q in zip(lines, quotations, strict=True)
    ]


def quote_lines(document: Document, clusters: Clusters) -> str:
    """Returns the quotations of a document in readable form: the line in the text (or the word), speaker and words."""
    quotations = find_all_quotations(document, clusters)
    lines_of = _lines(document, quotations)
    places = [str(q.start if line is None else line) for line, q in zip(lines_of, quotations, strict=True)]
    speakers = [_shorten(quotation.speaker or "?", _WIDEST_NAME) for quotation in quotations]
    widths = max(map(len, places), default=0), max(map(len, speakers), default=0)
    count = "1 quotation" if len(quotations) == 1 else f"{len(quotations):,} quotations"
    lines = [f"{document.key}: {count}"]
    for place, speaker, quotation in zip(places, speakers, quotations, strict=True):
        indent = "  " * quotation.depth
        lines.append(f"  {place:>{widths[0]}}  {speaker:<{widths[1]}}  {indent}{_shorten(quotation.text)}")
    return "\n".join(lines)


def character_rows(document: Document, clusters: Clusters) -> list[list[Any]]:
    """Returns the CSV rows for the characters of a document."""
    return [
        [document.key, c.name, c.mentions, len(c.quotations), _counted(c.names), _counted(c.pronouns)]
        for c in find_characters(document, clusters)
    ]


def character_lines(document: Document, clusters: Clusters) -> str:
    """Returns the characters of a document in readable form: their counts, names and words."""
    characters = find_characters(document, clusters)
    count = "1 character" if len(characters) == 1 else f"{len(characters):,} characters"
    return "\n".join([f"{document.key}: {count}", *(_character_text(one) for one in characters)])


def _character_text(character: Character) -> str:
    said = len(character.quotations)
    speaks = f", speaks {_times(said)}" if said else ""
    lines = [f"  {_shorten(character.name)}: {_times(character.mentions)}{speaks}"]
    for title, counts in (("called", character.names), ("pronouns", character.pronouns)):
        if counts:
            lines.append(f"      {title}: {_shorten(_counted(counts, _FORMS))}")
    if said:
        lines.append(f"      says: {_shorten(max(character.quotations, key=_interest).text)}")
    return "\n".join(lines)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _interest(quotation: Quotation) -> tuple[bool, int]:
    """Returns the sort key for choosing a quotation to show: preferably with a tag, and of moderate length."""
    return quotation.tag is not None, min(len(quotation.text), _WIDEST)


def _counted(counts: Any, most: int | None = None) -> str:
    shown = list(counts.items())[:most]
    return ", ".join(f"{form} {number}" for form, number in shown)


def _shorten(text: str, widest: int = _WIDEST) -> str:
    line = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return line if len(line) <= widest else f"{line[: widest - 1].rstrip()}…"


def _lines(document: Document, quotations: Sequence[Quotation]) -> list[int | None]:
    """Returns the line of the text, from 1, in which each quotation begins; None if there is no text."""
    lines: list[int | None] = []
    line, place = 1, 0
    for quotation in quotations:
        if document.text is None or quotation.begin_char is None:
            lines.append(None)
            continue
        line += document.text.count("\n", place, quotation.begin_char)
        place = quotation.begin_char
        lines.append(line)
    return lines


def _clusters(document: Document, prediction: ClusterPrediction | None) -> Clusters:
    return prediction.clusters if prediction else document.clusters


def _check_english(writing: Writing) -> None:
    for experiment in writing.experiments:
        if experiment.language != ENGLISH:
            raise CorefError(
                f"experiment {experiment.name}: language = {experiment.language}, but finding quotations is supported"
                " only in English: expected language = en"
            )


def _text_writer(show: Callable[[Document, Clusters], str]) -> Callable[[IO[bytes], Writing], Write]:
    def writer(file: IO[bytes], writing: Writing) -> Write:
        _check_english(writing)

        def write(document: Document, prediction: ClusterPrediction | None) -> None:
            file.write(f"{show(document, _clusters(document, prediction))}\n".encode())

        return write

    return writer


def _csv_writer(columns: Sequence[str], rows: Rows) -> Callable[[IO[bytes], Writing], Write]:
    def writer(file: IO[bytes], writing: Writing) -> Write:
        _check_english(writing)
        header = [] if writing.after else [columns]

        def write(document: Document, prediction: ClusterPrediction | None) -> None:
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(
                [*header, *rows(document, _clusters(document, prediction))]
            )
            header.clear()
            file.write(text.getvalue().encode())

        return write

    return writer


def _json_writer(key: str, find: Callable[[Document, Clusters], Iterable[Any]]) -> Callable[..., Write]:
    def writer(file: IO[bytes], writing: Writing) -> Write:
        _check_english(writing)

        def write(document: Document, prediction: ClusterPrediction | None) -> None:
            found = find(document, _clusters(document, prediction))
            record = {"doc_key": document.key, key: [each.to_dict() for each in found]}
            file.write((json.dumps(record, ensure_ascii=False) + "\n").encode())

        return write

    return writer


def _declare(name: str, summary: str, writer: Callable[..., Write], *endings: str) -> Format:
    return Format(name, (), summary, open=plain(writer), appends=True, written_to=endings)


_JSON = (".jsonlines", ".jsonl", ".json")
QUOTES = _declare(
    "quotes",
    "quotations and their speakers, as a table",
    _text_writer(quote_lines),
    ".txt",
)
QUOTES_CSV = _declare(
    "quotes-csv", "quotations and their speakers, as CSV", _csv_writer(QUOTE_COLUMNS, quote_rows), ".csv"
)
QUOTES_JSON = _declare(
    "quotes-json",
    "quotations and their speakers, as JSON",
    _json_writer("quotations", find_all_quotations),
    *_JSON,
)
CHARACTERS = _declare(
    "characters", "the characters of a text, in readable form", _text_writer(character_lines), ".txt"
)
CHARACTERS_CSV = _declare(
    "characters-csv",
    "the characters of a text, as CSV",
    _csv_writer(CHARACTER_COLUMNS, character_rows),
    ".csv",
)
CHARACTERS_JSON = _declare(
    "characters-json",
    "the characters of a text, as JSON",
    _json_writer("characters", find_characters),
    *_JSON,
)
