"""A model that takes texts and gives clusters: what `coref_tf.load` returns."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeGuard

from coref_tf.api.result import Result, result_of
from coref_tf.api.session import MAX_WORDS, Session
from coref_tf.documents.document import Document
from coref_tf.documents.text import document_from_text
from coref_tf.inference.prediction import Prediction
from coref_tf.models.dial import CAUTIOUS_PROBABILITY
from coref_tf.support.errors import CorefError

# A text, the words of its sentences, or a document that is read already.
Source = str | Document | Sequence[Sequence[str]]

_NAME = "text"  # of documents that come without one


class Model(Protocol):
    """What a Resolver needs of a model: a Predictor, or an exported one."""

    def predict(self, document: Document) -> Prediction:
        """The clusters of one document."""

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """Those of many, in their order and in bounded memory."""


class Resolver:
    """Finds out which words of a text refer to the same person or thing.

    Args:
        model: the model, or several that decide together.
        language: of texts, as experiments.conf has it.
        default_genre: of what comes without one.
        cautious_probability: the least probability of the links that `Result.resolved` goes by.

    Example:
        resolver = coref_tf.load()
        resolver("Ana said she was late.")[0][1].text                        # "she"
        resolver([["I", "left", "."], ["You", "stayed", "."]], speakers=[["Ana"] * 3, ["Ben"] * 3], genre="tc")
        for result in resolver.pipe(open("texts")):
            print(result)
    """

    def __init__(
        self,
        model: Model,
        language: str = "en",
        default_genre: str = "",
        cautious_probability: float = CAUTIOUS_PROBABILITY,
    ):
        self._model, self.language, self.default_genre = model, language, default_genre
        self.cautious_probability = cautious_probability

    def __call__(
        self,
        source: Source,
        *,
        speakers: Sequence[Sequence[str]] | None = None,
        genre: str | None = None,
        dialogue: bool = False,
    ) -> Result:
        """The clusters of one text.

        Args:
            source: a text; the words of each of its sentences; or a Document.
            speakers: of words, nested like them; "-" is nobody.
            genre: such as "nw" for news; unless told, the model's default.
            dialogue: whether lines of a text such as `Ana: words` name the speaker.
        """
        document = self.document(source, speakers, genre, dialogue)
        return self.result(self._model.predict(document))

    def pipe(
        self, sources: Iterable[Source], *, genre: str | None = None, dialogue: bool = False
    ) -> Iterator[Result]:
        """The results of many texts, in their order, several at a time where there are cores for it.

        Sources are taken as results are asked for, so that memory holds only a few of either.
        """
        documents = (self.document(source, None, genre, dialogue) for source in sources)
        return map(self.result, self._model.predict_all(documents))

    def result(self, prediction: Prediction) -> Result:
        """The result that a prediction of the model is to users."""
        return result_of(prediction, self.language, self.cautious_probability)

    def session(self, *, genre: str | None = None, max_words: int = MAX_WORDS) -> Session:
        """Returns a Session: a chat or another text that grows, whose messages are resolved one at a time.

        Args:
            genre: such as "tc" for telephone conversations; unless told, the model's default.
            max_words: how many words of the latest messages the model reads for each message.
        """

        def read(source: str | Sequence[Sequence[str]], speaker: str) -> Document:
            document = self.document(source, genre=genre)
            return dataclasses.replace(
                document, speakers=[[speaker] * len(sentence) for sentence in document.sentences]
            )

        return Session(self._model.predict, read, max_words, self.language, self.cautious_probability)

    def document(
        self,
        source: Source,
        speakers: Sequence[Sequence[str]] | None = None,
        genre: str | None = None,
        dialogue: bool = False,
        name: str = _NAME,
    ) -> Document:
        """What the model reads of a source: a text in sentences and words. The arguments are those of a call, and what
        messages call it.
        """
        if isinstance(source, Document):
            if speakers is not None or genre is not None or dialogue:
                raise CorefError(
                    f"document {source.key}: it says its speakers and genre itself; expected it alone"
                )
            return source
        genre = genre or self.default_genre
        doc_key = f"{genre}/{_NAME}" if genre else _NAME
        if isinstance(source, str):
            if speakers is not None:
                raise CorefError(
                    "speakers are of words; expected lists of words, or dialogue=True for a text"
                )
            document = document_from_text(source, doc_key, dialogue, language=self.language)
            return dataclasses.replace(document, key=name)
        if dialogue:
            raise CorefError("dialogue=True is for a text; words have speakers=...")
        if not _are_rows_of_words(source):
            raise CorefError(
                f"expected a text, lists of the words of each sentence, or a Document. Received: {source!r:.80}"
            )
        if speakers is not None and not _are_rows_of_words(speakers):
            raise CorefError(
                f"speakers must be lists of names, one for each word of each sentence. Received: {speakers!r:.80}"
            )
        return Document(doc_key, source, speakers or (), key=name)


def _are_rows_of_words(rows: object) -> bool:
    """Whether something is a list of lists of strings."""
    return _is_list(rows) and all(
        _is_list(row) and all(isinstance(word, str) for word in row) for row in rows
    )


def _is_list(value: object) -> TypeGuard[Sequence]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview | range)
