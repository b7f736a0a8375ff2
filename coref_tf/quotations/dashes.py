"""Speech that begins with a dash, as in many novels: a paragraph is a turn, except words that name a speaker."""

from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import DASHES, PUNCTUATION
from coref_tf.quotations.speech_words import SUBJECT_PRONOUNS, SURE_VERBS
from coref_tf.resolving.words import word_set

_TO_SOMEBODY = word_set("i me my mine you your yours we us our let")
_FEWEST = 2  # paragraphs that begin with a dash; a single one is a list item or an aside


def find_dashed(layout: Layout) -> list[tuple[int, int]]:
    """Returns (start, end) of speech after dashes; if paragraphs are unknown, of sentences that begin with a dash."""
    starts = [place for place, word in enumerate(layout.words) if word in DASHES and _begins(layout, place)]
    if (
        layout.paragraph_of is None
        and sum(layout.words[place - 1] == ":" for place in starts if place) < _FEWEST
    ):
        return []  # a dash may begin a sentence that is not speech
    if len(starts) < _FEWEST:
        return []
    pieces = []
    for start, following in zip(starts, [*starts[1:], len(layout)], strict=True):
        pieces += _without_tags(layout, start, _turn_end(layout, start, following))
    return pieces


def _begins(layout: Layout, place: int) -> bool:
    begins = layout.begins_paragraph(place)
    if place + 1 == len(layout) or layout.words[place] == "-":  # a hyphen begins a list item
        return False
    if begins is None:
        begins = layout.begins_sentence(place) or layout.words[place - 1] == ":"
    return begins and layout.words[place + 1][0].isalnum()


def _turn_end(layout: Layout, start: int, following: int) -> int:
    """Returns the last word of a turn: of its paragraph or, if unknown, of the last sentence that is like speech."""
    paragraphs = layout.paragraph_of
    end = start
    if paragraphs is None:
        end = layout.sentence_end(start)
        while (
            end + 1 < len(layout)
            and layout.sentence_end(end + 1) < following
            and _is_like_speech(layout, end + 1)
        ):
            end = layout.sentence_end(end + 1)
        return min(end, following - 1)
    while end + 1 < following and paragraphs[end + 1] == paragraphs[start]:
        end += 1
    return end


def _is_like_speech(layout: Layout, first: int) -> bool:
    """Returns whether a sentence addresses somebody, is an exclamation or question, or is a tag such as "he said"."""
    last = layout.sentence_end(first)
    if last > first and _is_tag(layout, first):
        return True
    words = layout.lower[first : last + 1]
    return layout.words[last][-1] in "!?" or not _TO_SOMEBODY.isdisjoint(words)


def _without_tags(layout: Layout, start: int, end: int) -> list[tuple[int, int]]:
    """Returns the parts of a turn between tags such as ", said Stephen."; a tag ends with its sentence."""
    pieces, place = [], start
    for tag in range(start + 1, end):
        if tag > place and _is_tag(layout, tag):
            if tag - 1 > place:
                pieces.append((place, tag - 1))
            place = layout.sentence_end(tag) + 1
    if place < end:
        pieces.append((place, end))
    return pieces


def _is_tag(layout: Layout, place: int) -> bool:
    """Returns whether a tag with a verb of speech begins after a comma or a stop: "said Stephen", "he said"."""
    if layout.words[place - 1] not in PUNCTUATION:
        return False
    word, following = layout.lower[place], layout.words[place + 1]
    if word in SURE_VERBS:
        return following[0].isupper() or following.lower() in SUBJECT_PRONOUNS | {
            "the",
            "a",
            "an",
            "his",
            "her",
        }
    return (word in SUBJECT_PRONOUNS or layout.words[place][0].isupper()) and following in SURE_VERBS
