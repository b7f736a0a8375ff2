"""The phrase that represents a cluster: a name, or the most informative nominal."""

from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.resolving import words
from coref_tf.resolving.mentions import Phrase, Span, is_name
from coref_tf.resolving.scene import Scene

_NO_PLURALS = ("ss", "us", "is")


class Representative(NamedTuple):
    """The phrase that represents a cluster; `mention` is None if it is a speaker's name."""

    text: str
    is_name: bool
    singular: bool
    mention: Phrase | None
    indefinite: bool = False  # "a man", which becomes "the man" afterwards


def speaker_of(scene: Scene, mentions: Sequence[Phrase]) -> str:
    """Returns the name of the speaker who says "I" in a cluster, or "" if it is unknown or ambiguous."""
    places = [m.start for m in mentions if scene.lower[m.start] in words.FIRST_SINGULAR and m.kind == "first"]
    names = {scene.speaker_name(place) for place in places if not scene.quoted[place]}
    return names.pop() if len(names) == 1 else ""


def candidates(scene: Scene, mentions: Sequence[Phrase]) -> list[Phrase]:
    """Returns the mentions that may represent a cluster: the first name, then nominals by number of content words."""
    names = [mention for mention in mentions if mention.kind == "name"]
    nominals = [mention for mention in mentions if mention.kind == "nominal"]
    return names[:1] + sorted(nominals, key=lambda mention: -_content(scene, mention))


def _content(scene: Scene, mention: Phrase) -> int:
    """Returns the number of content words of a phrase."""
    empty = words.DETERMINERS | words.PREPOSITIONS | words.PRONOUNS
    start, end = mention.core
    return sum(word not in empty and word[0].isalnum() for word in scene.lower[start : end + 1])


def is_singular(scene: Scene, mention: Phrase, they: bool) -> bool:
    """Returns whether a phrase is singular, judging by its last word before any "of ...".

    Args:
        scene: the document.
        mention: the phrase.
        they: whether its cluster contains "they", but not "he", "she" or "it".
    """
    start, end = mention.core
    lower = scene.lower[start : end + 1]
    if {"and", "&"} & set(lower) and mention.kind != "name":
        return False
    if mention.kind == "name":
        plural = lower[-1].endswith("s") and (lower[0] == "the" or they)
        return not plural and "and" not in lower
    quantity = words.quantity_length(lower)
    if words.begins_with_number(lower) or (quantity and lower[quantity - 1] in ("of", "few")):
        return False
    head = next((n for n, word in enumerate(lower) if n and word in words.PREPOSITIONS), len(lower)) - 1
    if scene.tags is not None and scene.tags[start + head].startswith("NN"):
        return not scene.tags[start + head].endswith("S")
    plural = lower[head].endswith("s") and not lower[head].endswith(_NO_PLURALS)
    return lower[0] in ("a", "an", "this", "that") or not (plural or lower[head] in words.PLURALS)


def is_indefinite(scene: Scene, mention: Phrase) -> bool:
    """Returns whether a phrase introduces a new entity: "a man", "six men", "several men", "men who ..."."""
    start, end = mention.core
    if mention.kind != "nominal" or scene.lower[start] in words.DEFINITE:
        return False
    known = _as_known(scene.lower[start : end + 1], scene.text.span_text(start, end))
    return bool(known) or _has_lost_its_clause(scene, mention)


def in_a_sentence(scene: Scene, mention: Phrase, text: str) -> str:
    """Returns the form of a phrase for later use within a sentence: "A man" as "the man"."""
    first, last = mention.core
    word = scene.words[first]
    known = _as_known(scene.lower[first : last + 1], text) if mention.kind == "nominal" else ""
    if known:
        return known
    tagged = scene.tags is not None and scene.tags[first] in ("NNP", "NNPS", "PROPN")
    titled = first < last and scene.words[first + 1][0].isupper()  # "President Moi"
    proper = bool(scene.counts[word]) or tagged or titled
    determiner = scene.lower[first] in words.DETERMINERS
    common = mention.kind == "nominal" and not proper and (scene.begins[first] or scene.tags is not None)
    lowered = (determiner or common) and word[1:] == word[1:].lower() and word != "I"
    text = text[0].lower() + text[1:] if lowered else text
    return f"the {text}" if _has_lost_its_clause(scene, mention) else text


