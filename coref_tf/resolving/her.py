"""Whether "her" says whose, or whom."""

from coref_tf.resolving import words
from coref_tf.resolving.scene import Scene

_MARKS = {"_", "*"}  # around words that are stressed


def is_possessive_her(scene: Scene, place: int) -> bool:
    """Whether the "her" at `place` stands before a noun, as far as the words around it tell."""
    if scene.tags is not None and scene.tags[place] in ("PRP$", "PRP"):
        return scene.tags[place] == "PRP$"
    after = place + 1 if scene.behind(place) not in _MARKS else place + 2
    before, behind = scene.before(place), scene.behind(after - 1)
    if not behind or not behind[0].isalnum():
        return False
    if before in words.SUBORDINATORS or not before:
        return True  # a clause begins with it, and whom stands behind a verb
    if behind in words.MAYBE_NOUNS and before in words.PREPOSITIONS - {"to"}:
        return True
    return behind not in words.NO_NOUNS and not _is_whom(scene, before, after)


def _is_whom(scene: Scene, before: str, after: int) -> bool:
    """Whether what is said of her follows: "called her Pet", "saw her leaving", "liked her extremely"."""
    behind, then = scene.lower[after], scene.behind(after)
    if before in words.CALLING | words.TEACHING and scene.words[after][0].isupper():
        return True
    if before in words.PERCEIVING and behind.endswith("ing") and behind not in words.NOUNS_IN_ING:
        return True
    ends = not then or not then[0].isalnum() or then in words.NO_NOUNS
    return behind.endswith("ly") and behind not in words.NO_ADVERBS_IN_LY and ends
