"""What a session found in the latest messages of a text that grows."""

import dataclasses
from typing import Any, NamedTuple

from coref_tf.api.result import Cluster, Mention, Result
from coref_tf.documents.running_text import mark_mentions


class Message(NamedTuple):
    """A message of a session.

    Args:
        number: counted from 0 over the session.
        speaker: who wrote or said it; "-" is nobody.
        text: the text; None where words were given.
        start: its first word in the document of the result.
        begin_char: where it begins in the text of that document; None where words were given.
    """

    number: int
    speaker: str
    text: str | None
    start: int
    begin_char: int | None


@dataclasses.dataclass(frozen=True)
class Entity(Cluster):
    """The mentions of one person or thing in the latest messages.

    Args:
        number: of the entity, counted from 1 over the session; it doesn't change.
        label: how its first mention reads, or the first that is more than a pronoun.
        forgotten: how many of its mentions are in messages that have left the window.
    """

    number: int
    label: str
    forgotten: int = 0

    def __str__(self) -> str:
        mentions = super().__str__()
        return f"({self.label}, {self.forgotten:,} before) {mentions}" if self.forgotten else mentions


class PlacedMention(NamedTuple):
    """A mention in a message.

    Args:
        message: the number of the message.
        start: its first word, counted from 0 over the message.
        end: its last word, inclusive.
        text: how it reads.
        entity: the number of its entity; None is no entity.
        before: the number that the result before had; None is no entity.
    """

    message: int
    start: int
    end: int
    text: str
    entity: int | None
    before: int | None = None


class Changes(NamedTuple):
    """What the last message changed.

    Args:
        started: the numbers of the entities that are new.
        merged: for each number that is no longer used, the older number of the same entity.
        ended: the numbers of entities of which no mention is linked any more.
        moved: the mentions of earlier messages that have another entity than before, one for the first time, or none.
        settled: the mentions of messages that left the window. They don't change any more, except that their entity
            may be merged.
    """

    started: tuple[int, ...]
    merged: dict[int, int]
    ended: tuple[int, ...]
    moved: tuple[PlacedMention, ...]
    settled: tuple[PlacedMention, ...]


@dataclasses.dataclass(frozen=True, repr=False, kw_only=True)
class SessionResult(Result):
    """What a model found in the latest messages. Its clusters are entities, in the order of their first mentions.

    Args:
        document: the messages in the window; its text has one message a line.
        clusters: the entities with a mention in the window.
        messages: the messages in the window.
        changes: what the last message changed.

    Example:
        result = session.add("I'm late.", speaker="Ana")
        for entity in result:
            print(entity.number, [mention.text for mention in entity])
        result.message_of(result[0][0]).speaker
    """

    clusters: tuple[Entity, ...]
    messages: tuple[Message, ...]
    changes: Changes

    def __str__(self) -> str:
        last = self.messages[-1].number + 1 if self.messages else 0
        lines = [f"{self.document.key}: message {last:,}, {self.document.num_words:,} words in the window"]
        width = max((len(str(entity.number)) for entity in self.clusters), default=1)
        return "\n".join([*lines, *(f"  {entity.number:{width}}  {entity}" for entity in self.clusters)])

    __repr__ = __str__

    def message_of(self, mention: Mention) -> Message:
        """Returns the message of a mention, whose `start` and `begin_char` are where the message begins."""
        return max(
            (message for message in self.messages if message.start <= mention.start),
            key=lambda message: (message.start, message.number),
        )

    def annotated(self) -> str:
        """The text with its mentions in brackets, with the numbers of their entities: "[1 Ana] said ..."."""
        numbers = [entity.number for entity in self.clusters]
        return mark_mentions(self.document, self.spans, lambda place: f"[{numbers[place - 1]} ", "]")

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON's terms: besides that of any result the numbers of the clusters, messages and changes."""
        changes = self.changes._asdict()
        changes |= {name: [mention._asdict() for mention in changes[name]] for name in ("moved", "settled")}
        return {
            **super().to_dict(),
            "entities": [
                {"number": entity.number, "label": entity.label, "forgotten": entity.forgotten}
                for entity in self.clusters
            ],
            "messages": [message._asdict() for message in self.messages],
            "changes": changes,
        }
