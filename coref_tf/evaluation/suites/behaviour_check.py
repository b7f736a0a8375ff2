"""Whether a model's clusters are what a case of the behaviour suite asks for.

A predicted mention stands for a marked one if it is the same span, or else if one of the two contains the other and
both have the same head word (`coref_tf.syntax.heads`): *Marie Curie* stands for *Marie Curie (1867 – 1934)*,
while *his* doesn't stand for *his sister*, nor *Tom and Mary* for *Mary*. Signs at either end, such as emoji or the
asterisks of Markdown, don't count.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coref_tf.evaluation.suites.behaviour_case import NOTHING, BehaviourCase
from coref_tf.syntax.heads import phrase_head

Span = tuple[int, int]


class Outcome(NamedTuple):
    """What a model made of a case."""

    missed: list[Span]  # mentions that have to be in a cluster with others of their entity, and aren't
    wrong: list[list[Span]]  # clusters that put together what doesn't belong together
    partition: frozenset[frozenset[int]]  # which of the case's mentions, by number, the model puts together

    @property
    def passed(self) -> bool:
        """Whether every link is there that has to be, and no wrong one."""
        return not self.missed and not self.wrong


def check_case(case: BehaviourCase, clusters: Iterable[Sequence[Span]]) -> Outcome:
    """Compares a model's clusters with what the case asks for.

    Mentions of one entity have to be in one cluster, except for those that may be left out. A cluster is wrong if it
    holds mentions of two entities, a mention that is marked and one that is not, or one that refers to nothing.
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
    """The mentions that have to be found, by entity; those that refer to nothing are none."""
    spans: dict[str, list[Span]] = {}
    for mention in case.mentions:
        if mention.required and mention.entity != NOTHING:
            spans.setdefault(mention.entity, []).append(mention.span)
    return spans


def _outside(spans: Sequence[Span], clusters: Sequence[set[Span]]) -> list[Span]:
    """The mentions of an entity that are not in the cluster with most of them; all, where no cluster has two."""
    found = max(({span for span in spans if span in cluster} for cluster in clusters), key=len, default=set())
    return [span for span in spans if span not in found or len(found) < 2]


class _MentionMatcher:
    """Finds the marked mention that a predicted one stands for."""

    def __init__(self, case: BehaviourCase):
        self._words = case.document.words
        self._numbers = {mention.span: number for number, mention in enumerate(case.mentions)}
        self._heads = {span: self._head(span) for span in self._numbers}

    def find(self, span: Span) -> int | None:
        """The number of the marked mention; of several with the same head, the widest."""
        if span in self._numbers:
            return self._numbers[span]
        head = self._head(span)
        alike = [own for own, of_own in self._heads.items() if of_own == head and _is_nested(own, span)]
        return self._numbers[max(alike, key=lambda own: own[1] - own[0])] if alike else None

    def _head(self, span: Span) -> int:
        """The head word of a span without the signs at its ends."""
        words = [place for place in range(span[0], span[1] + 1) if any(map(str.isalnum, self._words[place]))]
        return phrase_head(self._words, words[0], words[-1]) if words else span[0]


def _is_nested(a: Span, b: Span) -> bool:
    return (a[0] <= b[0] and b[1] <= a[1]) or (b[0] <= a[0] and a[1] <= b[1])
