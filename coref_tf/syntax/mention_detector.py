"""The rule-based mention detector of Raghunathan et al. (2010), over parse trees.

Every noun phrase, pronoun and named entity is a mention, unless one of the rules excludes it. Table 3 and figure 3 of
the paper compare the model's learned spans with it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.syntax.heads import head_child, head_word, is_coordinated
from coref_tf.syntax.named_entities import NamedEntity, named_entities
from coref_tf.syntax.pleonastic import is_pleonastic
from coref_tf.syntax.tree import Tree, document_trees
from coref_tf.syntax.word_lists import (
    NATION_ACRONYMS,
    NATION_ADJECTIVES,
    NUMERIC_KINDS,
    PARTS,
    QUANTIFIERS,
    STOP_WORDS,
    UNITS,
)

MENTION_LABELS = frozenset(["NP", "PRP", "PRP$"])


class Candidate(NamedTuple):
    """A span that may be a mention."""

    words: list[Tree]  # its words
    head: Tree  # its head word
    kind: str  # the type of the named entity that the head belongs to; "" if it belongs to none

    @property
    def span(self) -> tuple[int, int]:
        """The first and last word of the candidate."""
        return self.words[0].start, self.words[-1].start


def detect_mentions(document: Document) -> list[tuple[int, int]]:
    """Returns the mentions of a document as inclusive spans, ordered by (start, end).

    Example:
        detect_mentions(document)        # [(0, 0), (2, 5), (4, 5)]
    """
    entities = named_entities(document)
    spans: list[tuple[int, int]] = []
    for tree in document_trees(document):
        own = [entity for entity in entities if tree.start <= entity.start and entity.end <= tree.end]
        spans += detect_in_sentence(tree, own)
    return sorted(spans)


def detect_in_sentence(tree: Tree, entities: Iterable[NamedEntity] = ()) -> list[tuple[int, int]]:
    """Returns the mentions of one sentence, given its named entities."""
    entities = list(entities)
    kinds = {place: e.kind for e in entities for place in range(e.start, e.end + 1)}
    leaves = tree.leaves()
    heads: dict[tuple[int, int], Tree] = {}
    for phrase in tree.subtrees():
        if phrase.label in MENTION_LABELS and phrase.span not in heads:
            heads[phrase.span] = head_word(phrase)
    for start, end, _ in entities:
        heads.setdefault((start, end), span_head(tree, start, end))
    candidates = [
        Candidate(leaves[start - tree.start : end - tree.start + 1], head, kinds.get(head.start, ""))
        for (start, end), head in heads.items()
    ]
    # The larger mention first: "a total" is excluded for the same reason as "a total of 177 projects".
    largest = [candidate for candidate in candidates if not has_larger(candidate, candidates)]
    return [candidate.span for candidate in largest if not any(rule(candidate) for rule in EXCLUSIONS)]


def span_head(tree: Tree, start: int, end: int) -> Tree:
    """Returns the head of any span: that of its part of the smallest enclosing phrase, by the rules of noun phrases.

    If a span crosses brackets, so that it contains no complete constituent, its last word is the head.
    """
    around = tree
    while inner := [c for c in around.children if c.start <= start and end <= c.end and not c.is_leaf]:
        around = inner[0]
    if around.span == (start, end):
        return head_word(around)
    inside = [child for child in around.children if start <= child.start and child.end <= end]
    return head_word(head_child("NP", inside)) if inside else tree.leaves()[end - tree.start]


def has_larger(candidate: Candidate, candidates: Iterable[Candidate]) -> bool:
    """Returns whether a larger candidate has the same head. A conjunct is not the same entity as the coordination."""
    return any(
        other.head is candidate.head
        and len(other.words) > len(candidate.words)
        and not _is_conjunct(candidate, other)
        for other in candidates
    )


def _is_conjunct(smaller: Candidate, larger: Candidate) -> bool:
    """Returns whether there is a coordination between the smaller and the larger span around their common head."""
    (start, end), (first, last) = smaller.span, larger.span
    return any(
        is_coordinated(phrase)
        for phrase in smaller.head.ancestors()
        if first <= phrase.start and phrase.end <= last and (phrase.start < start or phrase.end > end)
    )


def is_numeric(candidate: Candidate) -> bool:
    """Returns whether a candidate is a percentage, money, cardinal or quantity: "9 %", "100 miles", not "the two"."""
    if candidate.words[0].label in ("DT", "PRP$") and candidate.words[0].word.lower() not in ("a", "an"):
        return False
    if candidate.kind:
        return candidate.kind in NUMERIC_KINDS
    head = candidate.head
    if head.label in ("CD", "$"):
        return True
    counted = any(word.label in ("CD", "$") for word in candidate.words)
    return head.word == "%" or (counted and head.word.lower() in UNITS)


def is_partitive(candidate: Candidate) -> bool:
    """Returns whether a candidate is a part or an amount: "a total of 177 projects", "none of them"."""
    words = [leaf.word.lower() for leaf in candidate.words]
    of = words.index("of") if "of" in words else 0
    return 0 < of <= 3 and words[of - 1] in PARTS


def is_quantified(candidate: Candidate) -> bool:
    """Returns whether a candidate refers to nothing in particular: "nobody", "any ship", "every child"."""
    return candidate.words[0].word.lower() in QUANTIFIERS


def is_pleonastic_it(candidate: Candidate) -> bool:
    """Returns whether a candidate is a pleonastic "it", as in "it is clear that she left"."""
    return len(candidate.words) == 1 and is_pleonastic(candidate.head)


def is_nation_adjective(candidate: Candidate) -> bool:
    """Returns whether a candidate is the adjective or acronym of a nation: "American", "U.S."."""
    [*before, last] = candidate.words
    return not before and (last.word in NATION_ACRONYMS or last.word.lower() in NATION_ADJECTIVES)


def is_stop_word(candidate: Candidate) -> bool:
    """Returns whether a candidate is on the stop list: "there", "ltd.", "hmm"."""
    return all(leaf.word.lower() in STOP_WORDS or leaf.label in (",", ".") for leaf in candidate.words)


EXCLUSIONS = (is_numeric, is_partitive, is_quantified, is_pleonastic_it, is_nation_adjective, is_stop_word)
