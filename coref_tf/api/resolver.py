"""The Resolver, which `coref_tf.load` returns: takes texts and returns clusters."""

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

# A text, the words of its sentences, or a Document.
Source = str | Document | Sequence[Sequence[str]]

_NAME = "text"  # the name of documents without one


class Model(Protocol):
    """The interface of a model, which a Predictor or an exported model implements."""

    def predict(self, document: Document) -> Prediction:
        """Returns the prediction for one document."""

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """Yields the predictions for many documents, in order and in bounded memory."""


class Resolver:
    """Finds the words of a text that refer to the same person or thing.

    Args:
        model: the model, or an ensemble.
        language: the language of the texts, as in experiments.conf.
        default_genre: the genre of texts without one.
        cautious_probability: the minimum probability of the links that `Result.resolved` uses.

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
        """Resolves one text.

        Args:
            source: a text, a list with the words of each sentence, or a Document.
            speakers: the speaker of each word, nested like the words; "-" means none.
            genre: the genre, such as "nw" for news; by default, the model's default genre.
            dialogue: whether lines such as `Ana: words` name the speaker.
        """
        document = self.document(source, speakers, genre, dialogue)
        return self.result(self._model.predict(document))

    def pipe(
        self, sources: Iterable[Source], *, genre: str | None = None, dialogue: bool = False
    ) -> Iterator[Result]:
        """Yields the results of many texts, in order; processes several at a time if there are enough cores.

        Sources are consumed as results are requested, so that only a few of each are in memory.
        """
        if isinstance(sources, str):  # otherwise every character would be a text
            raise CorefError(
                f"pipe expects several texts; for one, call the resolver. Received: {sources!r:.80}"
            )
        documents = (self.document(source, None, genre, dialogue) for source in sources)
        return map(self.result, self._model.predict_all(documents))

    def result(self, prediction: Prediction) -> Result:
        """Converts a prediction of the model to a Result."""
        return result_of(prediction, self.language, self.cautious_probability)

    def session(self, *, genre: str | None = None, max_words: int = MAX_WORDS) -> Session:
        """Returns a Session, which resolves the messages of a chat or another growing text one at a time.

        Args:
            genre: the genre, such as "tc" for telephone conversations; by default, the model's default genre.
            max_words: the number of words in the latest messages that the model reads with each message.
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
        """Creates the Document that the model reads. Takes the arguments of a call, and a name for error messages."""
        if isinstance(source, Document):
            if speakers is not None or genre is not None or dialogue:
                raise CorefError(
                    f"document {source.key}: it has its own speakers and genre; expected no other arguments"
                )
            return source
        genre = genre or self.default_genre
        doc_key = f"{genre}/{_NAME}" if genre else _NAME
        if isinstance(source, str):
            if speakers is not None:
                raise CorefError("speakers requires lists of words; for a text, use dialogue=True")
            document = document_from_text(source, doc_key, dialogue, language=self.language)
            return dataclasses.replace(document, key=name)
        if dialogue:
            raise CorefError("dialogue=True requires a text; for words, use speakers=...")
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
    """Returns whether a value is a list of lists of strings."""
    return _is_list(rows) and all(
        _is_list(row) and all(isinstance(word, str) for word in row) for row in rows
    )


def _is_list(value: object) -> TypeGuard[Sequence]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview | range)
