"""Normalises characters like BERT's tokenizer, in the graph; equivalent to encoder.bert_characters, with tables."""

import sys
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.encoder.bert_characters import spaced
from coref_tf.layers.blocks import owners

PAGE = 256
SPACE = ord(" ")
# These code points are letters or unassigned; all stay unchanged.
UNCHANGED = range(0x30000, 0xE0000)
# Represents the character itself in its replacement.
_ITSELF = -1
# The replacement of most characters.
_SAME = (_ITSELF,)


class Characters(NamedTuple):
    """A stream of characters, and the word that each belongs to."""

    codes: tf.Tensor  # int32 [characters]
    words: tf.Tensor  # int32 [characters], in ascending order


class CodePoints(tf.Module):
    """Applies `bert_characters.spaced` to every character.

    Each character maps to the number of its replacement, via a page of 256 neighbours; most pages are identical to one
    of a few.

    Args:
        lowercase: Whether to lowercase characters, for an uncased encoder.

    Example:
        CodePoints(lowercase=True)(Characters([201, 33], [0, 0]))     # the codes of e, space, !, space
    """

    def __init__(self, lowercase: bool):
        super().__init__(name="code_points")
        self.lowercase = lowercase
        forms: dict[tuple[int, ...], int] = {_SAME: 0}
        entries = np.zeros(sys.maxunicode + 1, np.int32)
        for page in range(0, len(entries), PAGE):
            if page not in UNCHANGED:
                entries[page : page + PAGE] = [
                    forms.setdefault(form, len(forms)) for form in _forms(page, lowercase)
                ]
        pages, numbers = np.unique(entries.reshape(-1, PAGE), axis=0, return_inverse=True)
        lengths = np.array([len(form) for form in forms], np.int32)
        self.page_numbers = _table(numbers.reshape(-1), "page_numbers")
        self.pages = _table(pages.reshape(-1), "pages")
        self.lengths = _table(lengths, "lengths")
        self.starts = _table(np.cumsum(lengths) - lengths, "starts")
        self.forms = _table(np.array([code for form in forms for code in form]), "forms")

    def __call__(self, characters: Characters) -> Characters:
        """Replaces the characters, with spaces around separate words."""
        page_numbers = tf.gather(self.page_numbers, characters.codes // PAGE)
        # [characters]: the number of each replacement
        forms = tf.gather(self.pages, page_numbers * PAGE + characters.codes % PAGE)
        lengths = tf.gather(self.lengths, forms)
        # [new characters]: the old character that each comes from, and its index there
        of_old = owners(lengths)
        places = tf.range(tf.size(of_old)) - tf.gather(tf.cumsum(lengths, exclusive=True), of_old)
        starts = tf.gather(tf.gather(self.starts, forms), of_old)
        codes = tf.gather(self.forms, starts + places)
        codes = tf.where(codes == _ITSELF, tf.gather(characters.codes, of_old), codes)
        return Characters(codes, tf.gather(characters.words, of_old))


def _forms(page: int, lowercase: bool) -> Iterator[tuple[int, ...]]:
    """Yields the replacements of the characters of a page."""
    codes = list(range(page, page + PAGE))
    # Private-use characters are removed; a page whose first and last are private has no others.
    if {unicodedata.category(chr(code)) for code in (codes[0], codes[-1])} == {"Co"}:
        codes = [codes[0]] * PAGE
    for code in codes:
        form = map(ord, spaced(chr(code), lowercase))
        # An ideograph becomes itself with spaces around it, so thousands of them share this replacement.
        yield tuple(_ITSELF if other == code else other for other in form)


def _table(values: np.ndarray, name: str) -> tf.Variable:
    return tf.Variable(values.astype(np.int32), trainable=False, name=name)
