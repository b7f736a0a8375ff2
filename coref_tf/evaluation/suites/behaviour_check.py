"""Checks a model's clusters against a case of the behaviour suite.

A predicted mention matches a marked one if it is the same span, or if one of the two contains the other and both have
the same head word (`coref_tf.syntax.heads`): *Marie Curie* matches *Marie Curie (1867 – 1934)*, but *his* does not
match *his sister*, and *Tom and Mary* does not match *Mary*. Symbols at either end, such as emoji or the asterisks of
Markdown, are ignored.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coref_tf.evaluation.suites.behaviour_case import NOTHING, BehaviourCase
from coref_tf.syntax.heads import phrase_head

Span = tuple[int, int]


class Outcome(NamedTuple):
    """The outcome of a case."""

    missed: list[Span]  # mentions that are not in a cluster with others of their entity, but should be
    wrong: list[list[Span]]  # clusters whose mentions do not belong together
    partition: frozenset[frozenset[int]]  # how the model groups the mentions of the case, by number

    @property
    def passed(self) -> bool:
        """Whether there are all required links and no wrong ones."""
        return not self.missed and not self.wrong


def check_case(case: BehaviourCase, clusters: Iterable[Sequence[Span]]) -> Outcome:
    """Compares a model's clusters with the case.

    The mentions of an entity must be in one cluster, except for optional ones. A cluster is wrong if it contains
    mentions of two entities, a marked mention together with an unmarked one, or a mention that refers to nothing.
    Clusters without a marked mention are not judged.
    """
    matcher = _MentionMatcher(case)
    missed_by_entity = {entity: spans for entity, spans in _required(case).items() if len(spans) > 1}
    held: dict[str, list[set[Span]]] = {}
    wrong, partition = [], set()
    for cluster in clusters:
        numbers = [matcher.find(span) for span in cluster]
        marked = {number for number in numbers if number is not None}
        if len(cluster) < 2 or not marked:
            continue
        entities = {case.mentions[number].entity for number in marked}
        if None in numbers or len(entities) > 1 or NOTHING in entities:
            wrong.append(list(cluster))
        partition.add(frozenset(marked))
        for entity in entities:
            own = {case.mentions[n].span for n in marked if case.mentions[n].entity == entity}
            held.setdefault(entity, []).append(own)
    missed = [
        span for entity, spans in missed_by_entity.items() for span in _outside(spans, held.get(entity, []))
    ]
    return Outcome(sorted(missed), wrong, frozenset(partition))


def _required(case: BehaviourCase) -> Mapping[str, list[Span]]:
    """Returns the required mentions by entity, without those that refer to nothing."""
    spans: dict[str, list[Span]] = {}
    for mention in case.mentions:
        if mention.required and mention.entity != NOTHING:
            spans.setdefault(mention.entity, []).append(mention.span)
    return spans


def _outside(spans: Sequence[Span], clusters: Sequence[set[Span]]) -> list[Span]:
    """Returns the mentions of an entity outside the cluster with most of them, or all if no cluster has two."""
    found = max(({span for span in spans if span in cluster} for cluster in clusters), key=len, default=set())
    return [span for span in spans if span not in found or len(found) < 2]


class _MentionMatcher:
    """Finds the marked mention that a predicted one matches."""

    def __init__(self, case: BehaviourCase):
        self._words = case.document.words
        self._numbers = {mention.span: number for number, mention in enumerate(case.mentions)}
        self._heads = {span: self._head(span) for span in self._numbers}

    def find(self, span: Span) -> int | None:
        """Returns the number of the marked mention; the widest, if several have the same head."""
        if span in self._numbers:
            return self._numbers[span]
        head = self._head(span)
        alike = [own for own, of_own in self._heads.items() if of_own == head and _is_nested(own, span)]
        return self._numbers[max(alike, key=lambda own: own[1] - own[0])] if alike else None

    def _head(self, span: Span) -> int:
        """Returns the head word of a span, ignoring symbols at its ends."""
        words = [place for place in range(span[0], span[1] + 1) if any(map(str.isalnum, self._words[place]))]
        return phrase_head(self._words, words[0], words[-1]) if words else span[0]


def _is_nested(a: Span, b: Span) -> bool:
    return (a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1])
