"""Speech tags, which name the speaker of a quotation next to it: "said Anna", "she asked", "Then Stephen answered:"."""

from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.cast import Cast, Mention
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import DASHES

_CLAUSE = 14  # the number of words of a clause in which to look for a verb of speech
_SKIPPED = 4  # the number of words, such as adverbs, allowed between a subject and its verb
_SENTENCE_ENDS = frozenset([".", "!", "?", "....", "..."])
_CLAUSE_STARTS = frozenset([",", ";", ":", "--", "—", "and", "but", "when", "as", "that", "then"])
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset([";", ":"])
_NOMINATIVE = frozenset(["i", "he", "she", "they", "we"])
_OBJECTS = frozenset(["me", "him", "her", "us", "them", "to"])
_INDIRECT = frozenset(
    ["that", "if", "whether", "how", "why", "what"]
)  # after a verb: speech without quotation marks


class Tag(NamedTuple):
    """A speech tag: the mention of the speaker, the extent of the tag, and its kind.

    The kinds, most reliable first: "inverted" (said Anna), "subject" (Anna said), "voice" (her voice said),
    "introduced" (Anna said:), "continued" (any other verb, but the quotation ends with a comma: Anna hesitated),
    "action" (Anna laughed), "clause" (a verb of speech somewhere after a mention).
    """

    mention: Mention
    start: int
    end: int
    kind: str


SURE_KINDS = frozenset({"inverted", "subject", "voice", "introduced", "continued"})


def tag_after(layout: Layout, cast: Cast, first: int, last: int, continues: bool) -> Tag | None:
    """Returns the tag that starts directly after a quotation.

    Args:
        layout: the words.
        cast: the entities and their mentions.
        first: the first word after the quotation.
        last: the last word before the next quotation, or of the paragraph.
        continues: whether the quotation ends with a comma, so that its sentence continues in the tag. It also does if
            the next word has no capital.
    """
    while first <= last and (layout.words[first] in DASHES or layout.words[first] in ",.)]"):
        first += 1
    if first > last:
        return None
    last = min(last, _clause_end(layout, first, last))
    lower = layout.lower
    continues = continues or layout.words[first][0].islower()
    if lower[first] in lists.SPEECH_VERBS or (continues and lower[first].endswith("ed")):
        place = first + 1
        while place <= min(last, first + 2) and _may_split_inversion(lower[place]):
            place += 1
        mention = cast.at(place, last)
        if mention is not None:
            return Tag(mention, first, mention.end, "inverted")
    mention = cast.at(first, last)
    if mention is not None:
        tag = _heard_tag(layout, cast, mention, last)
        tag = tag or _subject_tag(layout, mention, first, last, continues)
        if tag is not None:
            return tag
    return _clause_tag(layout, cast, first, last)


def tag_before(layout: Layout, cast: Cast, first: int, last: int) -> Tag | None:
    """Returns the tag that ends directly before a quotation, in its sentence or the previous one.

    Args:
        layout: the words.
        cast: the entities and their mentions.
        first: the first word after the previous quotation, or of the sentence.
        last: the last word before the quotation.
    """
    end = last
    while end >= first and (layout.words[end] in DASHES or layout.words[end] in {",", ":", ":--"}):
        end -= 1
    if end == last and layout.lower[end] not in lists.SPEECH_VERBS:
        return None
    for place in range(end, max(first, end - _CLAUSE) - 1, -1):
        if layout.words[place] in _SENTENCE_ENDS:
            return None
        if layout.lower[place] in lists.SPEECH_VERBS:
            mention = _subject_before(layout, cast, place, first)
            if mention is not None:
                return Tag(mention, mention.start, place, "introduced")
    return None


