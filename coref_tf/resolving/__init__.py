"""The text with its mentions replaced by what they stand for; English, from words alone.

Example:
    document = document_from_text("Marta left. She ran.", "x")
    resolve(document, [[(0, 0), (3, 3)]])         # "Marta left. Marta ran."
    find_edits(document, [[(0, 0), (3, 3)]])      # [Edit(begin=12, end=15, replacement="Marta")]
    annotate(document, [[(0, 0), (3, 3)]])        # "[1 Marta] left. [1 She] ran."
"""

from coref_tf.documents.set_text import SetText
from coref_tf.resolving.annotating import annotate
from coref_tf.resolving.edit import Edit, apply_edits
from coref_tf.resolving.resolve import find_edits, resolve

__all__ = ["Edit", "SetText", "annotate", "apply_edits", "find_edits", "resolve"]
