"""Documents as CorefUD's CoNLL-U.

A document that was read from CoNLL-U is written as it stood; if it has other clusters now, its lines differ in the
entities alone. Any other document gets rows of words, tags and entities.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from coref_tf.documents.corefud_blocks import COLUMNS, DEFAULT_FIELDS, HEAD, ID, MISC, UPOS, XPOS
from coref_tf.documents.corefud_reader import CorefudSource
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.lines import BYTE_ORDER_MARK
from coref_tf.documents.spacing import words_and_gaps
from coref_tf.support.errors import CorefError

_GLOBAL = "# global.Entity = "
_DECLARED = re.compile(rb"#\s*global\.Entity\b")
_NEWDOC = re.compile(rb"#\s*newdoc\b")
_OF_ENTITIES = ("Entity=", "Bridge=", "SplitAnte=")  # the latter two name entities that are no more
_UPOS = re.compile("ADJ|ADP|ADV|AUX|CCONJ|DET|INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X|_")


class CorefudWriter:
    """Writes documents, one after the other, to a file opened in binary mode.

    Args:
        file: where to write; what is there already stays.
        after: the last bytes that are there, empty at the start of a file.
    """

    def __init__(self, file: IO[bytes], after: bytes = b""):
        self.file = file
        self.empty, self.line_ended, self.sentence_ended = not after, True, True
        self.fields: tuple[str, ...] | None = None  # what the latest `# global.Entity` said

    def __call__(self, document: Document) -> None:
        """Writes one document."""
        source = document.source
        if isinstance(source, CorefudSource) and source.fits(document):
            same = source.clusters == document.clusters
            lines = list(source.lines if same else _relabelled_lines(document, source))
            fields = source.fields
        else:
            lines, fields = list(_new_lines(document)), DEFAULT_FIELDS
        self._write(self._declared(lines, fields))

    def _declared(self, lines: list[bytes], fields: tuple[str, ...]) -> list[bytes]:
        """The lines, with what brackets hold where neither they nor what is written before them say so."""
        said = any(_DECLARED.match(line.removeprefix(BYTE_ORDER_MARK)) for line in lines)
        known = fields == (self.fields or DEFAULT_FIELDS) and (self.fields is not None or self.empty)
        self.fields = fields
        if said or known:
            return lines
        place = 1 if lines and _NEWDOC.match(lines[0].removeprefix(BYTE_ORDER_MARK)) else 0
        return [*lines[:place], f"{_GLOBAL}{'-'.join(fields)}\n".encode(), *lines[place:]]

    def _write(self, lines: list[bytes]) -> None:
        content = b"".join(lines)
        if not self.empty:  # the byte order mark of another file belongs at a file's start only
            content = content.removeprefix(BYTE_ORDER_MARK)
        if not content:
            return
        missing = b"" if self.sentence_ended else (b"\n" if self.line_ended else b"\n\n")
        self.file.write(missing + content)
        self.empty, self.line_ended = False, content.endswith(b"\n")
        self.sentence_ended = content.endswith((b"\n\n", b"\n\r\n"))


def entity_labels(
    document: Document,
    fields: Sequence[str] = DEFAULT_FIELDS,
    values: Mapping[tuple[int, int], Sequence[str]] | None = None,
    heads: Sequence[int] | None = None,
) -> list[str]:
    """The brackets of each word; "" where there are none.

    Args:
        document: with its clusters.
        fields: of a bracket, in their order.
        values: of mentions that had some already, by their span; type and the like stay what they were.
        heads: for each word the word that it depends on, or -1; without them the last word is a mention's head.
    """
    spans = [
        (start, end, f"e{n}") for n, cluster in enumerate(document.clusters, 1) for start, end in cluster
    ]
    opening, single, closing = ([[] for _ in range(document.num_words)] for _ in range(3))
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        head = _head_of(start, end, heads)
        bracket = _bracket(name, head, fields, (values or {}).get((start, end), ()))
        if start == end:
            single[start].append(f"({bracket})")
        else:
            opening[start].append(f"({bracket}")
            closing[end].insert(0, f"{name})")
    # What closes can't stand right behind what opens: it would read as one of its fields.
    return [
        "".join([*closed, *opened, *alone] if opened else [*alone, *closed])
        for opened, alone, closed in zip(opening, single, closing, strict=True)
    ]


def _bracket(name: str, head: int, fields: Sequence[str], values: Sequence[str]) -> str:
    kept = dict(zip(fields, values, strict=False))
    place = next((n for n, field in enumerate(fields) if field in ("eid", "GRP")), 0)
    known = {fields[place]: name} | ({"head": str(head)} if "head" in fields and not kept.get("head") else {})
    return "-".join({**dict.fromkeys(fields, ""), **kept, **known}[field] for field in fields)


def _head_of(start: int, end: int, heads: Sequence[int] | None) -> int:
    """Which of a mention's words depends on a word outside of it, counted from 1."""
    words = range(start, end + 1)
    outside = (word for word in words if heads is not None and not start <= heads[word] <= end)
    return next(outside, end) - start + 1


