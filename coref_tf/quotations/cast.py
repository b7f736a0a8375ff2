"""Potential speakers: mentions outside and inside quotations, and their entities."""

import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.phrases import is_capitalised, phrase_at, phrase_before
from coref_tf.quotations.splitting import ClusterSplitter
from coref_tf.quotations.surface import Person, find_people

Clusters = Iterable[Iterable[Sequence[int]]]


class Mention(NamedTuple):
    """Words `start` to `end`, inclusive, and the number of the entity that they refer to."""

    start: int
    end: int
    entity: int


class Entity(NamedTuple):
    """A person or thing: its cluster, its mentions, and what they reveal about it."""

    cluster: int | None  # None for words next to a verb of speech that are in no cluster
    spans: list[tuple[int, int]]
    is_person: bool


class Cast:
    """The entities of a document, with their mentions. Clusters with several people are split.

    Args:
        layout: the words.
        clusters: inclusive spans of words, each with the number of its cluster, or None if it has none.
        people: the people who are named in the text.
    """

    def __init__(
        self,
        layout: Layout,
        clusters: Iterable[tuple[int | None, Iterable[Sequence[int]]]],
        people: Sequence[Person],
    ):
        self._layout = layout
        self.entities: list[Entity] = []
        self.mentions: list[Mention] = []
        self._by_phrase: dict[str, int] = {}
        self._person_of = {span: person for person in people for span in person.spans}
        splitter = ClusterSplitter(layout, people)
        for number, cluster in clusters:
            for spans in splitter.split((int(start), int(end)) for start, end in cluster):
                self.mentions += [Mention(start, end, len(self.entities)) for start, end in spans]
                self.entities.append(Entity(number, spans, self._is_person(spans)))
        self.mentions.sort(key=lambda mention: (mention.start, -mention.end))
        self._starts = [mention.start for mention in self.mentions]
        self._by_start: dict[int, Mention] = {}
        self._by_end: dict[int, Mention] = {}
        for mention in self.mentions:  # the longest one that starts or ends there
            self._by_start.setdefault(mention.start, mention)
            self._by_end.setdefault(mention.end, mention)

    @classmethod
    def from_clusters(cls, layout: Layout, clusters: Clusters, quoted: Sequence[bool]) -> "Cast":
        """Returns the entities of coreference clusters, and the people without any mention in a cluster.

        Args:
            layout: the words.
            clusters: inclusive spans of words.
            quoted: whether each word is part of a quotation.
        """
        people = find_people(layout, quoted)
        numbered = [
            (number, [(int(s), int(e)) for s, e in cluster]) for number, cluster in enumerate(clusters)
        ]
        ends = {place for _, cluster in numbered for span in cluster for place in span}
        alone = [p.spans for p in people if not any(place in ends for span in p.spans for place in span)]
        return cls(layout, [*numbered, *((None, spans) for spans in alone)], people)

    @classmethod
    def from_words(cls, layout: Layout, quoted: Sequence[bool]) -> "Cast":
        """Returns the entities that names and pronouns alone indicate, before coreference is known."""
        people = find_people(layout, quoted)
        return cls(layout, ((None, person.spans) for person in people), people)

    def named_person(self, entity: int) -> Person | None:
        """Returns the person that most pronouns of an entity refer to according to the words alone, or None."""
        votes: dict[int, list[Person]] = {}
        for span in self.entities[entity].spans:
            if span in self._person_of:
                person = self._person_of[span]
                votes.setdefault(id(person), []).append(person)
        return max(votes.values(), key=len)[0] if votes else None

    def between(self, first: int, last: int) -> list[Mention]:
        """Returns the mentions that start and end between words `first` and `last`, inclusive."""
        begin = bisect.bisect_left(self._starts, first)
        end = bisect.bisect_right(self._starts, last)
        return [mention for mention in self.mentions[begin:end] if mention.end <= last]

    def at(self, place: int, last: int) -> Mention | None:
        """Returns the mention or phrase that starts at a word, or None if there is none."""
        mention = self._by_start.get(place)
        if mention is not None and mention.end <= last:
            return mention
        end = phrase_at(self._layout, place, last)
        return None if end is None else self._of_phrase(place, end)

    def before(self, place: int, first: int) -> Mention | None:
        """Returns the mention or phrase that ends before a word, or None if there is none."""
        mention = self._by_end.get(place - 1)
        if mention is not None and mention.start >= first:
            return mention
        start = phrase_before(self._layout, place, first)
        return None if start is None else self._of_phrase(start, place - 1)

    def _of_phrase(self, start: int, end: int) -> Mention:
        """Returns a phrase as a mention of the cluster that has its last word in a mention, or of a new entity."""
        for mention in self.between(start, end):
            if mention.end == end or mention.start == start:
                return Mention(start, end, mention.entity)
        words = " ".join(self._layout.lower[start : end + 1])
        if words not in self._by_phrase:
            self._by_phrase[words] = len(self.entities)
            self.entities.append(Entity(None, [(start, end)], True))
        return Mention(start, end, self._by_phrase[words])

    def _is_person(self, spans: Sequence[tuple[int, int]]) -> bool:
        words, lower = self._layout.words, self._layout.lower
        pronouns = {lower[start] for start, end in spans if start == end}
        heads = {lower[end] for _, end in spans}
        if any(lower[start] in lists.TITLES and is_capitalised(words[start]) for start, _ in spans):
            return True
        person = bool(pronouns & lists.PERSONAL_PRONOUNS) or bool(heads & lists.PERSON_NOUNS)
        return person and not pronouns & {"it", "its", "itself"}
