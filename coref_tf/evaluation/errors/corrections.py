"""Corrects predicted clusters into gold clusters, one kind of error after another."""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.evaluation.errors.mention_kinds import MentionKinds, Span

Clusters = list[list[Span]]
Entities = dict[Span, int]  # the gold cluster of each gold mention

# In the order of correction.
SPAN, CONFLATED, EXTRA_MENTION = "span error", "conflated entities", "extra mention"
EXTRA_ENTITY, DIVIDED = "extra entity", "divided entity"
MISSING_MENTION, MISSING_ENTITY = "missing mention", "missing entity"
ERROR_KINDS = (SPAN, CONFLATED, EXTRA_MENTION, EXTRA_ENTITY, DIVIDED, MISSING_MENTION, MISSING_ENTITY)


class Error(NamedTuple):
    """One error.

    SPAN: A predicted mention has different boundaries than the gold mention with the same head, `other`.
    CONFLATED: A part of a predicted entity belongs to a different gold entity than its largest part, `other`.
    EXTRA_MENTION: A predicted mention is not a gold mention, but other mentions of its entity, `other`, are.
    EXTRA_ENTITY: None of the mentions of a predicted entity is a gold mention.
    DIVIDED: A gold entity was predicted as several; `other` is its largest part.
    MISSING_MENTION: A gold mention was not predicted, but other mentions of its entity, `other`, were.
    MISSING_ENTITY: No mention of a gold entity was predicted.
    """

    kind: str
    mentions: tuple[Span, ...]
    mention_kind: str  # the most informative kind of these mentions
    other: tuple[Span, ...] = ()


class Correction(NamedTuple):
    """The errors of a document, and its clusters after each correction."""

    errors: list[Error]
    # The predicted clusters, then the clusters after the correction of each of ERROR_KINDS; the last are gold.
    steps: list[Clusters]


def correct(gold: Clusters, predicted: Clusters, kinds: MentionKinds) -> Correction:
    """Corrects the predicted clusters into the gold ones.

    Args:
        gold: The gold clusters; no mention occurs in two of them (`distinct` ensures this).
        predicted: The predicted clusters.
        kinds: The mention kinds of the document.
    """
    entity_of = {mention: number for number, cluster in enumerate(gold) for mention in cluster}
    state = [sorted(cluster) for cluster in predicted]
    errors: list[Error] = []
    steps = [state]
    for step in (_fix_spans, _split, _drop_mentions, _drop_entities, _merge, _add_mentions, _add_entities):
        state, found = step(state, gold, entity_of, kinds)
        errors += found
        steps.append(state)
    return Correction(errors, steps)


def distinct(document: Document, remove_singletons: bool = False) -> Clusters:
    """Returns the gold clusters, with a repeated mention only in the first of them; few corpora have any."""
    seen: set[Span] = set()
    clusters = []
    for cluster in document.clusters:
        own = [mention for mention in dict.fromkeys(cluster) if mention not in seen]
        seen.update(own)
        if len(own) > (1 if remove_singletons else 0):
            clusters.append(sorted(own))
    return clusters


def _fix_spans(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    predicted = {mention for cluster in state for mention in cluster}
    missed: dict[int, list[Span]] = {}
    for mention in sorted(set(entity_of) - predicted):
        missed.setdefault(kinds.head(mention), []).append(mention)
    renamed, errors = {}, []
    for mention in sorted(predicted - set(entity_of)):
        candidates = missed.get(kinds.head(mention))
        if candidates:
            # Of several gold mentions with this head, the one with the most words in common.
            right = max(candidates, key=lambda other: _common(mention, other))
            candidates.remove(right)
            renamed[mention] = right
            errors.append(Error(SPAN, (mention,), kinds.kind(right), (right,)))
    return [sorted(renamed.get(mention, mention) for mention in cluster) for cluster in state], errors


def _split(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    split, errors = [], []
    for cluster in state:
        parts: dict[int | None, list[Span]] = {}
        for mention in cluster:
            parts.setdefault(entity_of.get(mention), []).append(mention)
        extra = parts.pop(None, [])
        largest, *others = _largest_first(parts.values()) or [[]]
        split += [sorted(largest + extra), *others]
        errors += [Error(CONFLATED, tuple(o), kinds.most_telling_kind(o), tuple(largest)) for o in others]
    return split, errors


def _drop_mentions(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    kept, errors = [], []
    for cluster in state:
        right = [mention for mention in cluster if mention in entity_of]
        kept.append(right or cluster)
        for mention in cluster if right else ():
            if mention not in entity_of:
                errors.append(Error(EXTRA_MENTION, (mention,), kinds.kind(mention), tuple(right)))
    return kept, errors


def _drop_entities(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    extra = [cluster for cluster in state if cluster[0] not in entity_of]
    errors = [Error(EXTRA_ENTITY, tuple(cluster), kinds.most_telling_kind(cluster)) for cluster in extra]
    return [cluster for cluster in state if cluster[0] in entity_of], errors


def _merge(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    parts: dict[int, Clusters] = {}
    for cluster in state:
        parts.setdefault(entity_of[cluster[0]], []).append(cluster)
    errors = []
    for of_entity in parts.values():
        largest, *others = _largest_first(of_entity)
        errors += [Error(DIVIDED, tuple(o), kinds.most_telling_kind(o), tuple(largest)) for o in others]
    return [sorted(itertools.chain(*of_entity)) for of_entity in parts.values()], errors


def _add_mentions(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    errors, whole = [], []
    for cluster in state:
        entity = gold[entity_of[cluster[0]]]
        whole.append(sorted(entity))
        errors += [
            Error(MISSING_MENTION, (mention,), kinds.kind(mention), tuple(cluster))
            for mention in sorted(set(entity) - set(cluster))
        ]
    return whole, errors


def _add_entities(
    state: Clusters, gold: Clusters, entity_of: Entities, kinds: MentionKinds
) -> tuple[Clusters, list[Error]]:
    found = {entity_of[cluster[0]] for cluster in state}
    missing = [sorted(cluster) for number, cluster in enumerate(gold) if number not in found]
    errors = [Error(MISSING_ENTITY, tuple(cluster), kinds.most_telling_kind(cluster)) for cluster in missing]
    return state + missing, errors


def _largest_first(parts: Iterable[list[Span]]) -> Clusters:
    """Sorts parts by size, the largest first; equal ones by position."""
    return sorted(parts, key=lambda part: (-len(part), part[0]))


def _common(one: Span, other: Span) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])
