"""The window of a session: its latest messages as one document."""

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coref_tf.api.entity_numbers import MentionKey
from coref_tf.api.result import Mention
from coref_tf.api.session_result import Message
from coref_tf.documents.document import Document
from coref_tf.documents.listing import mention_text
from coref_tf.inference.prediction import Prediction

_NAME = "session"  # the name of the document


class MentionLink(NamedTuple):
    """The link of a mention in a cluster: its index among the kept spans, and its antecedent."""

    span: int
    antecedent: MentionKey | None


class SessionMessage(NamedTuple):
    """A message as the model reads it: its number in the session, its speaker, and its words."""

    number: int
    speaker: str
    document: Document

    @property
    def size(self) -> int:
        """Its size in the window, in words; at least 1, so that the number of messages is bounded, too."""
        return max(1, self.document.num_words)


class SessionWindow:
    """Consecutive messages, and the document that they form.

    Args:
        messages: the messages, at least one.
    """

    def __init__(self, messages: Sequence[SessionMessage]):
        documents = [message.document for message in messages]
        texts = [document.text for document in documents if document.text is not None]
        has_text = len(texts) == len(documents)
        starts = itertools.accumulate((document.num_words for document in documents), initial=0)
        # If one of the messages was given as words, there is no text that contains all words.
        begins: Iterable[int | None] = itertools.repeat(None)
        if has_text:
            begins = itertools.accumulate((len(text) + 1 for text in texts), initial=0)
        self.messages = tuple(
            Message(number, speaker, document.text, start, begin)
            for (number, speaker, document), start, begin in zip(messages, starts, begins, strict=False)
        )
        self._starts = {message.number: message.start for message in self.messages}
        self._message_of_word = [
            message
            for message, document in zip(self.messages, documents, strict=True)
            for _ in document.words
        ]
        self.document = Document(
            documents[-1].doc_key,
            [sentence for document in documents for sentence in document.sentences],
            [row for document in documents for row in document.speakers],
            key=_NAME,
            text="\n".join(texts) if has_text else None,
            offsets=self._offsets(documents) if has_text else None,
        )

    def _offsets(self, documents: Sequence[Document]) -> list[tuple[int, int]]:
        return [
            (begin + message.begin_char, end + message.begin_char)
            for message, document in zip(self.messages, documents, strict=True)
            if message.begin_char is not None
            for begin, end in document.offsets or ()
        ]

    def key_of(self, start: int, end: int) -> MentionKey:
        """Returns the mention that consists of the given words of the document."""
        message = self._message_of_word[start]
        return MentionKey(message.number, start - message.start, end - message.start)

    def read_links(self, prediction: Prediction) -> dict[MentionKey, MentionLink]:
        """Returns the mentions that the model puts in clusters, in text order."""
        keys = [self.key_of(*span) for span in prediction.top_spans]
        clustered = {span for cluster in prediction.clusters for span in cluster}
        antecedents = prediction.antecedents.tolist()
        return {
            key: MentionLink(number, keys[antecedents[number]] if antecedents[number] >= 0 else None)
            for number, key in enumerate(keys)
            if prediction.top_spans[number] in clustered
        }

    def place_again(self, key: MentionKey, mention: Mention) -> Mention:
        """Moves a mention of an earlier window, whose antecedent has left the window, to its position in this one."""
        first = self._starts[key.message]
        start, end = first + key.start, first + key.end
        offsets = self.document.offsets
        return dataclasses.replace(
            mention,
            text=mention_text(self.document, start, end),
            start=start,
            end=end,
            begin_char=offsets[start][0] if offsets is not None else None,
            end_char=offsets[end][1] if offsets is not None else None,
            antecedent=None,
        )
