"""Reads CoNLL-2012 skeletons, gold annotation with [WORD] for each word; the words come from OntoNotes' trees."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from coref_tf.documents.conll import WORD
from coref_tf.documents.conll_blocks import Block, read_blocks
from coref_tf.documents.rows import Row
from coref_tf.support.errors import InputError
from paper.ontonotes.treebank import read_treebank

PLACEHOLDER = "[WORD]"
_BEFORE_WORD = re.compile(rb"((?:\S+\s+){2}\S+\s+?) {0,2}\[WORD\](?=\s)")

_logger = logging.getLogger("paper.ontonotes")


def read_skeleton(skeleton: Path, parse: Path, drop_edited: bool) -> Iterator[Block]:
    """Yields the documents of a skeleton with their words restored; sentences and trees must match.

    Args:
        skeleton: A *_gold_skel file.
        parse: The .parse file of the same name.
        drop_edited: Whether the skeleton has no rows for words that speakers took back.
    """
    trees = read_treebank(parse, drop_edited)
    for block in read_blocks(skeleton):
        for rows in block.sentences:
            line = rows[0].line
            tree = next(trees, None)
            if tree is None:
                raise InputError(
                    skeleton, line, f"a sentence after the last tree of {parse}; expected a tree"
                )
            if len(tree.words) != len(rows):
                expected = f"expected {len(tree.words)}, as in {parse}:{tree.line}"
                raise InputError(skeleton, line, f"a sentence of {len(rows)} words; {expected}")
            _fill_words(block, rows, tree.words)
        yield block
    # Not an error, because a release may annotate only the beginning of a file.
    if unused := sum(1 for _ in trees):
        _logger.warning("%s: its last %d trees have no sentence in %s", parse, unused, skeleton)


def _fill_words(block: Block, rows: list[Row], words: list[str]) -> None:
    """Replaces [WORD] with the words, right-aligned like every column of the release."""
    width = max(map(len, words)) + 2
    for row, word in zip(rows, words, strict=True):
        place = row.line - block.first_line
        before = _BEFORE_WORD.match(block.lines[place])
        if not before or row.columns[WORD] != PLACEHOLDER:
            raise InputError(block.path, row.line, f"{row.columns[WORD]!r} as a word; expected {PLACEHOLDER}")
        # The release puts digits, asterisks and hyphens one position off the edge of the column.
        cell = f"{word} " if word[-1] in "*-0123456789" else word
        block.lines[place] = before[1] + cell.rjust(width).encode() + block.lines[place][before.end() :]
        row.columns[WORD] = word
