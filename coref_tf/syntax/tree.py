"""Parse trees, built from the columns of a document."""

import itertools
import re
from collections.abc import Iterator, Sequence

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError

_BRACKET = re.compile(r"\(([^()*\s]*)|(\*)|(\))")


class Tree:
    """A constituent of a sentence; a leaf is a word, labelled with its part of speech.

    Args:
        label: the category without function tags, such as "NP" for "NP-SBJ-1".
        start: the index of its first word in the document.
        word: the word of a leaf; "" for a phrase.

    Example:
        [tree] = document_trees(document)
        [(phrase.label, phrase.start, phrase.end) for phrase in tree.phrases()]
    """

    def __init__(self, label: str, start: int, word: str = ""):
        self.label = label
        self.start = self.end = start
        self.word = word
        self.children: list[Tree] = []
        self.parent: Tree | None = None

    def add(self, child: "Tree") -> None:
        """Appends a child."""
        child.parent = self
        self.children.append(child)

    @property
    def is_leaf(self) -> bool:
        """Whether this is a word."""
        return not self.children

    @property
    def span(self) -> tuple[int, int]:
        """The indices of its first and last word."""
        return self.start, self.end

    def subtrees(self) -> Iterator["Tree"]:
        """Yields this tree and all its subtrees, parents before children, left to right."""
        waiting = [self]
        while waiting:
            tree = waiting.pop()
            yield tree
            waiting += reversed(tree.children)

    def phrases(self) -> Iterator["Tree"]:
        """Yields the subtrees that are not words."""
        return (tree for tree in self.subtrees() if not tree.is_leaf)

    def leaves(self) -> list["Tree"]:
        """Returns the words."""
        return [tree for tree in self.subtrees() if tree.is_leaf]

    def ancestors(self) -> Iterator["Tree"]:
        """Yields the parent, its parent, and so on."""
        tree = self.parent
        while tree is not None:
            yield tree
            tree = tree.parent

    def siblings_after(self) -> list["Tree"]:
        """Returns the parent's children to the right of this one."""
        if self.parent is None:
            return []
        return self.parent.children[self.parent.children.index(self) + 1 :]

    def __repr__(self) -> str:
        return f"({self.label} {self.word or ' '.join(map(repr, self.children))})"


def read_tree(words: Sequence[str], tags: Sequence[str], bits: Sequence[str], start: int = 0) -> Tree:
    """Builds the tree of one sentence.

    Args:
        words: the words of the sentence.
        tags: the part of speech of each word.
        bits: the parse column of each word: the brackets that open before it, "*" for the word itself, and the
            brackets that close after it.
        start: the number of words of the document before the sentence.

    Example:
        read_tree(["She", "left"], ["PRP", "VBD"], ["(S(NP*)", "(VP*))"])   # (S (NP (PRP She)) (VP (VBD left)))
    """
    holder = Tree("", start)  # a parent of the root
    inner = holder
    for place, (word, tag, bit) in enumerate(zip(words, tags, bits, strict=True)):
        pieces = list(_BRACKET.finditer(bit))
        if "".join(piece[0] for piece in pieces) != bit or bit.count("*") != 1:
            raise CorefError(f"{bit!r} at {word!r} is not a parse bit; expected one such as '(S(NP*)'")
        for piece in pieces:
            if piece[1] is not None:
                phrase = Tree(bare_label(piece[1]), start + place)
                inner.add(phrase)
                inner = phrase
            elif piece[2]:
                inner.add(Tree(tag, start + place, word))
            elif inner is holder:
                raise CorefError(f"a closing bracket without an opening one at {word!r}")
            elif inner.is_leaf:
                raise CorefError(f"a phrase without words at {word!r}")
            else:
                inner.end = start + place
                inner = inner.parent or holder
    if inner is not holder:
        raise CorefError(f"the bracket of {inner.label!r} at {words[inner.start - start]!r} is never closed")
    if len(holder.children) != 1 or holder.children[0].is_leaf:
        raise CorefError("the sentence is not a single tree; expected brackets around the whole sentence")
    [root] = holder.children
    root.parent = None
    return root


def document_trees(document: Document) -> list[Tree]:
    """Returns the tree of each nonempty sentence; raises an error if the document has no parses.

    Example:
        document_trees(next(read_documents("dev.english.v4_gold_conll")))[0].label    # "TOP"
    """
    for layer, name in ((document.parse, "parses"), (document.pos, "part-of-speech tags")):
        if layer is None and document.num_words:
            raise CorefError(
                f"document {document.key} has no {name}; expected CoNLL-2012 files whose columns 5 and 6 hold tags"
                " and parse bits, or jsonlines with pos and parse"
            )
    # The start of each sentence, followed by the end of the document.
    starts = itertools.accumulate(map(len, document.sentences), initial=0)
    trees = []
    layers = zip(document.sentences, document.pos or (), document.parse or (), starts, strict=False)
    for number, (words, tags, bits, start) in enumerate(layers):
        try:
            trees += [read_tree(words, tags, bits, start)] if words else []
        except CorefError as error:
            raise CorefError(f"document {document.key}, parse of sentence {number}: {error}") from None
    return trees


def bare_label(label: str) -> str:
    """Returns the category without function tags and indices; labels that start with a hyphen, as -LRB-, are kept."""
    return label if label.startswith("-") else re.split("[-=|]", label, maxsplit=1)[0]
