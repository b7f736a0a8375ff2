"""A fake of a trained model for tests of the server and of sessions; it needs no TensorFlow."""

import threading
from collections.abc import Iterable, Iterator

from fake_predictions import SETTINGS, predicted

from coref_tf.api.resolver import Resolver
from coref_tf.documents import Document
from coref_tf.inference.prediction import Prediction
from coref_tf.serving.answers import ServedModel

_NAMES, _SHE, _I = {"Ana", "Ben", "Zoe"}, {"she", "her"}, {"I", "my"}


class FakeModel:
    """Links three names and a few pronouns by fixed rules: *she* is Ana or Zoe, *I* is the speaker, if known.

    Predicting a document with the word `zzz` blocks until `go` is set. `documents` holds the number of words of each
    document whose prediction has started.
    """

    def __init__(self) -> None:
        self.go = threading.Event()
        self.documents: list[int] = []

    def predict(self, document: Document, details: bool = False) -> Prediction:
        """Returns a prediction with the links that these rules give."""
        words = document.words
        self.documents.append(len(words))
        if "zzz" in words:
            assert self.go.wait(60)
        speakers = [speaker for row in document.speakers for speaker in row]
        spans = [number for number, word in enumerate(words) if word in _NAMES | _SHE | _I]
        kinds = [_kind(words[number], speakers[number]) for number in spans]
        prediction = predicted(
            document,
            [(number, number) for number in spans],
            [1.0] * len(spans),
            lambda i, j: _pair(kinds[i], kinds[j]),
            {},
        )
        return Prediction.from_output(document, prediction.output)

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """Returns the predictions of many documents, one after the other."""
        return map(self.predict, documents)

    def served(self) -> ServedModel:
        """Returns the model in the form that the server expects."""
        return ServedModel("fake", self, Resolver(self), SETTINGS, ("news", "tc"), "news")


def _kind(word: str, speaker: str) -> str:
    return "she" if word.lower() in _SHE else f"I {speaker}" if word in _I else word


def _pair(later: str, earlier: str) -> float:
    """Returns s_a, which is positive for coreferent spans."""
    if later == "she":
        return 2.0 if earlier in ("Ana", "Zoe", "she") else -8.0
    return 3.0 if later == earlier != "I -" else -8.0
