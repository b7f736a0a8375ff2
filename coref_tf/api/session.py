"""The Session, which `Resolver.session` returns: resolves a text that grows message by message, such as a chat."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from coref_tf.api.entity_numbers import EntityNumbers, MentionKey
from coref_tf.api.result import Mention, mention_of
from coref_tf.api.session_result import Changes, Entity, PlacedMention, SessionResult
from coref_tf.api.session_window import MentionLink, SessionMessage, SessionWindow
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.inference.prediction import Prediction
from coref_tf.models.dial import CAUTIOUS_PROBABILITY
from coref_tf.resolving.words import PRONOUNS
from coref_tf.support.errors import CorefError

MAX_WORDS = 1000  # the default size of the window


@dataclasses.dataclass
class _EntityRecord:
    """The record of an entity while one of its mentions is in the window."""

    label: str
    forgotten: int = 0


class Session:
    """Resolves messages one at a time, each together with the latest messages before it.

    The model reads a window of the latest messages. Its links are aligned with the entities found before, so that an
    entity keeps its number; see `EntityNumbers`. While all messages are in the window, the result equals that of the
    whole text. The time and memory per message depend on the window, not on the number of earlier messages.

    A session is used by one thread at a time. Several sessions may share a Resolver.

    Args:
        predict: the model.
        read: creates the Document of a message from its text or the words of its sentences, and its speaker.
        max_words: the maximum number of words in the window; the latest message is always included.
        language: the language of the model.
        cautious_probability: the minimum probability of the links that `Result.resolved` uses.

    Example:
        session = resolver.session()
        session.add("I saw Zoe.", speaker="Ana")
        result = session.add("Did you talk to her?", speaker="Ben")
        for entity in result:
            print(entity.number, [mention.text for mention in entity])
    """

    def __init__(
        self,
        predict: Callable[[Document], Prediction],
        read: Callable[[str | Sequence[Sequence[str]], str], Document],
        max_words: int,
        language: str,
        cautious_probability: float = CAUTIOUS_PROBABILITY,
    ):
        if type(max_words) is not int or max_words < 1:
            raise CorefError(f"max_words must be a positive integer. Received: {max_words!r:.80}")
        self._predict, self._read = predict, read
        self.max_words, self.language = max_words, language
        self.cautious_probability = cautious_probability
        self._messages: list[SessionMessage] = []  # in the window
        self._numbers = EntityNumbers()
        self._records: dict[int, _EntityRecord] = {}
        self._mentions: dict[MentionKey, Mention] = {}  # of the previous result, at their positions there
        self._count = 0

    def add(self, source: str | Sequence[Sequence[str]], *, speaker: str = NO_SPEAKER) -> SessionResult:
        """Resolves the next message.

        Args:
            source: its text, or the words of each of its sentences.
            speaker: who wrote or said it; "-" means nobody.
        """
        if not isinstance(speaker, str) or not speaker:
            raise CorefError(
                f"speaker must be a name, or {NO_SPEAKER!r} for nobody. Received: {speaker!r:.80}"
            )
        latest = self._latest(SessionMessage(self._count, speaker, self._read(source, speaker)))
        window = SessionWindow(latest)
        prediction = self._predict(window.document)
        # Nothing below raises an error, so a rejected message leaves the session unchanged.
        settled = self._forget(before=latest[0].number)
        self._messages, self._count = latest, self._count + 1
        links = window.read_links(prediction)
        antecedents = {key: link.antecedent for key, link in links.items()}
        changes = self._numbers.update(antecedents, newest=latest[-1].number)
        texts = {key: mention.text for key, mention in self._mentions.items()}
        self._place_mentions(window, prediction, links)
        texts |= {key: mention.text for key, mention in self._mentions.items()}
        self._keep_records(changes.merged)
        moved = [PlacedMention(*key, texts[key], now, then) for key, (then, now) in changes.moved.items()]
        return SessionResult(
            document=window.document,
            clusters=self._entities(),
            language=self.language,
            cautious_probability=self.cautious_probability,
            messages=window.messages,
            changes=Changes(changes.started, changes.merged, changes.ended, tuple(moved), tuple(settled)),
        )

    def _latest(self, message: SessionMessage) -> list[SessionMessage]:
        """Returns the messages in the window after adding a new one."""
        latest, words = [message], message.size
        for other in reversed(self._messages):
            words += other.size
            if words > self.max_words:
                break
            latest.append(other)
        return latest[::-1]

    def _forget(self, before: int) -> list[PlacedMention]:
        """Removes the messages before this one from the window, and returns their mentions."""
        settled = []
        for message in self._messages:
            if message.number >= before:
                break
            for key, number in self._numbers.forget(message.number).items():
                settled.append(PlacedMention(*key, self._mentions.pop(key).text, number, number))
                self._records[number].forgotten += 1
        return settled

    def _groups(self) -> dict[int, list[MentionKey]]:
        """Returns the mentions of each entity in the window, in text order."""
        groups: dict[int, list[MentionKey]] = {}
        for key, number in self._numbers.numbers.items():
            groups.setdefault(number, []).append(key)
        return groups

    def _place_mentions(
        self, window: SessionWindow, prediction: Prediction, links: Mapping[MentionKey, MentionLink]
    ) -> None:
        """Stores the mentions of a reading; those whose antecedent has left the window keep their scores."""
        placed: dict[MentionKey, Mention] = {}
        for keys in self._groups().values():
            place = {key: number for number, key in enumerate(keys)}
            for key in keys:
                if key in self._numbers.anchors:
                    placed[key] = window.place_again(key, self._mentions[key])
                else:
                    span, antecedent = links[key]
                    placed[key] = mention_of(prediction, span, place[antecedent] if antecedent else None)
        self._mentions = placed

    def _keep_records(self, merged: Mapping[int, int]) -> None:
        """Updates the labels and counts of the entities in the window, and drops those of all others."""
        groups = self._groups()
        for number, older in merged.items():
            if record := self._records.pop(number, None):  # None if the entity had ended
                self._records.setdefault(older, _EntityRecord(record.label)).forgotten += record.forgotten
        self._records = {number: record for number, record in self._records.items() if number in groups}
        for number, keys in groups.items():
            record = self._records.setdefault(number, _EntityRecord(self._mentions[keys[0]].text))
            if _is_pronoun(record.label):
                texts = [self._mentions[key].text for key in keys]
                record.label = next((text for text in texts if not _is_pronoun(text)), record.label)

    def _entities(self) -> tuple[Entity, ...]:
        return tuple(
            Entity(
                tuple(self._mentions[key] for key in keys),
                number,
                self._records[number].label,
                self._records[number].forgotten,
            )
            for number, keys in self._groups().items()
        )


def _is_pronoun(text: str) -> bool:
    return text.lower() in PRONOUNS
