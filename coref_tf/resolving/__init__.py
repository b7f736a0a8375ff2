"""Text with its pronouns replaced by what they refer to, using rules for English that need only the words.

Example:
    document = document_from_text("Marta left. She ran.", "x")
    replace_pronouns(document, [[(0, 0), (3, 3)]])   # "Marta left. Marta ran."
    find_edits(document, [[(0, 0), (3, 3)]])         # [Edit(begin=12, end=15, replacement="Marta")]
    annotate(document, [[(0, 0), (3, 3)]])           # "[1 Marta] left. [1 She] ran."
"""

from coref_tf.documents.running_text import RunningText
from coref_tf.resolving.cautious import ResolvedText, describe_left, resolve_text
from coref_tf.resolving.formats import annotate
from coref_tf.resolving.replacing import find_edits, replace_pronouns
from coref_tf.resolving.scene import Edit, apply_edits

__all__ = [
    "Edit",
    "ResolvedText",
    "RunningText",
    "annotate",
    "apply_edits",
    "describe_left",
    "find_edits",
    "replace_pronouns",
    "resolve_text",
]
