"""Potential speakers: mentions outside and inside quotations, and their entities."""

import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from coref_tf.quotations import speech_words as lists
from coref_tf.quotations.layout import Layout
from coref_tf.quotations.marks import PUNCTUATION, is_mark
from coref_tf.quotations.merging import groups_by_name
from coref_tf.quotations.phrases import is_capitalised, phrase_at, phrase_before
from coref_tf.quotations.splitting import ClusterSplitter
from coref_tf.quotations.surface import Person, find_people, majority_gender

Clusters = Iterable[Iterable[Sequence[int]]]


class Mention(NamedTuple):
    """Words `start` to `end`, inclusive, and the number of the entity that they refer to."""

    start: int
    end: int
    entity: int


class Entity(NamedTuple):
    """A person or thing: its clusters, its mentions, and what they reveal about it."""

    clusters: tuple[int, ...]  # the one with most mentions first; none for words that are in no cluster
    spans: list[tuple[int, int]]
    is_person: bool
    is_narrator: bool = False  # "I" outside quotations
    is_group: bool = False  # mostly "they" and "we"
    gender: str = ""  # "m", "f", or "" if unknown

    @property
    def cluster(self) -> int | None:
        """The cluster with most mentions, or None if there is none."""
        return self.clusters[0] if self.clusters else None


class _Part(NamedTuple):
    """Mentions of one person in a cluster, and the "I" and "you" in quotations that belong to the person."""

    number: int | None
    spans: list[tuple[int, int]]
    speech: list[tuple[int, int]]


