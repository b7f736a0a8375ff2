"""The context of a mention: whether a replacement reads well there, and the verb that has to agree with it."""

import bisect
from collections.abc import Iterable

from coref_tf.resolving import words
from coref_tf.resolving.mentions import Phrase
from coref_tf.resolving.representative import Representative
from coref_tf.resolving.scene import Edit, Scene

_APPOSITION = words.word_set(", ( -lrb- -- – — : or namely ) -rrb-")
_REFLEXIVES = {"first": {"myself"}, "second": {"yourself", "yourselves"}}
_SINGULAR_VERBS = words.word_set("is was has does 's ’s")
_CLAUSE_ENDS = {",", "!", "?", ".", "''", "”", '"', ""}
_SINGULAR = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was"}
_SHORT = {"'m": " is", "'re": " is", "'ve": " has", "'ll": " will"}
_SHORT_PLURAL = {"'re": " are", "'ve": " have", "'ll": " will"}


def kept_beside_others(scene: Scene, mentions: Iterable[Phrase]) -> set[Phrase]:
    """Returns the mentions of a cluster that are in apposition, in or around a predicate, or nested in one another."""
    kept: set[Phrase] = set()
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end))
    for number, mention in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if scene.sentence_of[other.start] != scene.sentence_of[mention.start]:
                break
            if other.end <= mention.end:
                kept |= {mention, other}  # nested
            elif other.start > mention.end:
                between = scene.lower[mention.end + 1 : other.start]
                if _is_apposition(mention, other, between) or _is_predicate(other, between):
                    kept |= {mention, other}
        if not mention.is_pronoun and _follows_copula(scene, mention.start):
            kept.add(mention)
    return kept


def _is_apposition(mention: Phrase, other: Phrase, between: list[str]) -> bool:
    """Returns whether two mentions are in apposition; a pronoun after a comma begins a new clause."""
    if mention.is_pronoun and other.is_pronoun:
        return False
    if not between:
        return not mention.possessive
    either = mention.is_pronoun or other.is_pronoun
    return len(between) <= 2 and not either and all(word in _APPOSITION for word in between)


def _is_predicate(other: Phrase, between: list[str]) -> bool:
    """Returns whether only a verb such as "is" separates a mention from the other one after it."""
    return (
        not other.possessive
        and bool(set(between) & words.COPULAS)
        and all(word in words.COPULAS or word in words.BESIDE_COPULAS for word in between)
    )


def _follows_copula(scene: Scene, place: int) -> bool:
    word = scene.before(place)
    while word in words.BESIDE_COPULAS and word != "to":
        place -= 1
        word = scene.before(place)
    return word in words.BEFORE_PREDICATES


def is_address(scene: Scene, mention: Phrase) -> bool:
    """Returns whether a name is between commas, as when somebody is addressed: "I know, Ana, and so do you"."""
    return scene.before(mention.start) == "," and scene.behind(mention.end) in _CLAUSE_ENDS


def is_beside_reflexive(scene: Scene, mention: Phrase) -> bool:
    """Returns whether "myself" or "yourself" is in the sentence of an "I" or "you", and would not agree with a name.

    The whole sentence counts: in "I hurt myself when I fell", a name for one "I" would read as another person.
    """
    sentence = scene.sentence_of[mention.start]
    first, last = bisect.bisect_left(scene.sentence_of, sentence), bisect.bisect(scene.sentence_of, sentence)
    reflexives = _REFLEXIVES.get(mention.kind, set())
    return any(scene.lower[place] in reflexives and not scene.quoted[place] for place in range(first, last))


def is_singular_subject(scene: Scene, mention: Phrase) -> bool:
    """Returns whether a mention is an "it" with a singular verb, which a plural cannot replace."""
    if scene.lower[mention.start] != "it":
        return False
    behind = scene.behind(mention.end)
    tagged = scene.tags is not None and bool(behind) and scene.tags[mention.end + 1] == "VBZ"
    return tagged or behind in _SINGULAR_VERBS


def shares_its_owner(scene: Scene, mention: Phrase) -> bool:
    """Returns whether the possessive also applies to another noun: "his mother and sisters"."""
    if scene.lower[mention.start] not in words.POSSESSIVE | {"her"} or scene.behind(mention.end) not in (
        "and",
        "or",
    ):
        return False
    other = scene.behind(mention.end + 1)
    alone = other.isalpha() and not scene.words[mention.end + 2][0].isupper()
    return alone and other not in words.DETERMINERS | words.PRONOUNS


def is_long_plural(representative: Representative) -> bool:
    """Returns whether an apostrophe would be far from the noun it belongs to: "the oldest of the colts'"."""
    return not representative.is_name and " of " in representative.text and representative.text.endswith("s")


def verb_edits(scene: Scene, place: int, singular: bool) -> list[Edit]:
    """Returns the edits of the verb whose subject, the pronoun at `place`, is replaced.

    Args:
        scene: the document.
        place: the index of the pronoun.
        singular: whether the replacement is singular; the verbs of "he", "she" and "it" already agree with it.
    """
    subject = scene.lower[place]
    if subject not in words.SUBJECT:
        return []
    behind = scene.behind(place).replace("’", "'")
    short = _SHORT if singular and subject in ("i", "you", "they") else _SHORT_PLURAL
    if behind in short:
        return [_edit(scene, place + 1, short[behind])]
    # "'d" is "had" before other words, and both are possible before some, so it stays there.
    if behind == "'d" and scene.behind(place + 1) in words.VERBS | words.AFTER_WOULD:
        return [_edit(scene, place + 1, " would")]
    before = scene.before(place)
    if not singular or subject not in ("i", "you", "they") or _is_joined(scene, place):
        return []
    if before in words.AUXILIARIES:
        return [_edit(scene, place - 1, _SINGULAR[before])] if before in _SINGULAR else []
    adverb = scene.tags is not None and bool(behind) and scene.tags[place + 1] == "RB"
    verb = place + 2 if adverb or behind in words.ADVERBS else place + 1
    return [_edit(scene, verb, changed)] if (changed := _changed(scene, place, verb)) else []


def may_be_joined(scene: Scene, place: int) -> bool:
    """Returns whether the subject of the verb is ambiguous: "late last night and I think", "you and I think"."""
    return scene.lower[place] == "i" and _is_joined(scene, place) and bool(_changed(scene, place, place + 1))


def _is_joined(scene: Scene, place: int) -> bool:
    """Returns whether a subject is coordinated, as in "you and I have"; after a comma, "and" begins a clause."""
    if scene.before(place) not in ("and", "or", "nor"):
        return False
    return scene.before(place - 1) not in ("", ",") and scene.behind(place) not in ("am", "was")


def _changed(scene: Scene, place: int, verb: int) -> str:
    """Returns the new form of the word at `verb`, or "" if it does not change."""
    word = scene.behind(verb - 1)
    if word in _SINGULAR:
        return _SINGULAR[word]
    tagged = scene.tags is not None and bool(word) and scene.tags[verb] == "VBP"
    listed = scene.tags is None and word in words.VERBS and scene.lower[place] in ("i", "they")
    return _with_s(word) if (tagged or listed) and word.isalpha() else ""


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + "s"


def _edit(scene: Scene, place: int, changed: str) -> Edit:
    begin, end = scene.text.offsets[place]
    capital = scene.text.text[begin].isupper()
    return Edit(begin, end, changed[0].upper() + changed[1:] if capital else changed)
