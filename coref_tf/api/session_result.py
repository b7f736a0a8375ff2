"""The result of a session: entities in the latest messages of a growing text."""

import dataclasses
from typing import Any, NamedTuple

from coref_tf.api.result import Cluster, Mention, Result
from coref_tf.documents.running_text import mark_mentions


class Message(NamedTuple):
    """A message of a session.

    Args:
        number: the number of the message in the session, from 0.
        speaker: who wrote or said it; "-" means nobody.
        text: the text; None if the input was words.
        start: the index of its first word in the document of the result.
        begin_char: the offset of its first character in the text of that document; None if the input was words.
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
        number: the number of the entity in the session, from 1; it does not change.
        label: the text of its first mention that is not a pronoun, or else of its first mention.
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
        start: the index of its first word in the message.
        end: the index of its last word, inclusive.
        text: the text of the mention.
        entity: the number of its entity; None if it has none.
        before: the number of its entity in the previous result; None if it had none.
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
        started: the numbers of the new entities.
        merged: maps each number that is no longer used to the older number of the same entity.
        ended: the numbers of entities that no longer have any linked mentions.
        moved: the mentions in earlier messages whose entity changed, including from or to none.
        settled: the mentions in messages that left the window. They are final, except that their entity may be merged.
    """

    started: tuple[int, ...]
    merged: dict[int, int]
    ended: tuple[int, ...]
    moved: tuple[PlacedMention, ...]
    settled: tuple[PlacedMention, ...]


@dataclasses.dataclass(frozen=True, repr=False, kw_only=True)
class SessionResult(Result):
    """The entities that a model found in the latest messages, in the order of their first mentions.

    Args:
        document: the messages in the window; its text has one message per line.
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
        """Returns the message that contains a mention; `start` and `begin_char` of the message are its offsets."""
        return max(
            (message for message in self.messages if message.start <= mention.start),
            key=lambda message: (message.start, message.number),
        )

    def annotated(self) -> str:
        """Returns the text with mentions in brackets, numbered by entity: "[1 Ana] said ..."."""
        numbers = [entity.number for entity in self.clusters]
        return mark_mentions(self.document, self.spans, lambda place: f"[{numbers[place - 1]} ", "]")

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON value: that of `Result`, with the entity numbers, messages and changes."""
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
