"""Documents as CoNLL-2012.

A document that was read from CoNLL is written as it stood; if it has other clusters now, its lines differ
in the coreference column alone. Any other document gets the full twelve columns.
"""

import itertools
from collections.abc import Iterator
from typing import IO

from coref_tf.documents.conll_reader import ConllSource
from coref_tf.documents.document import LAYERS, NO_SPEAKER, Document
from coref_tf.documents.lines import BYTE_ORDER_MARK
from coref_tf.support.errors import CorefError

_BLANKS = " \t\n\r\v\f"  # what parts columns


class ConllWriter:
    """Writes documents, one after the other, to a file opened in binary mode.

    Args:
        file: where to write; what is there already stays.
        after: the last bytes that are there, empty at the start of a file.

    Example:
        with atomic_write("predicted.conll", "wb") as file:
            write = ConllWriter(file)
            write(document.with_clusters(predicted))
    """

    def __init__(self, file: IO[bytes], after: bytes = b""):
        self.file = file
        self.empty, self.line_ended = not after, not after or after.endswith(b"\n")

    def __call__(self, document: Document) -> None:
        """Writes one document."""
        content = b"".join(conll_lines(document))
        if not self.empty:  # the byte order mark of another file belongs at a file's start only
            content = content.removeprefix(BYTE_ORDER_MARK)
        self.file.write(content if self.line_ended else b"\n" + content)
        self.empty, self.line_ended = False, content.endswith(b"\n")


def conll_lines(document: Document) -> Iterator[bytes]:
    """The lines of a document."""
    source = document.source
    if not isinstance(source, ConllSource) or not source.fits(document):
        return _new_lines(document)
    if source.clusters == document.clusters:
        return iter(source.lines)
    return _relabelled_lines(document, source)


def coreference_column(document: Document) -> list[str]:
    """The brackets of each word, the wider mentions' outside the narrower ones'.

    Example:
        coreference_column(document)     # ["(0|(1", "1)", "-", "(0)|0)"]
    """
    spans = [(start, end, name) for name, cluster in enumerate(document.clusters) for start, end in cluster]
    opening, single, closing = ([[] for _ in range(document.num_words)] for _ in range(3))
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start == end:
            single[start].append(f"({name})")
        else:
            opening[start].append(f"({name}")
            closing[end].append(f"{name})")
    brackets = map(itertools.chain, opening, single, map(reversed, closing))
    return ["|".join(labels) or "-" for labels in brackets]


def _relabelled_lines(document: Document, source: ConllSource) -> Iterator[bytes]:
    labels = dict(zip(source.word_lines, coreference_column(document), strict=True))
    for number, line in enumerate(source.lines):
        if number in labels:
            body = line.rstrip()
            label_start = len(body) - len(body.split()[-1])
            yield line[:label_start] + labels[number].encode() + line[len(body) :]
        else:
            yield line


def _new_lines(document: Document) -> Iterator[bytes]:
    yield f"#begin document ({document.doc_key}); part {document.part:03d}\n".encode()
    doc_key = _joined(document.doc_key)
    pos, parse, entities = (
        getattr(document, name) or [[blank] * len(sentence) for sentence in document.sentences]
        for name, blank in zip(LAYERS, "-**", strict=True)
    )
    labels = iter(coreference_column(document))
    for rows in zip(document.sentences, pos, parse, document.speakers, entities, strict=True):
        for index, (word, tag, bit, speaker, entity) in enumerate(zip(*rows, strict=True)):
            columns = [doc_key, document.part, index]
            columns += [_checked(value, document) for value in (word, tag, bit)]
            columns += ["-", "-", "-", _joined(speaker), _checked(entity, document), next(labels)]
            yield ("   ".join(map(str, columns)) + "\n").encode()
        if rows[0]:
            yield b"\n"
    yield b"#end document\n"


def _checked(value: str, document: Document) -> str:
    if not value or any(blank in value for blank in _BLANKS):
        raise CorefError(
            f"document {document.key}: {value!r} can't stand in a CoNLL column; expected no blanks inside, "
            "or write jsonlines"
        )
    return value


def _joined(name: str) -> str:
    """A name as a column shows it: OntoNotes, too, writes Larry_King."""
    return "_".join(name.split()) or NO_SPEAKER
