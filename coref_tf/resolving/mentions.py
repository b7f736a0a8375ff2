"""Mentions of a cluster: their kind (pronoun, name, nominal) and their core."""

from typing import NamedTuple

from coref_tf.resolving import words
from coref_tf.resolving.scene import Scene

_NAME_TAGS = ("NNP", "NNPS", "PROPN")
_NOUN_TAGS = ("NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN")
_POSSESSIVE_ENDS = {"'s", "’s", "'", "’"}
_ASKING = words.word_set("which every each no any")
_EMPHASIS_MARKS = {"_", "*"}  # around emphasised words
_LONGEST_NOMINAL = 7  # in words; a longer phrase reads badly in place of a pronoun


class Span(NamedTuple):
    """Words `start` to `end`, inclusive."""

    start: int
    end: int


def ends_possessive(scene: Scene, end: int) -> bool:
    """Returns whether a phrase that ends at a word includes a possessive 's."""
    return scene.words[end].lower() in _POSSESSIVE_ENDS


def find_core(scene: Scene, start: int, end: int) -> Span:
    """Returns the core of a phrase, without its 's, relative clause, brackets, and what a comma sets off.

    For "my brother, Tomas", this is "Tomas", a name that is set off; a list such as "Ana, Ivo and Tomas" is kept whole.
    """
    if end > start and ends_possessive(scene, end):
        end -= 1
    if end - start > 2 and scene.lower[end - 2] == "of" and scene.lower[end] == "own":
        end -= 3  # "a note of his own"
    if end > start and scene.lower[end] in words.REFLEXIVE:
        end -= 1  # "the island itself"
    stop = next((place for place in range(start + 1, end + 1) if _ends_there(scene, place)), end + 1)
    while stop - 1 > start and scene.lower[stop - 1] in words.PREPOSITIONS | {",", "``", '"'}:
        stop -= 1  # "the city in which"
    commas = [place for place in range(start + 1, stop) if scene.words[place] == ","]
    if not commas or _is_row(scene, start, commas, stop):
        return Span(start, stop - 1)
    second = Span(commas[0] + 1, (commas[1] if len(commas) > 1 else stop) - 1)
    first = Span(start, commas[0] - 1)
    set_off = second.end >= second.start and is_name(scene, *second) and not is_name(scene, *first)
    # "a trip to Portland, Oregon" is not Oregon, but "a woman from Toulouse, Odette Varenne" is Odette Varenne.
    place = scene.words[first.end][0].isupper() and second.start == second.end
    joined = {"and", "or", "&"} & set(scene.lower[first.start : first.end + 1])
    if set_off and joined:
        return Span(start, stop - 1)  # "she and her husband, Pavel" are two people
    return second if set_off and not place else first


def _ends_there(scene: Scene, place: int) -> bool:
    """Returns whether a relative clause or bracket begins; a dash between capitals, "Oslo – Bergen", does not."""
    word = scene.lower[place]
    if word == "–" and place + 1 < len(scene.words):
        return not (scene.words[place - 1][0].isupper() and scene.words[place + 1][0].isupper())
    return word in words.RELATIVE or word in words.BRACKETS


def _is_row(scene: Scene, start: int, commas: list[int], stop: int) -> bool:
    """Returns whether commas separate the items of a list, as opposed to a phrase and its description."""
    behind = scene.lower[commas[0] + 1 : stop]
    if not {"and", "or", "&"} & set(behind):
        return False
    return not (behind[0] in words.DETERMINERS and is_name(scene, start, commas[0] - 1))


