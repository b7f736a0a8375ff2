"""Finds quotations: pairs of marks, nested ones, speech over several paragraphs, and turns that begin with a dash."""

import bisect
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from coref_tf.quotations.dashes import find_dashed
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import DASHES, PUNCTUATION, Mark, Shape, find_marks, is_mark
from coref_tf.quotations.speech_words import NAMING_VERBS, SPEECH_VERBS, SUBJECT_PRONOUNS, SURE_VERBS

_DEEPEST = 3  # the maximum depth of nested quotations
_LONGEST_UNCLOSED = 8  # sentences, if nothing indicates where a quotation without a closing mark ends
_INTRODUCING = frozenset({",", ":", ";", "...", "…", "(", ".", "!", "?", '"', "”", "’"}) | DASHES


class QuotedSpan(NamedTuple):
    """A quotation from word `start` to word `end`, inclusive, with its marks.

    `depth` is 0 for a top-level quotation and 1 for one inside it; `parent` is the index of the enclosing quotation in
    the list, or -1. Scare quotes and titles in marks are not spoken: their `is_speech` is False.
    """

    start: int
    end: int
    depth: int = 0
    parent: int = -1
    is_speech: bool = True


def find_quotations(layout: Layout) -> list[QuotedSpan]:
    """Returns all quotations in text order, each before those nested in it. Takes linear time.

    Example:
        find_quotations(Layout(document_from_text('"Yes," she said.', "x")))      # [QuotedSpan(0, 3, ...)]
    """
    marks = find_marks(layout)
    doubles = [mark for mark in marks if mark.double]
    singles = [mark for mark in marks if not mark.double]
    outer = _outer_is_double(doubles, singles)
    by_kind = {True: doubles, False: singles}
    pairs = list(_pair(layout, by_kind[outer], 0, len(layout) - 1))
    if not pairs:
        return [QuotedSpan(start, end) for start, end in find_dashed(layout)]
    spans: list[QuotedSpan] = []
    for start, end in pairs:
        spans.append(QuotedSpan(start, end, is_speech=_is_speech(layout, start, end)))
        _add_nested(layout, by_kind, not outer, spans, len(spans) - 1)
    return spans


def _outer_is_double(doubles: Sequence[Mark], singles: Sequence[Mark]) -> bool:
    """Returns whether top-level quotations have double marks, and nested ones single marks."""
    opening = sum(mark.shape in (Shape.OPEN, Shape.EITHER) for mark in singles)
    closing = sum(mark.shape in (Shape.CLOSE, Shape.EITHER) for mark in singles)
    return min(opening, closing) <= len(doubles)


def _add_nested(
    layout: Layout, by_kind: dict[bool, list[Mark]], double: bool, spans: list[QuotedSpan], parent: int
) -> None:
    """Adds the quotations nested in a quotation, which have the other kind of marks."""
    outside = spans[parent]
    if outside.depth + 1 >= _DEEPEST:
        return
    marks = by_kind[double]
    first = bisect.bisect_left(marks, outside.start, key=lambda mark: mark.place)
    last = bisect.bisect_right(marks, outside.end, key=lambda mark: mark.place)
    for start, end in _pair(layout, marks[first:last], outside.start, outside.end):
        if end - start > 1 and (start, end) != (outside.start, outside.end):
            speech = _is_speech(layout, start, end)
            spans.append(QuotedSpan(start, end, outside.depth + 1, parent, speech))
            _add_nested(layout, by_kind, not double, spans, len(spans) - 1)