def _relabelled_lines(document: Document, source: CorefudSource) -> Iterator[bytes]:
    rows = [source.lines[row].decode().removeprefix("\ufeff").split("\t") for row in source.rows]
    labels = entity_labels(document, source.fields, source.values, _heads(document, rows))
    by_line = dict(zip(source.rows, labels, strict=True))
    for number, line in enumerate(source.lines):
        if number not in by_line:
            yield line
            continue
        text = line.decode()
        body = text.rstrip("\r\n")
        *columns, misc = body.split("\t")
        yield ("\t".join([*columns, _misc(misc, by_line[number])]) + text[len(body) :]).encode()


def _misc(misc: str, label: str) -> str:
    """The last column with other entities, the rest of it as it stood."""
    values = [] if misc == "_" else misc.split("|")
    place = next((n for n, value in enumerate(values) if value.startswith("Entity=")), None)
    if place is None:
        place = sum(value.lower() < "entity=" for value in values)
    before, behind = (
        [value for value in part if not value.startswith(_OF_ENTITIES)]
        for part in (values[:place], values[place:])
    )
    return "|".join([*before, *([f"Entity={label}"] if label else []), *behind]) or "_"


def _heads(document: Document, rows: Sequence[Sequence[str]]) -> list[int]:
    """For each word the place of the word that it depends on; -1 of a root and where that isn't said."""
    heads, first = [], 0
    for sentence in document.sentences:
        here = rows[first : first + len(sentence)]
        places = {columns[ID]: first + n for n, columns in enumerate(here)}
        heads += [
            places.get(columns[HEAD], first + n if "." in columns[ID] else -1)
            for n, columns in enumerate(here)
        ]
        first += len(sentence)
    return heads


def _new_lines(document: Document) -> Iterator[bytes]:
    """The lines of a document that comes from elsewhere."""
    words, gaps = words_and_gaps(document)
    labels, place = entity_labels(document), 0
    tags = document.pos or [["_"] * len(sentence) for sentence in document.sentences]
    yield f"# newdoc id = {document.key}\n{_GLOBAL}{'-'.join(DEFAULT_FIELDS)}\n".encode()
    filled = [rows for rows in zip(document.sentences, tags, document.speakers, strict=True) if rows[0]]
    for number, (sentence, sentence_tags, speakers) in enumerate(filled, start=1):
        behind = place + len(sentence)
        text = "".join(g + w for g, w in zip(gaps[place:behind], words[place:behind], strict=True))
        yield f"# sent_id = {document.key}-{number}\n# text = {' '.join(text.split())}\n".encode()
        if speakers[0] != NO_SPEAKER:
            yield f"# speaker = {' '.join(speakers[0].split())}\n".encode()
        for index, (word, tag) in enumerate(zip(sentence, sentence_tags, strict=True)):
            misc = [f"Entity={labels[place]}"] if labels[place] else []
            glued = index + 1 < len(sentence) and not gaps[place + 1]
            columns = [str(index + 1), _checked(word, document)] + ["_"] * (COLUMNS - 2)
            columns[UPOS if _UPOS.fullmatch(tag) else XPOS] = _checked(tag, document)
            columns[MISC] = "|".join([*misc, *(["SpaceAfter=No"] if glued else [])]) or "_"
            yield ("\t".join(columns) + "\n").encode()
            place += 1
        yield b"\n"


def _checked(value: str, document: Document) -> str:
    if not value or set(value) & set("\t\n\r") or value != value.strip():
        raise CorefError(
            f"document {document.key}: {value!r} can't stand in a CoNLL-U column; expected no tab, no line's end"
            " and no blank at either end, or write jsonlines"
        )
    return value
