"""The head word of a noun phrase, told by its words alone, where there is no parse tree."""

from collections.abc import Sequence

from coref_tf.syntax.word_lists import word_set

# What begins a part of a noun phrase behind its head.
_BEHIND_HEADS = word_set("""
    of in on at by for with from to about as into over under after before between through during without within
    who whom which that where when whose , ; : -- – — ( -LRB- -LSB- .
""")
_JOINING = frozenset(["and", "or", "&"])
_POSSESSIVE = frozenset(["'s", "’s", "'", "’"])


def phrase_head(words: Sequence[str], start: int, end: int) -> int:
    """The index of the word that heads words[start] to words[end], the last one included.

    It is the last word before anything that modifies the noun from behind; the head of a coordination is the word that
    joins it.

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