def _pair(layout: Layout, marks: Sequence[Mark], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of the quotations that marks of one kind form between two words."""
    strong_follows = _strong_close_follows(layout, marks)
    opened = latest = -1  # the marks that opened the quotation and its latest paragraph
    for mark, has_strong in zip(marks, strong_follows, strict=True):
        place = mark.place
        if opened >= 0 and _paragraph_ended(layout, latest, place):
            if mark.shape in (Shape.OPEN, Shape.EITHER) and _continues(layout, latest, place):
                latest = place
                continue
            yield opened, _end_of_unclosed(layout, latest, last)
            opened = -1
        if opened < 0:
            if mark.shape in (Shape.OPEN, Shape.EITHER):
                opened = latest = place
        elif mark.shape is Shape.OPEN:
            if layout.paragraph_of is None and layout.begins_sentence(place):
                latest = place  # probably continues in another paragraph
            else:
                yield opened, _end_before(layout, opened, place)
                opened = latest = place
        elif mark.shape is not Shape.WEAK_CLOSE or not has_strong:
            yield opened, place
            opened = -1
    if opened >= 0:
        yield opened, _end_of_unclosed(layout, latest, last)


def _strong_close_follows(layout: Layout, marks: Sequence[Mark]) -> list[bool]:
    """Returns, for each mark, whether a clear closing mark precedes the next opening one and the paragraph's end."""
    follows, closes = [], -1
    for mark in reversed(marks):
        follows.append(closes >= 0 and not _paragraph_ended(layout, mark.place, closes))
        if mark.shape is Shape.OPEN:
            closes = -1
        elif mark.shape is Shape.CLOSE:
            closes = mark.place
    return follows[::-1]


def _paragraph_ended(layout: Layout, before: int, place: int) -> bool:
    """Returns whether a paragraph ends between two words."""
    paragraphs = layout.paragraph_of
    return paragraphs is not None and paragraphs[place] > paragraphs[before]


def _continues(layout: Layout, latest: int, place: int) -> bool:
    """Returns whether an opening mark begins the paragraph after that of the latest one, so the speech continues."""
    paragraphs = layout.paragraph_of
    assert paragraphs is not None
    return paragraphs[place] == paragraphs[latest] + 1 and bool(layout.begins_paragraph(place))


def _end_of_unclosed(layout: Layout, latest: int, last: int) -> int:
    """Returns the end of a quotation without a closing mark: the end of its paragraph or, if unknown, soon after."""
    paragraphs = layout.paragraph_of
    if paragraphs is not None:
        return min(last, bisect.bisect_right(paragraphs, paragraphs[latest]) - 1)
    furthest = layout.sentence_of[latest] + _LONGEST_UNCLOSED
    if furthest >= layout.sentence_of[last]:
        return last
    return layout.sentence_end(latest)


def _end_before(layout: Layout, opened: int, place: int) -> int:
    """Returns the last word of a quotation that is not closed before the next one opens.

    This is the end of the sentence before the next quotation or, if both open in one sentence, the word before the
    next quotation.

    Args:
        layout: the document.
        opened: the place of the mark that opens the quotation.
        place: the place of the mark that opens the next quotation.
    """
    start = layout.sentence_starts[layout.sentence_of[place]]
    return start - 1 if start - 1 > opened else place - 1


def _is_speech(layout: Layout, start: int, end: int) -> bool:
    """Returns whether a quotation is speech, as opposed to a word or title in quotation marks."""
    inside = max(start, end - 1)
    while inside > start and is_mark(layout.words[inside]):
        inside -= 1  # a quotation may end with another one
    last = layout.words[inside]
    if last[-1] in "!?" or layout.words[end][-1] in "!?":
        return True
    before = layout.words[start - 1] if start else ""
    if before.lower() in NAMING_VERBS:
        return False
    introduced = (
        not before
        or layout.begins_sentence(start)
        or before in _INTRODUCING
        or before[-1] in ".!?"
        or before.lower() in SPEECH_VERBS
    )
    stopped = last in PUNCTUATION or last[-1] in ".,;:…-—"
    if stopped:
        return introduced or _is_tagged(layout, end + 1)
    after = layout.words[end + 1] if end + 1 < len(layout) else ""
    said = after in PUNCTUATION or before in {",", ":"} or layout.ends_sentence(end)
    return introduced and (said or _is_tagged(layout, end + 1)) and end - start > 3


def _is_tagged(layout: Layout, place: int) -> bool:
    """Returns whether "said" or "he said" starts at a word."""
    lower = layout.lower[place : place + 2]
    if len(lower) < 2:
        return False
    return lower[0] in SURE_VERBS or (lower[0] in SUBJECT_PRONOUNS and lower[1] in SURE_VERBS)
