"""The characters of a text: how often they are mentioned, their names and pronouns, and what they say."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from coref_tf.documents.document import Document
from coref_tf.quotations.attribution import (
    Attributed,
    Attribution,
    Clusters,
    find_speakers,
    make_quotation,
)
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.names import best_name, forms
from coref_tf.quotations.quotation import Quotation
from coref_tf.quotations.speech_words import PERSON_NOUNS

_PLURAL = {"they", "them", "their", "theirs", "themselves"}


@dataclasses.dataclass(frozen=True)
class Character:
    """A character of a text.

    Args:
        name: the most frequent name.
        mentions: the number of mentions, of any kind.
        names: the count of each name or phrase, most frequent first.
        pronouns: the count of each pronoun, most frequent first.
        quotations: what the character says, in text order.
        spans: the mentions as inclusive (start, end) word indices, in order.
        clusters: the indices of the clusters that the mentions come from.
    """

    name: str
    mentions: int
    names: Mapping[str, int]
    pronouns: Mapping[str, int]
    quotations: tuple[Quotation, ...]
    spans: tuple[tuple[int, int], ...]
    clusters: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the character as a JSON value."""
        return dataclasses.asdict(self)


def find_characters(document: Document, clusters: Clusters) -> tuple[Character, ...]:
    """Returns the characters of a document, most frequent first.

    Characters are entities that speak, or that are referred to as people: by a title, "she", "the doctor". A cluster
    with several people is split by their names; clusters with the same proper name are one character.

    Args:
        document: the words, and the text, if available.
        clusters: inclusive spans of words.

    Example:
        find_characters(document_from_text('"I am late," said Ana.', "x"), [[(1, 1), (6, 6)]])[0].name     # "Ana"
    """
    attribution = find_speakers(document, clusters)
    said: dict[int, list[Attributed]] = {}
    for quotation in attribution.quotations:
        said.setdefault(quotation.entity, []).append(quotation)
    groups: dict[str, list[int]] = {}  # entities by proper name; any other entity forms its own group
    for number, entity in enumerate(attribution.cast.entities):
        if number in said or (entity.is_person and entity.cluster is not None):
            names, _, pronouns = forms(attribution.layout, entity.spans)
            if (
                not names
                and number not in said
                and _may_be_things(attribution.layout, entity.spans, pronouns)
            ):
                continue
            key = best_name(attribution.layout, entity.spans).lower() if names else f"\0{number}"
            groups.setdefault(key, []).append(number)
    found = [_character(attribution, numbers, said) for numbers in groups.values()]
    return tuple(sorted(found, key=lambda one: (-one.mentions, -len(one.quotations), one.spans)))


def _may_be_things(layout: Layout, spans: Iterable[tuple[int, int]], pronouns: Counter) -> bool:
    """Returns whether "they" is all that suggests people, as it does for "the gears"."""
    return pronouns.keys() <= _PLURAL and not any(layout.lower[end] in PERSON_NOUNS for _, end in spans)


def _character(
    attribution: Attribution, numbers: list[int], said: Mapping[int, list[Attributed]]
) -> Character:
    entities = [attribution.cast.entities[number] for number in numbers]
    spans = sorted({span for entity in entities for span in entity.spans})
    names, phrases, pronouns = forms(attribution.layout, spans)
    name = best_name(attribution.layout, spans)
    spoken = sorted((each for number in numbers for each in said.get(number, [])), key=lambda each: each.span)
    return Character(
        name=name,
        mentions=len(spans),
        names=_by_frequency(names + phrases),
        pronouns=_by_frequency(pronouns),
        quotations=tuple(make_quotation(attribution, each, name) for each in spoken),
        spans=tuple(spans),
        clusters=tuple(sorted({number for entity in entities for number in entity.clusters})),
    )


def _by_frequency(counts: Counter) -> dict[str, int]:
    return dict(counts.most_common())
