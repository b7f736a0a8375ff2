"""Pleonastic "it", which refers to nothing.

The constructions of Lappin and Leass (1994) in parse trees. In each of them, "it" takes the place of a clause.

    it is clear that ..., it would be hard to ...       an adjective and a clause
    it is said that ..., it has been decided that ...   a participle and a clause
    it is time to ..., it is a pity that ...            certain nouns and a clause
    it seems that ..., it follows that ...              certain verbs and a clause
    they made it clear that ..., she finds it hard to   an adjective and a clause after "it" as an object
"""

from collections.abc import Iterator, Sequence

from coref_tf.syntax.tree import Tree
from coref_tf.syntax.word_lists import word_set

BE = word_set("be is was 's ’s been being become becomes became")
SEEM = word_set("""
    seem seems seemed appear appears appeared follow follows followed mean means meant
    turn turns turned happen happens happened
""")
NOUNS = word_set("time thanks pity shame wonder pleasure honor honour")
BEFORE_NOUNS = word_set("a an about high no such my our")
COMPLEMENTIZERS = word_set("that for whether")
SEEMING = COMPLEMENTIZERS | {"as", "like"}  # it looks as if ..., it seems like ...
OF_DEGREE = word_set("too enough so")  # too large to ... describes something


def is_pleonastic(pronoun: Tree) -> bool:
    """Returns whether a word is an "it" that only takes the place of a clause.

    Example:
        is_pleonastic(tree_of_it_is_clear_that_she_left.leaves()[0])       # True
    """
    if pronoun.word.lower() != "it" or pronoun.label != "PRP" or pronoun.parent is None:
        return False
    phrase = pronoun
    # If a trace of the clause was next to it, "it" is alone in a noun phrase within a noun phrase.
    while phrase.parent is not None and phrase.parent.span == pronoun.span:
        phrase = phrase.parent
    after = phrase.siblings_after()
    return any(_holds_place(tree) for tree in after if tree.label == "VP") or _is_object(phrase, after)


def _holds_place(phrase: Tree) -> bool:
    """Returns whether a verb phrase with the subject "it" is one of the constructions."""
    for verb, rest in _verbs(phrase):
        word = verb.word.lower()
        if word in BE and any(_is_predicate(tree, rest[place:]) for place, tree in enumerate(rest, start=1)):
            return True
        if word in SEEM and any(tree.label == "SBAR" and _is_clause(tree, SEEMING) for tree in rest):
            return True
    return False


def _verbs(phrase: Tree) -> Iterator[tuple[Tree, list[Tree]]]:
    """Yields the verbs of a verb phrase, that is, auxiliaries and the main verb, each with the trees that follow it."""
    waiting = [phrase]
    while waiting:
        for tree in waiting.pop().children:
            if tree.is_leaf and tree.label.startswith("V"):
                yield tree, tree.siblings_after()
            elif tree.label == "VP":
                waiting.append(tree)


def _is_predicate(tree: Tree, behind: Sequence[Tree]) -> bool:
    """Returns whether what follows a form of "be" is a predicate of a clause."""
    within = [*tree.children, *behind]
    if tree.label in ("ADJP", "JJ", "JJR"):
        return not _has_degree(tree) and _has_clause(within)
    if tree.label == "VP":
        participle = any(child.label == "VBN" and child.word.lower() not in BE for child in tree.children)
        return participle and any(child.label == "SBAR" and _is_clause(child) for child in tree.children)
    return tree.label == "NP" and _begins_with_noun(tree) and _has_clause(within)


def _begins_with_noun(phrase: Tree) -> bool:
    """Returns whether a phrase begins with one of the NOUNS, optionally after a few words."""
    words = [leaf.word.lower() for leaf in phrase.leaves()]
    first = next((word for word in words if word not in BEFORE_NOUNS), "")
    return first in NOUNS


def _is_object(phrase: Tree, after: Sequence[Tree]) -> bool:
    """Matches they made (S (NP it) (ADJP clear) (SBAR that ...)); the clause may also follow the S."""
    if not after or after[0].label not in ("ADJP", "JJ") or _has_degree(after[0]):
        return False
    behind = [*after[0].children, *after[1:]]
    if phrase.parent and phrase.parent.label == "S":
        behind += phrase.parent.siblings_after()
    return _has_clause(behind)


def _has_degree(adjective: Tree) -> bool:
    return any(leaf.word.lower() in OF_DEGREE for leaf in adjective.leaves()[:2])


def _has_clause(trees: Sequence[Tree]) -> bool:
    return any(_is_clause(tree) for tree in trees)


def _is_clause(tree: Tree, complementizers: frozenset[str] = COMPLEMENTIZERS) -> bool:
    """Returns whether a tree is a clause that could be the subject: that she left, to leave, who left."""
    if tree.is_leaf:
        return False
    first, word = tree.children[0], tree.leaves()[0].word.lower()
    if tree.label == "SBAR":
        asks = first.label.startswith("WH") and word != "when"
        return asks or first.label == "S" or word in complementizers
    infinitive = first.label == "VP" and first.leaves()[0].label == "TO"
    return tree.label == "S" and infinitive
