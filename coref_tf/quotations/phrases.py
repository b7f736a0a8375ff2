"""Noun phrases next to a verb of speech, found from the words alone: "Mr. Heathcliff", "the old man", "she"."""

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import PUNCTUATION
from coref_tf.resolving.words import DETERMINERS, PREPOSITIONS

_LONGEST = 6  # words
_NAME_LINKS = frozenset(["of", "de", "la", "le", "von", "van", "der", "du", "the"])
_POSSESSIVES = frozenset(["my", "your", "his", "her", "its", "our", "their"])
_ARTICLES = frozenset(["the", "a", "an", "this", "that", "another"]) | _POSSESSIVES
_HEAD_CUTS = PREPOSITIONS | PUNCTUATION | frozenset(["who", "whom", "whose", "which", "that", "and"])
_STOPS = PREPOSITIONS | frozenset(["and", "or", "but", "who", "which", "that", "as", "when", "while", "if"])


def is_capitalised(word: str) -> bool:
    """Returns whether a word starts with a capital letter."""
    return word[0].isupper()


def phrase_at(layout: Layout, place: int, last: int) -> int | None:
    """Returns the last word of the noun phrase that starts at a word, or None if there is none.

    Args:
        layout: the words.
        place: the first word.
        last: the last word that may be part of it.
    """
    if place > last:
        return None
    lower, words = layout.lower, layout.words
    if lower[place] in lists.SUBJECT_PRONOUNS:
        return place if lower[place] != "it" else None
    if lower[place] in DETERMINERS | _POSSESSIVES:
        end = place
        while end < min(last, place + _LONGEST - 1) and _is_nominal_word(layout, end + 1, first=end == place):
            if lower[end] in lists.PERSON_NOUNS and lower[end + 1] not in lists.PERSON_NOUNS:
                break  # "the doctor nodded"
            end += 1
        return end if end > place else None
    if not is_capitalised(words[place]) or not words[place][0].isalpha():
        return None
    return _name_end(layout, place, last)


def phrase_before(layout: Layout, place: int, first: int) -> int | None:
    """Returns the first word of the noun phrase that ends before a word, or None if there is none.

    Args:
        layout: the words.
        place: the word after the phrase.
        first: the first word that may be part of it.
    """
    end = place - 1
    if end < first:
        return None
    for start in range(max(first, end - _LONGEST + 1), end + 1):
        if start and not _may_precede(layout, start):
            continue
        if phrase_at(layout, start, end) == end:
            return start
    return None


def _may_precede(layout: Layout, start: int) -> bool:
    """Returns whether a phrase may start at a word, that is, the word does not continue a name."""
    return not (is_capitalised(layout.words[start]) and is_capitalised(layout.words[start - 1]))


def _name_end(layout: Layout, place: int, last: int) -> int:
    end = place
    while end < min(last, place + _LONGEST - 1):
        following = layout.words[end + 1]
        linked = following in _NAME_LINKS and end + 2 <= last and is_capitalised(layout.words[end + 2])
        if not linked and not (is_capitalised(following) and following[0].isalpha()):
            break
        end += 2 if linked else 1
    return min(end, last)


def _is_nominal_word(layout: Layout, place: int, first: bool = False) -> bool:
    """Returns whether a word can be part of a noun phrase after its determiner; `first` if it follows directly."""
    word = layout.lower[place]
    if word in _STOPS or word in PUNCTUATION or word in lists.SPEECH_VERBS or not word[0].isalnum():
        return False
    is_adverb = word.endswith("ly") and not first  # "the elderly man", but "the man slowly ..."
    return not is_adverb and (word not in lists.BETWEEN or word in lists.VOICES)


def phrase_head(layout: Layout, start: int, end: int) -> str:
    """Returns the noun of a phrase such as "the old man at the door" or "her mother"; "" for names and pronouns."""
    lower = layout.lower
    if start == end or lower[start] not in _ARTICLES:
        return ""
    cut = next((place for place in range(start + 1, end + 1) if lower[place] in _HEAD_CUTS), end + 1)
    return lower[cut - 1] if cut - 1 > start else ""
