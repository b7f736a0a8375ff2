"""Turns: quotations with their tags, the narration around them, and how each follows the previous one."""

from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.cast import Cast, Mention
from coref_tf.quotations.finding import QuotedSpan
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import PUNCTUATION
from coref_tf.quotations.tags import SURE_KINDS, Tag, tag_after, tag_before

_WINDOW = 90  # words of narration on either side in which the speaker may be named
_AMBIGUOUS = frozenset(
    ["tagged", "tagged_more", "beat", "more"]
)  # kinds after which the speaker often changes
_ANSWERS = frozenset(["yes", "no", "yea", "nay", "aye", "not", "indeed", "certainly"])


class Turn(NamedTuple):
    """A quotation, the narration around it, its tag, and its relation to the previous quotation."""

    span: QuotedSpan
    before: tuple[int, int]  # the first and last word of the narration between it and the previous quotation
    after: tuple[int, int]
    tag: Tag | None
    gap: tuple[str, ...]  # the kind of narration between it and the previous quotation, and what else tells


def find_turns(layout: Layout, cast: Cast, spans: Sequence[QuotedSpan]) -> list[Turn]:
    """Returns the quotations with their tags; `spans` must be in order and disjoint."""
    turns: list[Turn] = []
    for number, span in enumerate(spans):
        first = spans[number - 1].end + 1 if number else 0
        last = spans[number + 1].start - 1 if number + 1 < len(spans) else len(layout) - 1
        before = max(first, span.start - _WINDOW), span.start - 1
        after = span.end + 1, min(last, span.end + _WINDOW)
        tag = _find_tag(layout, cast, span, before, after)
        gap = _gap_features(layout, turns[-1] if turns else None, span, tag)
        turns.append(Turn(span, before, after, tag, gap))
    return turns


def _find_tag(
    layout: Layout, cast: Cast, span: QuotedSpan, before: tuple[int, int], after: tuple[int, int]
) -> Tag | None:
    first, last = after
    paragraphs = layout.paragraph_of
    if paragraphs is not None:
        while last >= first and paragraphs[last] != paragraphs[span.end]:
            last -= 1
    comma = "," in layout.words[max(span.start, span.end - 1) : span.end + 1]
    following = tag_after(layout, cast, first, last, comma)
    preceding = None
    if before[1] >= before[0]:
        start = max(before[0], layout.sentence_starts[layout.sentence_of[before[1]]])
        preceding = tag_before(layout, cast, start, before[1])
    if following is None or (preceding is not None and following.kind not in SURE_KINDS):
        return preceding or following
    announced = preceding is not None and layout.words[before[1]] in {":", ":--"} and not comma
    return preceding if announced else following


def _gap_features(
    layout: Layout, previous: Turn | None, span: QuotedSpan, tag: Tag | None
) -> tuple[str, ...]:
    """Returns how a quotation follows the previous one; none for the first one."""
    if previous is None:
        return ()
    first, last = previous.span.end + 1, span.start - 1
    paragraphs = layout.paragraph_of
    kind = _narration_kind(layout, previous.tag, first, last)
    if paragraphs is not None:
        if paragraphs[span.start] == paragraphs[previous.span.end]:
            return ("paragraph",)
        kind = f"new_{kind}" if kind != "split" else "new_beat"
    signs = ["both_tagged"] if _both_tagged(layout, previous.tag, tag) else []
    if kind in _AMBIGUOUS:
        signs += _signs(layout, previous.span, span)
    return (kind, *signs)


def _both_tagged(layout: Layout, one: Tag | None, two: Tag | None) -> bool:
    """Returns whether two quotations have different tags, which is rare for one speaker."""
    if one is None or two is None or one.kind not in SURE_KINDS or two.kind not in SURE_KINDS:
        return False
    return one.start != two.start and _words(layout, one.mention) != _words(layout, two.mention)


def _words(layout: Layout, mention: Mention) -> list[str]:
    return layout.lower[mention.start : mention.end + 1]


def _signs(layout: Layout, previous: QuotedSpan, span: QuotedSpan) -> list[str]:
    """Returns the signs, in the words of two quotations, that one does or does not answer the other."""
    ending = layout.words[max(previous.start, previous.end - 1) : previous.end + 1]
    earlier, now = _person(layout, previous), _person(layout, span)
    signs = {
        "asked": "?" in ending,
        "answer": layout.lower[min(span.start + 1, span.end)] in _ANSWERS,
        "like_pronouns": earlier == now != "",
        "unlike_pronouns": {earlier, now} == {"i", "you"},
    }
    return [sign for sign, is_there in signs.items() if is_there]


def _person(layout: Layout, span: QuotedSpan) -> str:
    """Returns "i" or "you" if a quotation has pronouns of that person and not of the other one, else ""."""
    words = set(layout.lower[span.start : span.end + 1])
    says, tells = bool(words & lists.NARRATOR_PRONOUNS), bool(words & lists.LISTENER_PRONOUNS)
    return "" if says == tells else "i" if says else "you"


def _narration_kind(layout: Layout, tag: Tag | None, first: int, last: int) -> str:
    if first > last:
        return "adjacent"
    words = layout.words[first : min(last, first + _WINDOW) + 1]
    stops = sum(word in ".!?" for word in words)
    if last - first < _WINDOW and not stops and words[-1] in PUNCTUATION | {"and", ")"}:
        return "split"
    tagged = tag is not None and first <= tag.start <= last and tag.kind in SURE_KINDS
    if stops <= 1 and last - first < _WINDOW:
        return "tagged" if tagged else "beat"
    if last - first >= _WINDOW:
        return "far"
    return "tagged_more" if tagged else "more"
