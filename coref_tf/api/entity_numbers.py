"""Stable entity numbers for a growing text that is read window by window.

Each reading links the mentions of a window of messages. `EntityNumbers` remembers what earlier readings found: an
entity keeps its number as long as one of its mentions is in the window, and a mention stays with its entity when the
antecedent that it was linked to leaves the window.
"""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple


class MentionKey(NamedTuple):
    """A mention in a message, by its first and last word (inclusive), counted from 0 in each message."""

    message: int
    start: int
    end: int


class NumberChanges(NamedTuple):
    """What a reading changed.

    Args:
        started: the numbers of new entities.
        merged: maps each number that is no longer used to the older number of the same entity.
        ended: the numbers of entities that no longer have any linked mentions.
        moved: the old and new number of each mention in earlier messages whose entity changed; None means no entity.
    """

    started: tuple[int, ...]
    merged: dict[int, int]
    ended: tuple[int, ...]
    moved: dict[MentionKey, tuple[int | None, int | None]]


_Group = list[MentionKey]  # the mentions of an entity, in order


class EntityNumbers:
    """The entity numbers of the mentions in a window.

    Example:
        numbers = EntityNumbers()
        ana, she = MentionKey(0, 0, 0), MentionKey(1, 2, 2)
        numbers.update({ana: None, she: ana}, newest=1).started     # (1,)
        numbers.forget(message=0)                                   # {ana: 1}
        numbers.update({}, newest=2)
        numbers.numbers                                             # {she: 1}, although its antecedent is gone
    """

    def __init__(self) -> None:
        self.numbers: dict[MentionKey, int] = {}
        # The entities of mentions whose antecedents have left the window.
        self.anchors: dict[MentionKey, int] = {}
        self._antecedents: dict[MentionKey, MentionKey | None] = {}
        self._ended: dict[MentionKey, int] = {}  # the mentions of entities that have ended
        self._next = 1

    def forget(self, message: int) -> dict[MentionKey, int]:
        """Removes the oldest message from the window. Returns its mentions and their numbers, which are final."""
        left = {key: number for key, number in self.numbers.items() if key.message == message}
        for key, antecedent in self._antecedents.items():
            if antecedent in left and key not in left:
                self.anchors[key] = self.numbers[key]
        for table in (self.numbers, self.anchors, self._antecedents, self._ended):
            for key in [key for key in table if key.message == message]:
                del table[key]
        return left

    def update(self, antecedents: Mapping[MentionKey, MentionKey | None], newest: int) -> NumberChanges:
        """Updates the numbers with the links of a new reading of the window.

        Args:
            antecedents: the antecedent of each mention in a cluster; None for the first mention of a cluster.
            newest: the message that the previous reading did not contain.
        """
        before = self.numbers
        self._antecedents = {
            key: antecedent for key, antecedent in antecedents.items() if key not in self.anchors
        }
        groups = self._groups()
        owned = self._owned_numbers(groups)
        started: list[int] = []
        merged: dict[int, int] = {}
        self.numbers = {}
        for place, group in enumerate(groups):
            if not owned[place]:
                owned[place] = [self._next]
                started.append(self._next)
                self._next += 1
            number = min(owned[place])
            merged |= {other: number for other in owned[place] if other != number}
            self.numbers |= dict.fromkeys(group, number)
        self.numbers = dict(sorted(self.numbers.items()))
        self.anchors = {key: self.numbers[key] for key in self.anchors}
        ended = set(before.values()) - set(self.numbers.values()) - set(merged)
        self._ended |= {key: number for key, number in before.items() if number in ended}
        self._ended = {key: number for key, number in self._ended.items() if key not in self.numbers}
        moved = {
            key: (before.get(key), self.numbers.get(key))
            for key in sorted({*before, *self.numbers})
            if key.message < newest
            and merged.get(before.get(key, 0), before.get(key)) != self.numbers.get(key)
        }
        return NumberChanges(tuple(started), merged, tuple(sorted(ended)), moved)

    def _groups(self) -> list[_Group]:
        """Returns the mentions of each entity: mentions connected by links or by a common anchor."""
        groups: dict[MentionKey | int, _Group] = {}
        roots: dict[MentionKey, MentionKey | int] = {}
        for key in sorted({*self._antecedents, *self.anchors}):
            antecedent = self._antecedents.get(key)
            root = self.anchors[key] if key in self.anchors else roots[antecedent] if antecedent else key
            roots[key] = root
            groups.setdefault(root, []).append(key)
        return list(groups.values())

    def _owned_numbers(self, groups: list[_Group]) -> list[list[int]]:
        """Returns the numbers that each group owns. A number belongs to the group with most of its mentions.

        If the mentions of an entity have left the window, its number belongs to the group that continues them.
        """
        known = self._ended | self.numbers
        counts: dict[int, Counter[int]] = {}
        for place, group in enumerate(groups):
            for key in group:
                if number := known.get(key):
                    counts.setdefault(number, Counter())[place] += 1
        for place, group in enumerate(groups):
            for key in group:
                if key in self.anchors:
                    counts[self.anchors[key]] = Counter([place])
        owned: list[list[int]] = [[] for _ in groups]
        for number, places in counts.items():
            owned[max(places, key=lambda place: (places[place], -place))].append(number)
        return owned
