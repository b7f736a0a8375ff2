"""Reads and writes documents in every format that `formats` lists.

Example:
    with open_writer("dev.jsonlines") as write:
        for document in read_documents("dev.english.v4_gold_conll"):
            write(document)
"""

from coref_tf.documents.document import Document
from coref_tf.documents.formats import open_writer, read_documents

__all__ = ["Document", "open_writer", "read_documents"]
