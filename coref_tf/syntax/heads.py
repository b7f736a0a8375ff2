"""Syntactic heads, following the table of Collins (1999, appendix A).

The head of a phrase is the head of one of its children. For most categories, a list of labels determines which: the
first label that any child has wins, and among children with that label, the first one from the side where the search
begins. Noun phrases and coordinated phrases have their own rules. Punctuation is never a head.

`phrase_head` finds the head of a noun phrase without a parse tree, from its words alone.
"""

from collections.abc import Sequence

from coref_tf.syntax.tree import Tree
from coref_tf.syntax.word_lists import word_set

PUNCTUATION = frozenset(["``", "''", "`", "'", ",", ":", ".", "-LRB-", "-RRB-", "HYPH", "NFP"])
NOUN_PHRASES = frozenset(["NP", "NX", "NML"])  # NML, which is newer than the table, is an NX inside a phrase
CONJUNCTIONS = frozenset(["CC", "CONJP"])

LEFT, RIGHT = "left", "right"

# Category -> where the search begins, and the labels by priority. Without a match, the first child from that side wins.
HEAD_RULES = {
    "ADJP": (LEFT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (RIGHT, "CC RB IN"),
    "FRAG": (RIGHT, ""),
    "INTJ": (LEFT, ""),
    "LST": (RIGHT, "LS :"),
    "NAC": (LEFT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (RIGHT, "IN TO VBG VBN RP FW"),
    "PRN": (LEFT, ""),
    "PRT": (RIGHT, "RP"),
    "QP": (LEFT, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (RIGHT, "VP NP ADVP ADJP PP"),
    "S": (LEFT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (LEFT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (LEFT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (LEFT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (RIGHT, ""),
    "VP": (LEFT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (LEFT, "CC WRB JJ ADJP"),
    "WHADVP": (RIGHT, "CC WRB"),
    "WHNP": (LEFT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (RIGHT, "IN TO FW"),
}

# Noun phrases: the first set that any child belongs to wins, searched from the given side.
NOUN_PHRASE_RULES = (
    (RIGHT, {"NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"}),
    (LEFT, {"NP"}),
    (RIGHT, {"$", "ADJP", "PRN"}),
    (RIGHT, {"CD"}),
    (RIGHT, {"JJ", "JJS", "RB", "QP"}),
)

# Words that begin a postmodifier of a noun phrase.
_BEHIND_HEADS = word_set("""
    of in on at by for with from to about as into over under after before between through during without within
    who whom which that where when whose , ; : -- – — ( -LRB- -LSB- .
""")
_JOINING = frozenset(["and", "or", "&"])
_POSSESSIVE = frozenset(["'s", "’s", "'", "’"])


def head_word(tree: Tree) -> Tree:
    """Returns the word that heads a phrase; a word heads itself.

    Example:
        head_word(tree_of_the_dog_of_the_neighbours).word      # "dog"
    """
    while not tree.is_leaf:
        tree = head_child(tree.label, tree.children)
    return tree


def head_child(label: str, children: Sequence[Tree]) -> Tree:
    """Returns the child that contains the head of a phrase of that category."""
    children = [child for child in children if child.label not in PUNCTUATION] or list(children)
    place = _noun_phrase_place(children) if label in NOUN_PHRASES else _listed_place(label, children)
    # In a coordinated phrase, the first of the two conjuncts is the head.
    if place >= 2 and children[place - 1].label in CONJUNCTIONS:
        place -= 2
    return children[place]


def is_coordinated(tree: Tree) -> bool:
    """Returns whether a phrase is coordinated by a conjunction."""
    labels = [child.label in CONJUNCTIONS for child in tree.children]
    return any(labels[1:])


def _listed_place(label: str, children: Sequence[Tree]) -> int:
    side, priorities = HEAD_RULES.get(label, (LEFT, ""))
    places = _from(side, children)
    for wanted in priorities.split():
        for place in places:
            if children[place].label == wanted:
                return place
    return places[0]


def _noun_phrase_place(children: Sequence[Tree]) -> int:
    last = len(children) - 1
    if children[last].label == "POS":
        return last
    for side, wanted in NOUN_PHRASE_RULES:
        for place in _from(side, children):
            if children[place].label in wanted:
                return place
    return last


def _from(side: str, children: Sequence[Tree]) -> range:
    count = len(children)
    return range(count) if side == LEFT else range(count - 1, -1, -1)


def phrase_head(words: Sequence[str], start: int, end: int) -> int:
    """Returns the index of the word that heads words[start] to words[end], inclusive.

    It is the last word before any postmodifier; the head of a coordination is its conjunction.

    Example:
        phrase_head("the mother of Ana".split(), 0, 3)      # 1
        phrase_head("Ana and Ben".split(), 0, 2)            # 1
        phrase_head("Min - jun 's boss".split(), 0, 4)      # 4
    """
    while end > start and words[end].lower() in _POSSESSIVE:
        end -= 1
    for place in range(start + 1, end + 1):
        word = words[place].lower()
        if word in _JOINING:
            return place
        if word in _BEHIND_HEADS:
            return place - 1
    return end
