"""Quotation marks: which words are marks, and which of them open or close a quotation."""

import enum
from typing import NamedTuple

from coref_tf.quotations.layout import Layout
from coref_tf.quotations.speech_words import SPEECH_VERBS
from coref_tf.resolving.words import word_set


class Shape(enum.Enum):
    """The possible roles of a mark, as far as adjacent words determine them."""

    OPEN = enum.auto()
    CLOSE = enum.auto()
    WEAK_CLOSE = enum.auto()  # a closing mark, or the apostrophe of a word such as "boys'"
    EITHER = enum.auto()


class Mark(NamedTuple):
    """A quotation mark: the index of its word, whether it is double, and its possible role."""

    place: int
    double: bool
    shape: Shape


_FIXED = {
    "“": (True, Shape.OPEN),
    "„": (True, Shape.OPEN),
    "«": (True, Shape.OPEN),
    "``": (True, Shape.OPEN),
    "”": (True, Shape.CLOSE),
    "»": (True, Shape.CLOSE),
    "''": (True, Shape.CLOSE),
    "‘": (False, Shape.OPEN),
    "`": (False, Shape.OPEN),
}
_CHARACTERS = frozenset("\"“”„«»‘’'`")
PUNCTUATION = word_set(". , ! ? ; : … -- — – - ---- ... .... ,-- .-- !-- ?--")
DASHES = word_set("-- — – ― - ---- ——")
# Words with an initial apostrophe: 'tis, 'em.
_SHORTENED = word_set(
    "tis twas twere twill twould em im er un ere neath tween cause bout round til till cos cuz ud d s m t"
)


def find_marks(layout: Layout) -> list[Mark]:
    """Returns the quotation marks of a document, in order, without apostrophes."""
    marks = []
    for place, word in enumerate(layout.words):
        if is_mark(word):
            marks += _marks_of_word(layout, place, word)
    return marks


def is_mark(word: str) -> bool:
    """Returns whether a word consists only of quotation marks or apostrophes."""
    return word[0] in _CHARACTERS and _CHARACTERS.issuperset(word)


def _marks_of_word(layout: Layout, place: int, word: str) -> list[Mark]:
    """Returns the marks that a word consists of: one, or several, as in ’”."""
    found, index = [], 0
    while index < len(word):
        character = word[index : index + 2] if word[index : index + 2] in ("``", "''") else word[index]
        index += len(character)
        if character in _FIXED:
            found.append(Mark(place, *_FIXED[character]))
        elif character == '"':
            found.append(Mark(place, True, _double_shape(layout, place)))
        elif len(word) > 1:  # next to another mark, an apostrophe is a closing mark
            found.append(Mark(place, False, Shape.OPEN if index == len(word) == 2 else Shape.CLOSE))
        elif (shape := _single_shape(layout, place, character)) is not None:
            found.append(Mark(place, False, shape))
    return found


def _double_shape(layout: Layout, place: int) -> Shape:
    """Returns the possible role of a straight double mark."""
    if layout.has_text:
        before, after = layout.is_spaced(place), layout.is_spaced(place + 1)
        if before != after:
            return Shape.OPEN if before else Shape.CLOSE
        if before or layout.words[place - 1] in DASHES:
            return Shape.EITHER
        following = layout.words[place + 1]
        return Shape.CLOSE if following in PUNCTUATION or following in ")]" else Shape.EITHER
    if layout.begins_sentence(place) and not layout.ends_sentence(place):
        return Shape.EITHER if layout.lower[place + 1][0].islower() else Shape.OPEN
    return Shape.CLOSE if layout.ends_sentence(place) else Shape.EITHER


def _single_shape(layout: Layout, place: int, character: str) -> Shape | None:
    """Returns the role that a straight single mark or ’ may have, or None if it is an apostrophe."""
    before = layout.words[place - 1] if place else ""
    after = layout.lower[place + 1] if place + 1 < len(layout) else ""
    stopped = bool(before) and (before in PUNCTUATION or before[-1] in ".!?,")
    if layout.has_text:
        spaced = layout.is_spaced(place), layout.is_spaced(place + 1)
        if spaced == (False, False):
            return Shape.CLOSE if stopped or after in PUNCTUATION else None
        if spaced == (True, False):
            return None if character == "’" or after in _SHORTENED else Shape.OPEN
        return None if spaced[0] else (Shape.CLOSE if stopped else Shape.WEAK_CLOSE)
    if stopped and not layout.begins_sentence(place):
        opens = before in {",", ":", ";"} | DASHES and after[:1].isalpha() and character == "'"
        return Shape.EITHER if opens else Shape.CLOSE
    if character == "’":
        return Shape.WEAK_CLOSE if after in PUNCTUATION else None
    begins = layout.begins_sentence(place) or before.lower() in SPEECH_VERBS
    return Shape.OPEN if begins and after[:1].isalnum() else None
