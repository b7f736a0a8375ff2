"""Verbs beside a replaced subject: "I think" becomes "Ana thinks"."""

from coref_tf.resolving import words
from coref_tf.resolving.edit import Edit
from coref_tf.resolving.scene import Scene

_SINGULAR = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was"}
_SHORT = {"'m": " is", "'re": " is", "'ve": " has", "'ll": " will"}
_SHORT_PLURAL = {"'re": " are", "'ve": " have", "'ll": " will"}


def verb_edits(scene: Scene, place: int, singular: bool) -> list[Edit]:
    """The changes of the verb of a pronoun at `place` that becomes a phrase.

    Args:
        scene: the document.
        place: of the pronoun.
        singular: whether the phrase is of one person or thing; "he", "she" and "it" have such verbs already.
    """
    subject = scene.lower[place]
    if subject not in words.SUBJECT:
        return []
    behind = scene.behind(place).replace("’", "'")
    short = _SHORT if singular and subject in ("i", "you", "they") else _SHORT_PLURAL
    if behind in short:
        return [_edit(scene, place + 1, short[behind])]
    before = scene.before(place)
    if not singular or subject not in ("i", "you", "they") or _is_joined(scene, place):
        return []
    if before in words.AUXILIARIES:
        return [_edit(scene, place - 1, _SINGULAR[before])] if before in _SINGULAR else []
    adverb = scene.tags is not None and bool(behind) and scene.tags[place + 1] == "RB"
    verb = place + 2 if adverb or behind in words.ADVERBS else place + 1
    return [_edit(scene, verb, changed)] if (changed := _changed(scene, place, verb)) else []


def _is_joined(scene: Scene, place: int) -> bool:
    """Whether a subject is one of two, as in "you and I have"; after a comma, "and" begins a clause."""
    if scene.before(place) not in ("and", "or", "nor"):
        return False
    return scene.before(place - 1) not in ("", ",") and scene.behind(place) not in ("am", "was")


def _changed(scene: Scene, place: int, verb: int) -> str:
    """The form that the word at `verb` takes; "" where it stays."""
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
