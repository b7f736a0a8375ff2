"""CorefUD's CoNLL-U, the format of the shared tasks on multilingual coreference."""

from typing import IO

from coref_tf.documents.corefud_reader import read_corefud
from coref_tf.documents.corefud_writer import CorefudWriter
from coref_tf.documents.document import Document
from coref_tf.documents.format import Format, Predicted, Write, Writing, plain


def corefud_writer(file: IO[bytes], writing: Writing) -> Write:
    """Writes documents with the clusters predicted for them, or their own."""
    writer = CorefudWriter(file, writing.after)

    def write(document: Document, prediction: Predicted | None) -> None:
        writer(document.with_clusters(prediction.clusters) if prediction else document)

    return write


FORMAT = Format(
    "conllu", (".conllu",), "CorefUD's CoNLL-U", read=read_corefud, open=plain(corefud_writer), appends=True
)
