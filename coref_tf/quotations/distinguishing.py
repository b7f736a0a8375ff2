"""Finds people whom a cluster confuses: adjacent quotations with different tags have different speakers."""

import itertools
from collections.abc import Mapping, Sequence

from coref_tf.quotations.cast import Cast
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import phrase_head
from coref_tf.quotations.tags import SURE_KINDS
from coref_tf.quotations.turns import Turn

_NEAR = frozenset(["adjacent", "tagged", "new_adjacent", "new_tagged"])


def distinct_heads(layout: Layout, cast: Cast, turns: Sequence[Turn]) -> Mapping[int, frozenset[str]]:
    """Returns, for each cluster, the nouns that refer to somebody other than the rest of the cluster.

    Example:
        # '"Who are you?" said Anna. "I am lost," said the child.', with Anna and the child in cluster 0
        distinct_heads(layout, cast, turns)         # {0: {"child"}}
    """
    found: dict[int, frozenset[str]] = {}
    for one, two in itertools.pairwise(turns):
        if one.tag is None or two.tag is None or not {one.tag.kind, two.tag.kind} <= SURE_KINDS:
            continue
        first, second = one.tag.mention, two.tag.mention
        cluster = cast.entities[first.entity].cluster
        if cluster is None or first.entity != second.entity or first.start == second.start:
            continue
        heads = [phrase_head(layout, mention.start, mention.end) for mention in (first, second)]
        if two.gap[:1] and two.gap[0] in _NEAR and heads[0] != heads[1]:
            found[cluster] = found.get(cluster, frozenset()) | frozenset(head for head in heads if head)
    return found
