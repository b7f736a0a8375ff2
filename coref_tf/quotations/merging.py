"""Groups mentions of several clusters by name, because models often find the same person twice."""

from collections.abc import Sequence

from coref_tf.quotations.layout import Layout
from coref_tf.quotations.names import best_name, forms
from coref_tf.quotations.speech_words import TITLES
from coref_tf.quotations.surface import majority_gender

Span = tuple[int, int]
_MOST_WORDS = 3  # of a name that contains another one
_OF_A_WIFE = frozenset(["mrs", "mrs.", "madame", "mme."])


class _Named:
    """The name of a group of mentions in lower case, its title, its words without the title, and the gender."""

    def __init__(self, layout: Layout, spans: Sequence[Span]):
        names, _, _ = forms(layout, spans)
        self.name = best_name(layout, spans).lower() if names else ""
        words = self.name.split()
        self.title = words[0].rstrip(".") if words and words[0] in TITLES else ""
        self.words = frozenset(word for word in words if word not in TITLES)
        self.gender = majority_gender(layout, spans)

    def is_short_for(self, other: "_Named") -> bool:
        """Returns whether this is a part of another person's name, and neither title nor gender tells them apart."""
        if not self.words < other.words or len(other.words) > _MOST_WORDS or self.title in _OF_A_WIFE:
            return False
        titles = not self.title or not other.title or self.title == other.title
        genders = not self.gender or not other.gender or self.gender == other.gender
        return titles and genders and all(word.isalpha() and word != "and" for word in other.words)


def groups_by_name(layout: Layout, parts: Sequence[Sequence[Span]]) -> list[int]:
    """Returns the group of each list of mentions: the index of a list that has the same name.

    Names are the same if they are equal, or if one is part of the other, and of no third name: "Cal" and "Cal Emmett".

    Example:
        groups_by_name(layout, [[(0, 1)], [(5, 5)], [(9, 9)]])      # [0, 0, 2] for "Cal Emmett", "Cal" and "Ivo"
    """
    people = [_Named(layout, spans) for spans in parts]
    first: dict[str, int] = {}
    groups = [first.setdefault(one.name, number) if one.name else number for number, one in enumerate(people)]
    by_word: dict[str, list[int]] = {}
    for number in first.values():
        for word in people[number].words:
            by_word.setdefault(word, []).append(number)
    longer: dict[int, int] = {}
    for number in first.values():
        near = by_word.get(min(people[number].words, default=""), [])
        containing = [other for other in near if people[number].is_short_for(people[other])]
        if len(containing) == 1:
            longer[number] = containing[0]
    return [_longest(longer, group) for group in groups]


def _longest(longer: dict[int, int], number: int) -> int:
    while number in longer:
        number = longer[number]
    return number
