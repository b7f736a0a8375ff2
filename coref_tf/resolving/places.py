"""Places where a phrase or a name reads badly, though it is the right one."""

from coref_tf.resolving import words
from coref_tf.resolving.mention import Mention
from coref_tf.resolving.representative import Representative
from coref_tf.resolving.scene import Scene

_SINGULAR_VERBS = words.word_set("is was has does 's ’s")
_ENDS = {",", "!", "?", ".", "''", "”", '"', ""}


def is_address(scene: Scene, mention: Mention) -> bool:
    """Whether a name stands between commas, as when somebody is spoken to: "I know, Ana, and so do you"."""
    return scene.before(mention.start) == "," and scene.behind(mention.end) in _ENDS


def is_singular_subject(scene: Scene, mention: Mention) -> bool:
    """Whether a mention is an "it" whose verb is of one thing, which no plural goes with."""
    if scene.lower[mention.start] != "it":
        return False
    behind = scene.behind(mention.end)
    tagged = scene.tags is not None and bool(behind) and scene.tags[mention.end + 1] == "VBZ"
    return tagged or behind in _SINGULAR_VERBS


def shares_its_owner(scene: Scene, mention: Mention) -> bool:
    """Whether another noun goes without an owner of its own: "his mother and sisters"."""
    if scene.lower[mention.start] not in words.POSSESSIVE | {"her"} or scene.behind(mention.end) not in (
        "and",
        "or",
    ):
        return False
    other = scene.behind(mention.end + 1)
    alone = other.isalpha() and not scene.words[mention.end + 2][0].isupper()
    return alone and other not in words.DETERMINERS | words.PRONOUNS


def is_long_plural(representative: Representative) -> bool:
    """Whether an apostrophe would stand far from what it belongs to: "the oldest of the colts'"."""
    return not representative.is_name and " of " in representative.text and representative.text.endswith("s")
