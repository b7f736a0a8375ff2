"""Cues from the people who are addressed or talked about in a quotation and in those around it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.addressing import addressed, forms_of_address, is_called
from coref_tf.quotations.cast import Cast
from coref_tf.quotations.evidence import UNKNOWN, Evidence
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.tags import SURE_KINDS
from coref_tf.quotations.turns import Turn

_TURN_GAPS = frozenset([("adjacent",), ("new_adjacent",)])  # gaps after which another person speaks
_ON = frozenset(["split", "paragraph"])  # kinds of gaps after which the same person speaks on
_MOST_PIECES = 3  # the number of pieces of a speech to consider on either side of a quotation


def add_addressed(layout: Layout, cast: Cast, turns: Sequence[Turn], number: int, found: Evidence) -> None:
    """Adds entities addressed by name in this quotation or near it: not its speaker, but likely the next one."""
    for mention, is_vocative in addressed(layout, cast, turns[number].span):
        if is_vocative:
            found.add(mention, "addressed")
        elif layout.lower[mention.start] not in lists.PERSONAL_PRONOUNS:
            found.add(mention, "named_inside")
    for other, feature in quotations_around(turns, number):
        for mention, is_vocative in addressed(layout, cast, turns[other].span):
            if is_vocative:
                found.add(mention, feature)


def add_talked_about(layout: Layout, cast: Cast, turns: Sequence[Turn], evidence: Sequence[Evidence]) -> None:
    """Adds whether an entity is named, but not addressed, in the speeches before and after: it may be absent."""
    for number, found in enumerate(evidence):
        for other, _ in quotations_around(turns, number):
            for mention, is_vocative in addressed(layout, cast, turns[other].span):
                pronoun = layout.lower[mention.start] in lists.PERSONAL_PRONOUNS
                if not is_vocative and not pronoun and mention.entity in found.features:
                    found.add(mention, "named_around")


def add_forms_of_address(
    layout: Layout, cast: Cast, turns: Sequence[Turn], evidence: Sequence[Evidence]
) -> None:
    """Adds whether "sir", "papa" and the like fit an entity: in its own quotations, or in those it may answer."""
    words = [forms_of_address(layout, turn.span) for turn in turns]
    users: dict[str, Counter] = {}
    for turn, said in zip(turns, words, strict=True):
        for word in said:
            if turn.tag is not None and turn.tag.kind in SURE_KINDS:
                users.setdefault(word, Counter())[turn.tag.mention.entity] += 1
    for number, found in enumerate(evidence):
        own = turns[number].tag
        tagged = own.mention.entity if own is not None else UNKNOWN
        for entity, features in found.features.items():
            if is_called(layout, cast, entity, words[number]):
                features["addressed"] = 1.0
            if any(users.get(word, Counter())[entity] > (entity == tagged) for word in words[number]):
                features["shares_address"] = 1.0
            for other, gap in ((number - 1, turns[number].gap), (number + 1, _gap(turns, number + 1))):
                if not 0 <= other < len(turns) or gap[:1] not in _TURN_GAPS:
                    continue
                if is_called(layout, cast, entity, words[other]):
                    features["addressed_before" if other < number else "addressed_after"] = 1.0


def quotations_around(turns: Sequence[Turn], number: int) -> Iterator[tuple[int, str]]:
    """Yields the other quotations in which a speaker may be addressed, and the name of the cue.

    They are the pieces of the speech before and of the speech after; the other pieces of this speech don't count.
    """
    for step, where in ((-1, "before"), (1, "after")):
        place = _end_of_speech(turns, number, step) + step
        if not 0 <= place < len(turns):
            continue
        last = _end_of_speech(turns, place, step)
        for other in range(place, last + step, step):
            yield other, f"addressed_{where}"


def _end_of_speech(turns: Sequence[Turn], number: int, step: int) -> int:
    """Returns the first or last quotation of the speech that one belongs to."""
    for _ in range(_MOST_PIECES):
        following = number + step
        if not 0 <= following < len(turns) or not _ON.intersection(turns[max(number, following)].gap):
            break
        number = following
    return number


def _gap(turns: Sequence[Turn], number: int) -> tuple[str, ...]:
    return turns[number].gap if number < len(turns) else ()
