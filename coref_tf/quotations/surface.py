"""People found from the words alone, before coreference is known: names that agree, and pronouns near them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coref_tf.documents.tokenizer import STARTERS
from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised, phrase_at
from coref_tf.resolving.words import DETERMINERS

_LETTERS = re.compile(r"[^\W\d_]")
_OWNS = frozenset(["'s", "’s"])
_MOST_REMEMBERED = 12  # the number of recent people that a pronoun may refer to


class Person(NamedTuple):
    """A person in the text: the words of their name, their gender ("m", "f" or ""), and their mentions."""

    name: frozenset[str]
    gender: list[str]  # a list of one value, which the first pronoun may set
    spans: list[tuple[int, int]]


def find_people(layout: Layout, quoted: Sequence[bool]) -> list[Person]:
    """Returns the people of a text with their mentions: names, and pronouns outside quotations.

    Args:
        layout: the words.
        quoted: whether each word is part of a quotation.
    """
    known = _known_capitals(layout)
    people: list[Person] = []
    recent: list[Person] = []  # outside quotations, most recent first
    narrator = Person(frozenset(), ["n"], [])
    by_name: dict[str, list[Person]] = {}
    place = 0
    while place < len(layout):
        end = _person_end(layout, place, known, quoted[place])
        if end is None:
            if not quoted[place]:
                _add_pronoun(layout, place, recent, narrator)
            place += 1
            continue
        if not quoted[place]:
            _add_pronoun(layout, place, recent, narrator)  # "her" in "her brother"
        person = _find_person(layout, place, end, by_name, people)
        if person is not None:
            person.spans.append((place, end))
            if not quoted[place]:
                recent = [person, *(other for other in recent if other is not person)][:_MOST_REMEMBERED]
        place = end + 1
    return [person for person in [*people, narrator] if person.spans]


def _known_capitals(layout: Layout) -> Counter:
    """Counts the capitalised words that do not begin a sentence, where a capital indicates a name."""
    return Counter(
        word
        for place, word in enumerate(layout.words)
        if is_capitalised(word) and len(word) > 1 and not _begins(layout, place)
    )


def _begins(layout: Layout, place: int) -> bool:
    """Returns whether a capital may be due to the place of a word, and not indicate a name."""
    if layout.begins_sentence(place):
        return True
    before = layout.words[place - 1]
    return before not in ",;" and not _LETTERS.search(before)


def _person_end(layout: Layout, place: int, known: Counter, quoted: bool) -> int | None:
    """Returns the last word of a name, or of a phrase such as "the old man", that starts at a word."""
    word, lower = layout.words[place], layout.lower[place]
    last = layout.sentence_end(place)
    if lower in DETERMINERS:
        end = phrase_at(layout, place, last)
        return end if end is not None and layout.lower[end] in lists.PERSON_NOUNS else None
    if not is_capitalised(word) or not _LETTERS.match(word) or lower in lists.SUBJECT_PRONOUNS:
        return None
    named = known[word] > 0 or lower in lists.TITLES or not _begins(layout, place)
    if not named and (quoted or not _is_subject(layout, place)):
        return None
    return phrase_at(layout, place, last)


def _is_subject(layout: Layout, place: int) -> bool:
    """Returns whether the first word of a sentence is a person who does something; its capital is no evidence."""
    if place + 1 >= len(layout) or layout.words[place] in STARTERS or layout.lower[place].endswith("ly"):
        return False
    following = layout.lower[place + 1]
    doing = following in lists.SPEECH_VERBS or following in lists.DEEDS or following.endswith("ed")
    joined = following == "and" and place + 2 < len(layout) and is_capitalised(layout.words[place + 2])
    return doing or joined or following in ("'s", "’s")


def _find_person(
    layout: Layout, start: int, end: int, by_name: dict[str, list[Person]], people: list[Person]
) -> Person | None:
    """Returns the person with a name that agrees, or a new one; None for words that do not name a person."""
    lower = layout.lower[start : end + 1]
    gender = phrase_gender(lower)
    words = frozenset(
        w for w in lower if w not in lists.TITLES and w not in DETERMINERS and _LETTERS.match(w)
    )
    words = words or frozenset(lower)
    for person in by_name.get(lower[-1], []) + by_name.get(lower[0], []):
        agrees = person.name <= words or words <= person.name
        if agrees and (not gender or not person.gender[0] or gender == person.gender[0]):
            person.gender[0] = person.gender[0] or gender
            return person
    person = Person(words, [gender], [])
    for word in words:
        by_name.setdefault(word, []).insert(0, person)
        del by_name[word][_MOST_REMEMBERED:]
    people.append(person)
    return person


def phrase_gender(lower: Sequence[str]) -> str:
    """Returns the gender that a lower-case phrase indicates: "m", "f", or "" if it indicates none."""
    if len(lower) == 1 and lower[0] in lists.MASCULINE_PRONOUNS | lists.FEMININE_PRONOUNS:
        return "m" if lower[0] in lists.MASCULINE_PRONOUNS else "f"
    owner = max((place for place, word in enumerate(lower) if word in _OWNS), default=-1)
    words = lower[owner + 1 :] or lower  # "wife" in "Mr. Lind's wife"
    for masculine, feminine, known in (
        (lists.MASCULINE_NOUNS, lists.FEMININE_NOUNS, words[-1:]),
        (lists.MASCULINE_TITLES, lists.FEMININE_TITLES, words[:2]),  # "poor Miss Lind"
    ):
        for word in known:
            if word in masculine or word in feminine:
                return "m" if word in masculine else "f"
    return ""


def majority_gender(layout: Layout, spans: Iterable[tuple[int, int]]) -> str:
    """Returns the gender that most mentions indicate: "m", "f", or "" if it is unclear."""
    genders = [phrase_gender(layout.lower[start : end + 1]) for start, end in spans]
    men, women = genders.count("m"), genders.count("f")
    return "m" if men > women else "f" if women > men else ""


def _add_pronoun(layout: Layout, place: int, recent: list[Person], narrator: Person) -> None:
    """Adds a pronoun in the narration to its referent: the most recent person whose gender agrees or is unknown."""
    word = layout.lower[place]
    if word in lists.NARRATOR_PRONOUNS:
        narrator.spans.append((place, place))
        return
    if word not in lists.MASCULINE_PRONOUNS | lists.FEMININE_PRONOUNS:
        return
    gender = phrase_gender([word])
    known = next((person for person in recent if person.gender[0] == gender), None)
    guess = next((person for person in recent if not person.gender[0]), None)
    person = known or guess
    if person is not None:
        person.gender[0] = gender
        person.spans.append((place, place))
        recent.remove(person)
        recent.insert(0, person)
