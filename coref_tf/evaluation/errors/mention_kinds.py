"""Determines the kind and head word of a mention, from its words and, if there are any, part-of-speech tags."""

from collections.abc import Iterable

from coref_tf.documents.document import Document
from coref_tf.syntax.heads import phrase_head
from coref_tf.syntax.word_lists import PARTS, QUANTIFIERS, word_set

PRONOUN, NAME, NOMINAL = KINDS = ("pronoun", "name", "nominal")
PRONOUNS = word_set("""
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves themself 'em 's one oneself
    this that these those who whom whose which here there
""")
Span = tuple[int, int]


class MentionKinds:
    """The kinds and heads of the mentions of a document.

    Example:
        kinds = MentionKinds(Document("a", [["The", "mother", "of", "Ana", "met", "her"]]))
        kinds.kind((0, 3)), kinds.kind((5, 5)), kinds.head((0, 3))      # "nominal", "pronoun", 1
    """

    def __init__(self, document: Document):
        self._words = document.words
        self._lower = [word.lower() for word in document.words]
        self._tags = [tag for row in document.pos or () for tag in row]
        self._never_names = set(document.words) | PARTS | QUANTIFIERS

    def kind(self, span: Span) -> str:
        """Returns the kind of a mention."""
        start, end = span
        if all(word in PRONOUNS for word in self._lower[start : end + 1]) or self._is(
            start, end, "each other"
        ):
            return PRONOUN
        return NAME if self._is_name(self.head(span)) else NOMINAL

    def most_telling_kind(self, spans: Iterable[Span]) -> str:
        """Returns the most informative kind: a name if there is one, else a nominal, else a pronoun."""
        found = {self.kind(span) for span in spans}
        return next(kind for kind in (NAME, NOMINAL, PRONOUN) if kind in found)

    def head(self, span: Span) -> int:
        """Returns the head word: the last word before any postmodifier or, in a coordination, the conjunction."""
        return phrase_head(self._words, *span)

    def _is_name(self, place: int) -> bool:
        tag = self._tags[place] if self._tags else ""
        if tag[:1].isalpha():
            return tag.startswith("NNP")
        # A capital at the start of a sentence means little: a word that also occurs in lower case is not a name.
        small = self._lower[place]
        return self._words[place][:1].isupper() and small not in self._never_names

    def _is(self, start: int, end: int, words: str) -> bool:
        return self._lower[start : end + 1] == words.split()
