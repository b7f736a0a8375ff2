"""CoNLL-2012, the format of the field."""

from typing import IO

from coref_tf.documents.conll_reader import checked_blocks, read_conll
from coref_tf.documents.conll_writer import ConllWriter
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Reading, Write, Writing, plain


def check_conll(path: str, reading: Reading) -> None:
    """Reports every problem of a file, also of documents that can't be made."""
    for _ in checked_blocks(path, reading.report, reading.allow_empty):
        pass


def conll_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes documents with the clusters predicted for them, or their own."""
    writer = ConllWriter(file, writing.after)

    def write(document: Document, prediction: Predicted | None) -> None:
        writer(document.with_clusters(prediction.clusters) if prediction else document)

    return write


FORMAT = Format(
    "conll",
    (".conll", "_conll", ".key", ".response"),
    "CoNLL-2012",
    read=lambda path, reading: read_conll(path, reading.report, reading.allow_empty),
    open=plain(conll_writer),
    check=check_conll,
    appends=True,
)