class Cast:
    """The entities of a document, with their mentions.

    A cluster with several people is split, and clusters with the same name are one entity. "I" and "you" in quotations
    are no mentions here, because clusters often confuse the participants of a conversation: they are only evidence for
    who speaks (`speech_pronouns`) until the speakers are known (`add_first_person`).

    Args:
        layout: the words.
        clusters: inclusive spans of words, each with the number of its cluster, or None if it has none.
        people: the people who are named in the text.
        quoted: whether each word is part of a quotation.
        heads: for each cluster, the nouns that refer to somebody other than its other mentions do.
    """

    def __init__(
        self,
        layout: Layout,
        clusters: Iterable[tuple[int | None, Iterable[Sequence[int]]]],
        people: Sequence[Person],
        quoted: Sequence[bool],
        heads: Mapping[int, frozenset[str]] | None = None,
    ):
        self._layout = layout
        self._quoted = quoted
        self._heads = heads or {}
        self.entities: list[Entity] = []
        self.mentions: list[Mention] = []
        self._by_phrase: dict[str, int] = {}
        self._person_of = {span: person for person in people for span in person.spans}
        parts: list[_Part] = []
        splitter = ClusterSplitter(layout, people, quoted)
        for number, cluster in clusters:
            parts += self._parts(splitter, number, [(int(start), int(end)) for start, end in cluster])
        speech = self._add_entities(parts)
        self._speech_pronouns = {mention.start: mention for mention in speech}
        self._index_mentions()

    def _index_mentions(self) -> None:
        self.mentions.sort(key=lambda mention: (mention.start, -mention.end))
        self._starts = [mention.start for mention in self.mentions]
        self._by_span = {(mention.start, mention.end): mention for mention in self.mentions}
        self._by_start: dict[int, Mention] = {}
        self._by_end: dict[int, Mention] = {}
        for mention in self.mentions:  # the longest one that starts or ends there
            self._by_start.setdefault(mention.start, mention)
            self._by_end.setdefault(mention.end, mention)

    def _parts(
        self, splitter: ClusterSplitter, number: int | None, spans: list[tuple[int, int]]
    ) -> list[_Part]:
        """Splits a cluster into people; "I" and "you" in quotations belong to one of them only if there is just one."""
        speech = [span for span in spans if self._is_speech_pronoun(span) or self._is_vocative(span)]
        loose = set(speech)
        others = [span for span in spans if span not in loose]
        if not others:
            return [_Part(number, speech, [])]
        parts = splitter.split(
            others, frozenset() if number is None else self._heads.get(number, frozenset())
        )
        return [_Part(number, part, speech if len(parts) == 1 else []) for part in parts]

    def _add_entities(self, parts: Sequence[_Part]) -> list[Mention]:
        """Adds an entity for each name, and for each part without one; returns "I" and "you" in quotations."""
        groups: dict[int, list[_Part]] = {}
        for part, group in zip(
            parts, groups_by_name(self._layout, [part.spans for part in parts]), strict=True
        ):
            groups.setdefault(group, []).append(part)
        speech = []
        for same in groups.values():
            entity = len(self.entities)
            spans = sorted({span for part in same for span in part.spans})
            said = sorted({span for part in same for span in part.speech})
            by_size = sorted(same, key=lambda part: -len(part.spans))
            numbers = tuple(dict.fromkeys(part.number for part in by_size if part.number is not None))
            self.entities.append(self._entity(numbers, spans, spans + said))
            vocatives = [span for span in said if self._is_vocative(span)]
            self.mentions += [Mention(start, end, entity) for start, end in spans + vocatives]
            speech += [
                Mention(start, end, entity) for start, end in said if not self._is_vocative((start, end))
            ]
        return speech

    def _is_speech_pronoun(self, span: tuple[int, int]) -> bool:
        """Returns whether a mention is "I" or "you" in a quotation."""
        start, end = span
        pronouns = lists.NARRATOR_PRONOUNS | lists.LISTENER_PRONOUNS
        return start == end and self._quoted[start] and self._layout.lower[start] in pronouns

    def _is_vocative(self, span: tuple[int, int]) -> bool:
        """Returns whether a mention in a quotation addresses somebody without a name: "my dear", "sir"."""
        start, end = span
        words, lower = self._layout.words, self._layout.lower
        if not self._quoted[start] or not start or end + 1 >= len(words):
            return False
        if start == end and lower[start] in lists.PERSONAL_PRONOUNS:
            return False
        if is_capitalised(words[start]) and lower[end] not in lists.TITLES and lower[start] != "my":
            return False
        before, after = words[start - 1], words[end + 1]
        return (before in PUNCTUATION or is_mark(before)) and (after in PUNCTUATION or is_mark(after))

    def _entity(
        self, clusters: tuple[int, ...], spans: list[tuple[int, int]], known: Sequence[tuple[int, int]]
    ) -> Entity:
        """Returns an entity; `known` are all mentions that show what it is."""
        lower = self._layout.lower
        pronouns = [lower[start] for start, end in spans if start == end]
        narrator = any(
            start == end and lower[start] in lists.NARRATOR_PRONOUNS and not self._quoted[start]
            for start, end in spans
        )
        group = 2 * sum(word in lists.GROUP_PRONOUNS for word in pronouns) > len(spans)
        return Entity(
            clusters, spans, self._is_person(known), narrator, group, majority_gender(self._layout, spans)
        )

    @classmethod
    def from_clusters(
        cls,
        layout: Layout,
        clusters: Clusters,
        quoted: Sequence[bool],
        heads: Mapping[int, frozenset[str]] | None = None,
    ) -> "Cast":
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
        return cls(layout, [*numbered, *((None, spans) for spans in alone)], people, quoted, heads)

    @classmethod
    def from_words(cls, layout: Layout, quoted: Sequence[bool]) -> "Cast":
        """Returns the entities that names and pronouns alone indicate, before coreference is known."""
        people = find_people(layout, quoted)
        return cls(layout, ((None, person.spans) for person in people), people, quoted)

    def speech_pronouns(self, first: int, last: int) -> list[Mention]:
        """Returns each "I" and "you" between two words that clusters put together with an entity."""
        found = (self._speech_pronouns.get(place) for place in range(first, last + 1))
        return [mention for mention in found if mention is not None]

    def add_spans(self, entity: int, spans: Iterable[tuple[int, int]]) -> None:
        """Adds mentions to an entity."""
        old = self.entities[entity]
        self.entities[entity] = old._replace(spans=sorted({*old.spans, *spans}))

    def move(self, mention: Mention, entity: int) -> None:
        """Moves a mention to another entity."""
        span = mention.start, mention.end
        old = self.entities[mention.entity]
        if len(old.spans) > 1:
            self.entities[mention.entity] = old._replace(
                spans=[other for other in old.spans if other != span]
            )
        self.add_spans(entity, [span])

    def join(self, entity: int, other: int) -> None:
        """Makes the mentions of another entity mentions of this one."""
        one, two = self.entities[entity], self.entities[other]
        self.entities[entity] = one._replace(
            clusters=one.clusters + two.clusters, spans=sorted({*one.spans, *two.spans})
        )
        self.entities[other] = two._replace(clusters=(), is_person=False)
        self.mentions = [
            mention._replace(entity=entity) if mention.entity == other else mention
            for mention in self.mentions
        ]
        self._speech_pronouns = {
            place: mention._replace(entity=entity) if mention.entity == other else mention
            for place, mention in self._speech_pronouns.items()
        }
        self._index_mentions()

    def nearest(self, entity: int, place: int) -> Mention:
        """Returns the mention of an entity that begins nearest before a word, or else the first one."""
        spans = self.entities[entity].spans
        start, end = max((span for span in spans if span[0] <= place), default=min(spans))
        return Mention(start, end, entity)

    def named_person(self, entity: int) -> Person | None:
        """Returns the person that most pronouns of an entity refer to according to the words alone, or None."""
        votes: dict[int, list[Person]] = {}
        for span in self.entities[entity].spans:
            if span in self._person_of:
                person = self._person_of[span]
                votes.setdefault(id(person), []).append(person)
        return max(votes.values(), key=len)[0] if votes else None

    def nearest_agreeing(self, mention: Mention) -> Mention | None:
        """Returns a mention of the person to whom a pronoun refers according to the words alone, or None."""
        person = self._person_of.get((mention.start, mention.end))
        if person is None:
            return None
        before = [span for span in person.spans if span[0] < mention.start]
        known = (self._by_span.get(span) for span in reversed(before))
        return next((one for one in known if one is not None), None)

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
            self.entities.append(Entity((), [(start, end)], True))
        return Mention(start, end, self._by_phrase[words])

    def _is_person(self, spans: Sequence[tuple[int, int]]) -> bool:
        words, lower = self._layout.words, self._layout.lower
        pronouns = {lower[start] for start, end in spans if start == end}
        heads = {lower[end] for _, end in spans}
        if any(lower[start] in lists.TITLES and is_capitalised(words[start]) for start, _ in spans):
            return True
        person = bool(pronouns & lists.PERSONAL_PRONOUNS) or bool(heads & lists.PERSON_NOUNS)
        return person and not pronouns & {"it", "its", "itself"}
