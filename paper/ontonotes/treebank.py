"""Reads the words of OntoNotes' .parse files."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from coref_tf.support.errors import InputError

TRACE, EDITED = "-NONE-", "EDITED"
NO_WORDS = "nullp"

# Words may contain spaces of other scripts, so only ASCII spaces separate tokens.
_TOKEN = re.compile(r"[()]|[^() \t\r\n\v\f]+")


class Sentence(NamedTuple):
    """The words of a tree and the line where it begins."""

    line: int
    words: list[str]


def read_treebank(path: str | os.PathLike, drop_edited: bool) -> Iterator[Sentence]:
    """Yields the words of each tree, without traces.

    A tree without remaining words becomes one word, "nullp", as in the CoNLL-2012 release.

    Args:
        path: A .parse file.
        drop_edited: Whether to omit what the speaker took back (EDITED), as the English files do.

    Example:
        (TOP (S (EDITED (NP (PRP He))) (NP-SBJ-1 (PRP She)) (VP (VBD left) (NP (-NONE- *-1))) (. .)))
        yields Sentence(1, ["She", "left", "."])
    """
    labels: list[str | None] = []  # the labels of the open brackets
    has_word = False  # whether the innermost bracket is a leaf
    begin, words = 0, []
    number = 0
    for number, line in _lines(path):
        for token in _TOKEN.findall(line):
            if token == "(":
                if not labels:
                    begin, words = number, []
                labels.append(None)
                has_word = False
            elif not labels:
                raise InputError(path, number, f"{token!r} outside a tree; expected '('")
            elif token == ")":
                labels.pop()
                has_word = False
                if not labels:
                    yield Sentence(begin, words or [NO_WORDS])
            elif labels[-1] is None:
                labels[-1] = token
            elif has_word:
                raise InputError(path, number, f"{token!r} after a leaf's word; expected ')'")
            else:
                has_word = True
                if labels[-1] != TRACE and not (drop_edited and EDITED in labels):
                    words.append(token)
    if labels:
        raise InputError(
            path, number, f"the tree in line {begin} does not end; expected {len(labels)} more ')'"
        )


def _lines(path: str | os.PathLike) -> Iterator[tuple[int, str]]:
    """Yields the lines of trees, without comments and markup."""
    with open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                raise InputError(path, number, "not UTF-8; expected UTF-8 text") from None
            if not line.startswith((";", "<", "*")):
                yield number, line
