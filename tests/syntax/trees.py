"""Makes trees and documents from brackets as the treebank prints them."""

import re

from coref_tf.documents import Document
from coref_tf.syntax.tree import Tree, read_tree


def columns(brackets: str) -> tuple[list[str], list[str], list[str]]:
    """Returns the words, tags and parse bits of brackets such as "(S (NP (PRP She)) (VP (VBD left)))"."""
    words, tags, bits, pending = [], [], [], ""
    for opened, tag, word, closed in re.findall(r"\((\S+) (?=\()|\((\S+) ([^()\s]+)\)|(\))", brackets):
        if word:
            words.append(word)
            tags.append(tag)
            bits.append(pending + "*")
            pending = ""
        elif closed:
            bits[-1] += ")"
        else:
            pending += f"({opened}"
    return words, tags, bits


def tree_of(brackets: str) -> Tree:
    """The tree of a sentence, read from its columns."""
    return read_tree(*columns(brackets))


def document_of(*sentences: str, named_entities=None) -> Document:
    """A document of such sentences."""
    words, tags, bits = zip(*map(columns, sentences), strict=True)
    return Document("nw/made", words, pos=tags, parse=bits, named_entities=named_entities)