def is_name(scene: Scene, start: int, end: int, person: bool = False) -> bool:
    """Returns whether words are a proper name: all capitalised except words such as "of", and not a sentence beginning.

    `person` is set if "he" or "she" refers to them.
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
    """Returns whether words are part of a longer run of capitals, unlike an acronym or a name in capitals."""
    ends = [place for place in (start - 1, end + 1) if 0 <= place < len(scene.words)]
    beside = any(
        scene.in_capitals(place) and scene.sentence_of[place] == scene.sentence_of[start] for place in ends
    )
    return beside and all(scene.words[place].isupper() for place in range(start, end + 1))


def _is_known_name(scene: Scene, place: int, person: bool) -> bool:
    """Returns whether the first word of a sentence is a name, judging by the rest of the document."""
    word = scene.words[place]
    if scene.counts[word]:
        return True
    plural = (word.endswith("s") or word.lower() in words.PLURALS) and not person
    return not (scene.counts[word.lower()] or plural or word.lower() in words.QUANTIFIERS)


def is_nominal(scene: Scene, start: int, end: int) -> bool:
    """Returns whether words are a noun phrase that can replace a pronoun."""
    first, last = scene.lower[start], scene.lower[end]
    if first in words.QUANTIFIERS | words.PREPOSITIONS or end - start + 1 > _LONGEST_NOMINAL:
        return False
    if _is_part_of_group(scene.lower[start : end + 1]) or _is_heading(scene, start, end):
        return False
    if scene.tags is None and _is_not_a_phrase(scene, start, end):
        return False
    if not any(character.isalpha() for character in scene.words[end]) or words.all_pronouns(
        scene.lower[start : end + 1]
    ):
        return False
    if scene.tags is not None:
        return any(scene.tags[place] in _NOUN_TAGS for place in range(start, end + 1))
    # A single word may be a verb that denotes an event; some corpora annotate such verbs.
    return start < end or not last.endswith(("ed", "ing"))


def _is_part_of_group(lower: list[str]) -> bool:
    """Returns whether words are an unspecified part of a group: "some of them", "a few", "a number of her men"."""
    count = words.quantity_length(lower)
    quantity, rest = lower[:count], lower[count:]
    if not rest or rest[0] == "of" or (lower[0] in words.LEFT and lower[1:2] == ["of"]):
        return True
    group = rest[0] in words.DETERMINERS | words.PLURAL_AMOUNTS or _POSSESSIVE_ENDS & set(rest)
    return quantity[-1:] == ["of"] and bool(group)


def _is_not_a_phrase(scene: Scene, start: int, end: int) -> bool:
    """Returns whether words are an incomplete phrase, or a verb: "what a [fellow]", "which [tailor]", "they [lick]"."""
    before = scene.before(start)
    bare = scene.lower[start] not in words.DETERMINERS
    return (
        before == "what"
        or (bare and before in _ASKING)
        or (start == end and before in words.SUBJECT | {"to"})
    )


class Phrase(NamedTuple):
    """A mention of a cluster, from word `start` to word `end`.

    `kind` is "first", "second" or "third" person, "demonstrative", "left" (a pronoun that is not replaced), "name",
    "nominal", or "other" (no noun, or nothing in particular). `core` is the part that can represent the cluster.
    """

    start: int
    end: int
    cluster: int
    kind: str
    possessive: bool
    core: Span

    @property
    def is_pronoun(self) -> bool:
        """Whether it is a pronoun of any kind."""
        return self.kind in ("first", "second", "third", "demonstrative", "left")

    @classmethod
    def classify(cls, scene: Scene, start: int, end: int, cluster: int, person: bool) -> "Phrase":
        """Classifies the words of a mention; `person` is set if its cluster contains "he" or "she"."""
        lower = scene.lower[start : end + 1]
        core = Span(start, end)
        if words.all_pronouns(lower):
            kind = _pronoun_kind(lower[0]) if start == end else "left"
            return cls(start, end, cluster, kind, _is_possessive(scene, start), core)
        core = find_core(scene, start, end)
        kind = "nominal" if is_nominal(scene, *core) else "other"
        kind = "name" if is_name(scene, *core, person) else kind
        possessive = end > start and ends_possessive(scene, end)
        return cls(start, end, cluster, kind, possessive, core)


def _pronoun_kind(word: str) -> str:
    kinds = {
        "first": words.FIRST_SINGULAR | words.FIRST_PLURAL,
        "second": words.SECOND,
        "third": words.THIRD,
        "demonstrative": words.DEMONSTRATIVE,
    }
    return next((kind for kind, known in kinds.items() if word in known), "left")


def _is_possessive(scene: Scene, place: int) -> bool:
    """Returns whether a pronoun is possessive."""
    word = scene.lower[place]
    return is_possessive_her(scene, place) if word == "her" else word in words.POSSESSIVE


def is_possessive_her(scene: Scene, place: int) -> bool:
    """Returns whether the "her" at `place` precedes a noun, judging by the words around it."""
    if scene.tags is not None and scene.tags[place] in ("PRP$", "PRP"):
        return scene.tags[place] == "PRP$"
    after = place + 1 if scene.behind(place) not in _EMPHASIS_MARKS else place + 2
    before, behind = scene.before(place), scene.behind(after - 1)
    if not behind or not behind[0].isalnum():
        return False
    if before in words.SUBORDINATORS or not before:
        return True  # it begins a clause, whereas an object follows a verb
    if behind == "most" and scene.behind(after) in words.TIMES:
        return False  # "with her most mornings"
    if behind in words.MAYBE_NOUNS and before in words.PREPOSITIONS - {"to"}:
        return True
    return behind not in words.NO_NOUNS and not _is_whom(scene, before, after)


def _is_whom(scene: Scene, before: str, after: int) -> bool:
    """Returns whether "her" is an object with a complement: "called her Pet", "saw her leaving", "liked her a lot"."""
    behind, then = scene.lower[after], scene.behind(after)
    if before in words.CALLING | words.TEACHING and scene.words[after][0].isupper():
        return True
    if before in words.PERCEIVING and behind.endswith("ing") and behind not in words.NOUNS_IN_ING:
        return True
    ends = not then or not then[0].isalnum() or then in words.NO_NOUNS
    return behind.endswith("ly") and behind not in words.NO_ADVERBS_IN_LY and ends