def _subject_tag(layout: Layout, mention: Mention, first: int, last: int, continues: bool) -> Tag | None:
    """Returns the tag of a mention that is followed by a verb of speech, or by any verb if the sentence continues."""
    lower, place = layout.lower, mention.end + 1
    kind = "subject"
    if place <= last and lower[place] in ("'s", "’s") and place < last and lower[place + 1] in lists.VOICES:
        place, kind = place + 2, "voice"
    skipped = 0
    while place <= last and skipped < _SKIPPED and _is_between(lower[place]):
        place, skipped = place + 1, skipped + 1
    if place > last:
        return None
    if lower[place] not in lists.SPEECH_VERBS:
        did = lower[place].endswith("ed") or lower[place] in lists.DEEDS
        return Tag(mention, first, place, "continued") if continues and did else None
    if not continues and _is_indirect(layout, place + 1, last):
        return None
    if kind == "subject" and not continues and lower[place] not in lists.SURE_VERBS:
        kind = "action"
    return Tag(mention, first, place, kind)


def _is_indirect(layout: Layout, place: int, last: int) -> bool:
    """Returns whether the verb before a word reports something other than the quotation: "replied that he had not"."""
    while place <= last and layout.lower[place] in _OBJECTS:
        place += 1
    return place <= last and layout.lower[place] in _INDIRECT


def _heard_tag(layout: Layout, cast: Cast, hearer: Mention, last: int) -> Tag | None:
    """Returns the tag of somebody who is heard: "Anna heard him say"."""
    place = hearer.end + 1
    if place + 2 > last or layout.lower[place] not in ("heard", "hear"):
        return None
    mention = cast.at(place + 1, last - 1)
    if mention is None:
        return None
    verb = layout.lower[mention.end + 1]
    if verb not in lists.SPEECH_VERBS | lists.HEARD_VERBS and not verb.endswith("ing"):
        return None
    return Tag(mention, hearer.start, mention.end + 1, "subject")


def _clause_tag(layout: Layout, cast: Cast, first: int, last: int) -> Tag | None:
    """Returns the tag of a verb of speech later in the clause: "he turned round and said"."""
    verb = next((place for place in range(first, last + 1) if layout.lower[place] in lists.SURE_VERBS), None)
    if verb is None:
        return None
    mentions = cast.between(first, verb - 1)
    return Tag(mentions[0], first, verb, "clause") if mentions else None


def _subject_before(layout: Layout, cast: Cast, verb: int, first: int) -> Mention | None:
    """Returns the subject of a verb: directly before it, ignoring adverbs, or the first mention of the sentence."""
    place = verb
    for _ in range(_SKIPPED):
        mention = cast.before(place, first)
        if mention is not None:
            return mention
        if place - 1 <= first or not _is_between(layout.lower[place - 1]):
            break
        place -= 1
    if layout.lower[place - 1] not in ("and", ",", "to"):
        inverted = cast.at(verb + 1, layout.sentence_end(verb))  # "Then said the king:"
        if inverted is not None:
            return inverted
    return _clause_subject(layout, cast, first, verb)


def _clause_subject(layout: Layout, cast: Cast, first: int, verb: int) -> Mention | None:
    """Returns the mention that begins the nearest clause before a verb: Anna in "Anna turned to Ivo and said"."""
    mentions = cast.between(first, verb - 1)
    for number, mention in reversed(list(enumerate(mentions))):
        if number and mentions[number - 1].start == mention.start:
            continue  # "my" in "my father"
        if mention.start == mention.end and layout.lower[mention.start] in _NOMINATIVE:
            return mention
        place = mention.start - 1
        if place < first or layout.lower[place] in _CLAUSE_STARTS:
            return mention
        earlier = layout.lower[place - 1] if place > first else ""
        if _is_between(layout.lower[place]) and (place == first or earlier in _CLAUSE_STARTS):
            return mention
    return mentions[0] if mentions else None


def _may_split_inversion(word: str) -> bool:
    """Returns whether a word may separate a verb from the subject after it: "went on Syme"."""
    return word in ("on", "out", "up", "in", "back") or (
        _is_between(word) and word not in ("a", "an", "the", "all")
    )


def _is_between(word: str) -> bool:
    return word in lists.BETWEEN or word.endswith("ly") or word == ","


def _clause_end(layout: Layout, first: int, last: int) -> int:
    for place in range(first, min(last, first + _CLAUSE) + 1):
        if layout.words[place] in _CLAUSE_ENDS:
            return place - 1
    return min(last, first + _CLAUSE)
