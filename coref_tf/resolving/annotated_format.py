"""Annotated text as an output."""

from coref_tf.documents.format import Format, plain
from coref_tf.resolving.annotating import annotate
from coref_tf.resolving.text_format import text_writer

FORMAT = Format(
    "annotated",
    (),
    "the text with its mentions in numbered brackets",
    open=plain(text_writer(annotate)),
    appends=True,
    written_to=(".txt",),
)
