"""Which mentions stay as they are because what stands beside them says the same."""

from collections.abc import Iterable

from coref_tf.resolving import words
from coref_tf.resolving.mention import Mention
from coref_tf.resolving.scene import Scene

_APPOSITION = words.word_set(", ( -lrb- -- – — : or namely ) -rrb-")


def kept_beside_others(scene: Scene, mentions: Iterable[Mention]) -> set[Mention]:
    """Of the mentions of one cluster, those in apposition, in or around a predicate, or inside one another."""
    kept: set[Mention] = set()
    ordered = sorted(mentions, key=lambda mention: (mention.start, -mention.end))
    for number, mention in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if scene.sentence_of[other.start] != scene.sentence_of[mention.start]:
                break
            if other.end <= mention.end:
                kept |= {mention, other}  # one inside the other
            elif other.start > mention.end:
                between = scene.lower[mention.end + 1 : other.start]
                if _is_apposition(mention, other, between) or _is_predicate(other, between):
                    kept |= {mention, other}
        if not mention.is_pronoun and _follows_copula(scene, mention.start):
            kept.add(mention)
    return kept


def _is_apposition(mention: Mention, other: Mention, between: list[str]) -> bool:
    """Side by side, or with a comma between two phrases; a pronoun after a comma begins a clause of its own."""
    if mention.is_pronoun and other.is_pronoun:
        return False
    if not between:
        return not mention.possessive
    either = mention.is_pronoun or other.is_pronoun
    return len(between) <= 2 and not either and all(word in _APPOSITION for word in between)


def _is_predicate(other: Mention, between: list[str]) -> bool:
    """Whether only a verb such as "is" stands between a mention and the other behind it."""
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
