"""A mention, and what kind of phrase it is."""

from typing import NamedTuple

from coref_tf.resolving import naming, words
from coref_tf.resolving.her import is_possessive_her
from coref_tf.resolving.scene import Scene


class Mention(NamedTuple):
    """Words start to end of a cluster.

    `kind` is "first", "second" or "third" person, "demonstrative", "left" (a pronoun that stays), "name", "nominal",
    or "other" (no noun, or of nothing in particular). `telling` is the part of it that can stand for the cluster.
    """

    start: int
    end: int
    cluster: int
    kind: str
    possessive: bool
    telling: naming.Span

    @property
    def is_pronoun(self) -> bool:
        """Whether it is a pronoun of any kind."""
        return self.kind in ("first", "second", "third", "demonstrative", "left")

    @classmethod
    def of(cls, scene: Scene, start: int, end: int, cluster: int, person: bool) -> "Mention":
        """The mention that these words are; `person` says that its cluster has "he" or "she"."""
        lower = scene.lower[start : end + 1]
        telling = naming.Span(start, end)
        if words.all_pronouns(lower):
            kind = _pronoun_kind(lower[0]) if start == end else "left"
            return cls(start, end, cluster, kind, _is_possessive(scene, start), telling)
        telling = naming.telling_part(scene, start, end)
        if naming.is_name(scene, *telling, person):
            kind = "name"
        else:
            kind = "nominal" if naming.is_nominal(scene, *telling) else "other"
        possessive = end > start and naming.ends_possessive(scene, end)
        return cls(start, end, cluster, kind, possessive, telling)


def _pronoun_kind(word: str) -> str:
    kinds = {
        "first": words.FIRST_SINGULAR | words.FIRST_PLURAL,
        "second": words.SECOND,
        "third": words.THIRD,
        "demonstrative": words.DEMONSTRATIVE,
    }
    return next((kind for kind, known in kinds.items() if word in known), "left")


def _is_possessive(scene: Scene, place: int) -> bool:
    """Whether a pronoun says whose."""
    word = scene.lower[place]
    return is_possessive_her(scene, place) if word == "her" else word in words.POSSESSIVE