def _has_lost_its_clause(scene: Scene, mention: Phrase) -> bool:
    """Returns whether a plural was cut off from its relative clause, without which it means all: "people who smoke"."""
    start, end = mention.core
    lower = scene.lower[start : end + 1]
    behind = (word for word in scene.lower[end + 1 : mention.end + 1] if word not in words.PREPOSITIONS)
    owned = bool({"'s", "’s"} & set(lower))
    named = bool({"and", "&"} & set(lower)) and is_name(scene, start, start)  # "Ana and friends who smoke"
    bare = mention.kind == "nominal" and lower[0] not in words.DETERMINERS and not owned and not named
    return bare and next(behind, "") in words.RELATIVE and not is_singular(scene, mention, they=False)


def _as_known(lower: list[str], text: str) -> str:
    """Returns the definite form of an indefinite or demonstrative phrase, or "" for any other phrase.

    Args:
        lower: the words of the phrase, in lower case.
        text: its text, in which pronouns after the first word may be replaced.
    """
    first, quantity = lower[0], words.quantity_length(lower)
    rest = text[len(" ".join(lower[:quantity]) or first) :]
    if rest.startswith(" same "):
        return f"the{rest.removeprefix(' same')}"
    if quantity:
        return f"the{rest}"
    if first == "both":  # not of "both the men" and "both Ana and Ivo"
        return f"the two{rest}" if lower[1] not in words.DETERMINERS and "and" not in lower else ""
    if words.begins_with_number(lower):
        lowered = text if text[: len(first)].isupper() else text[0].lower() + text[1:]
        return lowered if rest.startswith(" of ") else f"the {lowered}"  # not of "two of the men"
    if first in words.INDEFINITE | words.DEMONSTRATIVE:
        return f"the{rest}"
    return f"the other{rest}" if first == "another" else ""


def possessive(representative: Representative, apostrophe: str, person: bool) -> str:
    """Returns the possessive form: "Marta's", "James's" (a person), "the boss's", "the brothers'"."""
    whole = representative.is_name and representative.singular and person
    waitress = representative.singular and representative.text.endswith("ss")
    bare = representative.text.endswith("s") and not whole and not waitress
    return f"{representative.text}{apostrophe}{'' if bare else 's'}"


def has_unknown_person(text: str) -> bool:
    """Returns whether a phrase contains a pronoun such as "my" or "them", which means something else elsewhere."""
    return any(word.strip(",.;:!?'’\"").lower() in words.PERSONS for word in text.split())


def covers(mention: Phrase, other: Phrase) -> bool:
    """Returns whether one mention contains the other."""
    return (mention.start <= other.start and other.end <= mention.end) or (
        other.start <= mention.start and mention.end <= other.end
    )


def is_short_form(scene: Scene, mention: Phrase, name: Phrase) -> bool:
    """Returns whether a name is part of another one, and not part of a longer phrase in the text."""
    part = set(scene.lower[mention.core.start : mention.core.end + 1])
    whole = set(scene.lower[name.core.start : name.core.end + 1])
    whole_mention = Span(mention.start, mention.end - mention.possessive)
    articles = [scene.lower[span.start] == "the" for span in (mention.core, name.core)]
    owned = {"'s", "’s"} & (whole - part)  # "the city's Opera" says whose it is, and is not part of its name
    fits = part < whole and not owned and mention.core == whole_mention and articles[0] == articles[1]
    return fits and not _is_part(scene, mention)


def _is_part(scene: Scene, mention: Phrase) -> bool:
    """Returns whether a name forms a unit with adjacent words: "the [University] policy", "Professor [Eastman]"."""
    for place in (mention.start - 1, mention.end + 1):
        beside = (
            0 <= place < len(scene.words) and scene.sentence_of[place] == scene.sentence_of[mention.start]
        )
        if beside and scene.words[place][0].isupper() and not scene.begins[place]:
            return True
    behind = scene.behind(mention.end) and scene.tags is not None and scene.tags[mention.end + 1]
    return scene.before(mention.start) in words.DETERMINERS or bool(
        behind and behind.startswith(("NN", "HYPH"))
    )
