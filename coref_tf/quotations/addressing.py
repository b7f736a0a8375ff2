"""Forms of address in quotations, such as "sir", "papa" and "my dear", which tell who is spoken to."""

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.cast import Cast, Mention
from coref_tf.quotations.finding import QuotedSpan
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import PUNCTUATION, is_mark
from coref_tf.resolving.words import word_set

_WINDOW = 180  # words of a quotation in which somebody may be addressed
_BEFORE = word_set("dear my o oh old young good yes no but and well")
_ARTICLES = word_set("the a an")
_WORDS = word_set("""
    sir papa father dad daddy pa pop uncle grandfather lad boy son brother monsieur master madam ma'am miss mamma mama
    mother ma mum mummy aunt auntie grandmother girl daughter sister madame lady doctor captain
""")
# The nouns by which the narration calls those who are addressed by these words.
_NOUNS = {
    **dict.fromkeys(
        ["papa", "father", "dad", "daddy", "pa", "pop"], word_set("father papa stepfather step-father")
    ),
    **dict.fromkeys(["mamma", "mama", "mother", "ma", "mum", "mummy"], word_set("mother mamma stepmother")),
    **dict.fromkeys(["aunt", "auntie"], word_set("aunt")),
    **dict.fromkeys(["boy", "lad"], word_set("boy lad youth")),
    **{word: word_set(word) for word in ("uncle", "grandfather", "grandmother", "doctor", "captain")},
}


def forms_of_address(layout: Layout, span: QuotedSpan) -> frozenset[str]:
    """Returns the words without a name that address somebody in a quotation.

    Example:
        forms_of_address(layout, span)      # {"sir"} for '"Yes, sir," said Ana.'
    """
    found = set()
    for place in range(span.start + 1, min(span.end, span.start + _WINDOW)):
        word = layout.lower[place]
        if word in _WORDS:
            before, after = layout.lower[place - 1], layout.words[place + 1]
            opens = before in PUNCTUATION or before in _BEFORE or is_mark(layout.words[place - 1])
            if opens and (after in PUNCTUATION or is_mark(after)):
                found.add(word)
    return frozenset(found)


def is_called(layout: Layout, cast: Cast, entity: int, words: frozenset[str]) -> bool:
    """Returns whether the narration calls an entity by a noun that fits these words: "her father" for "papa"."""
    nouns = frozenset(noun for word in words for noun in _NOUNS.get(word, ()))
    return bool(nouns) and any(layout.lower[end] in nouns for _, end in cast.entities[entity].spans)


def addressed(layout: Layout, cast: Cast, span: QuotedSpan) -> list[tuple[Mention, bool]]:
    """Returns the mentions in a quotation, and whether each of them addresses somebody."""
    mentions = cast.between(span.start + 1, min(span.end, span.start + _WINDOW))
    return [(mention, _is_vocative(layout, mention, span)) for mention in mentions]


def _is_vocative(layout: Layout, mention: Mention, span: QuotedSpan) -> bool:
    """Returns whether punctuation sets off a name or noun on both sides, as when somebody is addressed."""
    first = layout.lower[mention.start]
    if first in lists.PERSONAL_PRONOUNS or first in _ARTICLES:
        return False
    if mention.start == mention.end and first in lists.EXCLAMATIONS:
        return False
    before, after = layout.words[mention.start - 1], layout.words[min(mention.end + 1, len(layout) - 1)]
    opens = (
        mention.start - 1 == span.start
        or before in PUNCTUATION
        or before.lower() in ("dear", "my", "o", "oh")
    )
    return opens and (after in PUNCTUATION or mention.end + 1 == span.end)
