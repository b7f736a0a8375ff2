"""Splits clusters with several people, so that each of them can be the speaker of a quotation.

In a conversation, models often put the participants in one cluster, because "I" and "you" link one to the other. Names
that do not agree, and "he" together with "she", separate them.
"""

from collections.abc import Iterable, Sequence

from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised
from coref_tf.quotations.surface import Person, phrase_gender
from coref_tf.resolving.words import PRONOUNS

Span = tuple[int, int]


class _Part:
    """The mentions of one person in a cluster, with the person's name and gender, if known."""

    def __init__(self, person: int | None, gender: str):
        self.person, self.gender = person, gender
        self.spans: list[Span] = []

    def agrees(self, gender: str) -> bool:
        """Returns whether a phrase of this gender may refer to the same person."""
        return not gender or not self.gender or self.gender == gender


class ClusterSplitter:
    """Splits clusters by the people that names and pronouns indicate.

    Args:
        layout: the words.
        people: those who are named in the text, from `find_people`.
    """

    def __init__(self, layout: Layout, people: Sequence[Person]):
        self._layout = layout
        self._by_span: dict[Span, int] = {}
        self._by_start: dict[int, int] = {}
        for number, person in enumerate(people):
            for span in person.spans:
                self._by_span[span] = number
                self._by_start.setdefault(span[0], number)

    def split(self, cluster: Iterable[Span]) -> list[list[Span]]:
        """Returns the mentions of each person in a cluster; most clusters are not split."""
        parts: list[_Part] = []  # most recently mentioned first
        for span in sorted(cluster):
            gender = phrase_gender(self._layout.lower[span[0] : span[1] + 1])
            part = self._find(parts, span, gender)
            part.gender = part.gender or gender
            part.spans.append(span)
            if part in parts:
                parts.remove(part)
            parts.insert(0, part)
        return [part.spans for part in sorted(parts, key=lambda part: part.spans[0])]

    def _find(self, parts: list[_Part], span: Span, gender: str) -> _Part:
        """Returns the part that a mention belongs to, or a new one if it fits none."""
        first = self._layout.lower[span[0]]
        person = self._by_span.get(span)
        if first not in PRONOUNS and is_capitalised(self._layout.words[span[0]]):
            person = self._by_start.get(span[0]) if person is None else person
            if person is not None:
                return self._named(parts, person, gender)
        fitting = [part for part in parts if part.agrees(gender)]
        same = [part for part in fitting if person is not None and part.person == person]
        known = [part for part in fitting if gender and part.gender == gender]
        return next(iter(same + known + fitting), None) or _Part(None, gender)

    def _named(self, parts: list[_Part], person: int, gender: str) -> _Part:
        same = [part for part in parts if part.person == person]
        unnamed = [part for part in parts if part.person is None and part.agrees(gender)]
        part = next(iter(same + unnamed), None) or _Part(person, gender)
        part.person = person
        return part
