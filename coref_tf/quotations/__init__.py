"""Quotations and their speakers: rules for English that use the words and, if available, coreference clusters.

Example:
    document = document_from_text('"I am late," said Ana.', "x")
    find_all_quotations(document, [[(1, 1), (6, 6)]])[0].speaker        # "Ana"
"""

from coref_tf.quotations.attribution import find_all_quotations
from coref_tf.quotations.characters import Character, find_characters
from coref_tf.quotations.quotation import Quotation

__all__ = ["Character", "Quotation", "find_all_quotations", "find_characters"]
