"""Splits clusters with several people, so that each of them can be the speaker of a quotation.

In a conversation, models often put the participants in one cluster, because "I" and "you" link one to the other. Names
that do not agree, "he" together with "she" or with the "I" of a narrator, and "my brother" together with "my" separate
them.
"""

from collections.abc import Iterable, Sequence

from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised, phrase_head
from coref_tf.quotations.speech_words import BEFORE_NAMES, NARRATOR_PRONOUNS
from coref_tf.quotations.surface import Person, phrase_gender
from coref_tf.resolving.words import POSSESSIVE, PRONOUNS

Span = tuple[int, int]
_NARRATOR = "narrator"
_OWNS = frozenset(["'s", "’s"])


class _Part:
    """The mentions of one person in a cluster, with the person's name and gender, if known."""

    def __init__(self, person: int | str | None, gender: str):
        self.person, self.gender = person, gender
        self.spans: list[Span] = []

    def agrees(self, gender: str, quoted: bool) -> bool:
        """Returns whether a phrase of this gender may refer to this person; a narrator is "he" only in quotations."""
        if isinstance(self.person, str):
            return quoted and self.person == _NARRATOR
        return not gender or not self.gender or self.gender == gender


class ClusterSplitter:
    """Splits clusters by the people that names and pronouns indicate.

    Args:
        layout: the words.
        people: those who are named in the text, from `find_people`.
        quoted: whether each word is part of a quotation.
    """

    def __init__(self, layout: Layout, people: Sequence[Person], quoted: Sequence[bool]):
        self._layout = layout
        self._quoted = quoted
        self._by_span: dict[Span, int] = {}
        self._by_start: dict[int, int] = {}
        for number, person in enumerate(people):
            for span in person.spans:
                self._by_span[span] = number
                self._by_start.setdefault(span[0], number)

    def split(self, cluster: Iterable[Span], heads: frozenset[str] = frozenset()) -> list[list[Span]]:
        """Returns the mentions of each person in a cluster; most clusters are not split.

        Args:
            cluster: the mentions.
            heads: nouns such as "child" that refer to somebody other than the other mentions do.
        """
        parts: list[_Part] = []  # most recently mentioned first
        spans = sorted(cluster)
        together = frozenset(spans)
        for span in spans:
            gender = phrase_gender(self._layout.lower[span[0] : span[1] + 1])
            part = self._find(parts, span, gender, self._apart(span, together, heads))
            part.gender = part.gender or gender
            part.spans.append(span)
            if part in parts:
                parts.remove(part)
            parts.insert(0, part)
        return [part.spans for part in sorted(parts, key=lambda part: part.spans[0])]

    def _apart(self, span: Span, together: frozenset[Span], heads: frozenset[str]) -> str | None:
        """Returns what keeps a mention apart from all others: it is the narrator, "his son" beside "his", or a noun."""
        start, end = span
        lower = self._layout.lower
        if start == end:
            return _NARRATOR if lower[start] in NARRATOR_PRONOUNS and not self._quoted[start] else None
        if (start, start) in together and (lower[start] in POSSESSIVE or lower[start] == "her"):
            return lower[end]
        owners = (place for place in range(start + 1, end) if lower[place] in _OWNS)
        owner = next(owners, None)
        if owner is not None and ((start, owner) in together or (start, owner - 1) in together):
            return lower[end]
        head = phrase_head(self._layout, start, end)
        return f"the {head}" if head in heads else None

    def _find(self, parts: list[_Part], span: Span, gender: str, apart: str | None) -> _Part:
        """Returns the part that a mention belongs to, or a new one if it fits none."""
        if apart is not None:
            return next((part for part in parts if part.person == apart), None) or _Part(apart, "")
        quoted = self._quoted[span[0]]
        first = self._layout.lower[span[0]]
        person = self._by_span.get(span)
        start = next(place for place in range(span[0], span[1] + 1) if self._may_begin_name(place, span[1]))
        if first not in PRONOUNS and is_capitalised(self._layout.words[start]):
            person = self._by_start.get(start) if person is None else person
            if person is not None:
                return self._named(parts, person, gender, quoted)
        fitting = [part for part in parts if part.agrees(gender, quoted)]
        same = [part for part in fitting if person is not None and part.person == person]
        known = [part for part in fitting if gender and part.gender == gender]
        return next(iter(same + known + fitting), None) or _Part(None, gender)

    def _may_begin_name(self, place: int, end: int) -> bool:
        """Returns whether a name may begin at a word: not at "little" in "little Amy"."""
        return place == end or self._layout.lower[place] not in BEFORE_NAMES

    def _named(self, parts: list[_Part], person: int, gender: str, quoted: bool) -> _Part:
        same = [part for part in parts if part.person == person]
        unnamed = [part for part in parts if part.person is None and part.agrees(gender, quoted)]
        part = next(iter(same + unnamed), None) or _Part(person, gender)
        part.person = person
        return part
