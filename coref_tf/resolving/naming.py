"""Phrases: where their telling part ends, and whether it is a name."""

from typing import NamedTuple

from coref_tf.resolving import words
from coref_tf.resolving.scene import Scene

_NAME_TAGS = ("NNP", "NNPS", "PROPN")
_NOUN_TAGS = ("NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN")
_POSSESSIVE_ENDS = {"'s", "’s", "'", "’"}
_ASKING = words.word_set("which every each no any")
LONGEST = 7  # words; what is longer doesn't read well in a pronoun's place


class Span(NamedTuple):
    """Words start to end, both included."""

    start: int
    end: int


def ends_possessive(scene: Scene, end: int) -> bool:
    """Whether a phrase that ends there has its 's with it."""
    return scene.words[end].lower() in _POSSESSIVE_ENDS


def telling_part(scene: Scene, start: int, end: int) -> Span:
    """The phrase without its 's, relative clause, brackets, and what a comma sets off.

    Of "my brother, Tomas" it is "Tomas", a name that is set off; a row such as "Ana, Ivo and Tomas" stays whole.
    """
    if end > start and ends_possessive(scene, end):
        end -= 1
    if end - start > 2 and scene.lower[end - 2] == "of" and scene.lower[end] == "own":
        end -= 3  # "a note of his own"
    stop = next((place for place in range(start + 1, end + 1) if _ends_there(scene, place)), end + 1)
    while stop - 1 > start and scene.lower[stop - 1] in words.PREPOSITIONS | {",", "``", '"'}:
        stop -= 1  # "the city in which"
    commas = [place for place in range(start + 1, stop) if scene.words[place] == ","]
    if not commas or _is_row(scene, start, commas, stop):
        return Span(start, stop - 1)
    second = Span(commas[0] + 1, (commas[1] if len(commas) > 1 else stop) - 1)
    first = Span(start, commas[0] - 1)
    set_off = second.end >= second.start and is_name(scene, *second) and not is_name(scene, *first)
    # "a trip to Portland, Oregon" is no Oregon, but "a woman from Toulouse, Odette Varenne" is she.
    place = scene.words[first.end][0].isupper() and second.start == second.end
    return second if set_off and not place else first


def _ends_there(scene: Scene, place: int) -> bool:
    """Whether a relative clause or a bracket begins; a dash between capitals is part of a name: "Oslo – Bergen"."""
    word = scene.lower[place]
    if word == "–" and place + 1 < len(scene.words):
        return not (scene.words[place - 1][0].isupper() and scene.words[place + 1][0].isupper())
    return word in words.RELATIVE or word in words.BRACKETS


def _is_row(scene: Scene, start: int, commas: list[int], stop: int) -> bool:
    """Whether commas part a row of equals, not a phrase from what is said of it."""
    behind = scene.lower[commas[0] + 1 : stop]
    if not {"and", "or", "&"} & set(behind):
        return False
    return not (behind[0] in words.DETERMINERS and is_name(scene, start, commas[0] - 1))


def is_name(scene: Scene, start: int, end: int, person: bool = False) -> bool:
    """Whether words are a proper name: capitals throughout but for such as "of", and no sentence's beginning.

    `person` says that "he" or "she" stands for them.
    """
    while start < end and scene.lower[start] == "the":
        start += 1
    if scene.lower[start] in words.DETERMINERS | words.PRONOUNS or scene.lower[end] in words.NAME_PARTS:
        return False
    capitals = [scene.words[place][0].isupper() for place in range(start, end + 1)]
    parts = [
        capital or scene.lower[place] in words.NAME_PARTS or scene.words[place][0].isdigit()
        for place, capital in zip(range(start, end + 1), capitals, strict=True)
    ]
    if not all(parts) or not any(capitals) or _is_heading(scene, start, end):
        return False
    if scene.tags is not None:
        return any(scene.tags[place] in _NAME_TAGS for place in range(start, end + 1))
    return sum(capitals) > 1 or not scene.begins[start] or _is_known_name(scene, start, person)


def _is_heading(scene: Scene, start: int, end: int) -> bool:
    """Whether words are part of a longer row of capitals; an acronym or a name in capitals stands alone."""
    ends = [place for place in (start - 1, end + 1) if 0 <= place < len(scene.words)]
    beside = any(
        scene.in_capitals(place) and scene.sentence_of[place] == scene.sentence_of[start] for place in ends
    )
    return beside and all(scene.words[place].isupper() for place in range(start, end + 1))


def _is_known_name(scene: Scene, place: int, person: bool) -> bool:
    """Whether a sentence's first word is a name, as far as the rest of the document tells."""
    word = scene.words[place]
    if scene.counts[word]:
        return True
    plural = word.endswith("s") and not person
    return not (scene.counts[word.lower()] or plural or word.lower() in words.QUANTIFIERS)


def is_nominal(scene: Scene, start: int, end: int) -> bool:
    """Whether words are a phrase with a noun that can stand where a pronoun stood."""
    first, last = scene.lower[start], scene.lower[end]
    if first in words.QUANTIFIERS | words.PREPOSITIONS or end - start + 1 > LONGEST:
        return False
    part = scene.behind(start) == "of" and first in words.LEFT  # "some of them"
    if part or (scene.tags is None and _is_no_phrase(scene, start, end)) or _is_heading(scene, start, end):
        return False
    if not any(character.isalpha() for character in scene.words[end]) or words.all_pronouns(
        scene.lower[start : end + 1]
    ):
        return False
    if scene.tags is not None:
        return any(scene.tags[place] in _NOUN_TAGS for place in range(start, end + 1))
    # A word alone may be a verb that tells of what happened; such verbs are marked in some corpora.
    return start < end or not last.endswith(("ed", "ing"))


def _is_no_phrase(scene: Scene, start: int, end: int) -> bool:
    """Whether words are only part of one, or a verb: "what a [fellow]", "which [tailor]", "they [lick]"."""
    before = scene.before(start)
    bare = scene.lower[start] not in words.DETERMINERS
    return (
        before == "what"
        or (bare and before in _ASKING)
        or (start == end and before in words.SUBJECT | {"to"})
    )
