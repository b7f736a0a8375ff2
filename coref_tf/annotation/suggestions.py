"""The predictions for the texts of a folder, and the uncertainty of each."""

import threading
from typing import NamedTuple

import numpy as np

from coref_tf.annotation.folder import AnnotationFolder, Clusters
from coref_tf.decoding import best_antecedents, places_of
from coref_tf.documents.document import Document
from coref_tf.documents.text import document_from_text
from coref_tf.inference.prediction import Prediction
from coref_tf.serving.answers import ServedModel
from coref_tf.support.errors import CorefError

_PATIENCE = 10.0  # seconds to wait until all texts are ranked, before the first one is opened


class Suggestion(NamedTuple):
    """The prediction for a text."""

    clusters: Clusters
    doubt: float  # see `doubt_per_100_words`
    words: int


class Suggestions:
    """Predicts each text of a folder once: texts that are opened immediately, all others in the background.

    Args:
        folder: The texts.
        served: The model.
    """

    def __init__(self, folder: AnnotationFolder, served: ServedModel):
        self.folder, self.served = folder, served
        self.problems: dict[str, str] = {}  # the reasons why texts cannot be read, by name
        self._found: dict[str, Suggestion] = {}
        self._predicting = threading.Lock()
        self._wake = threading.Event()
        self._ranked = threading.Event()  # set once every text has been processed

    def start(self) -> None:
        """Starts to predict in the background."""
        threading.Thread(target=self._run, name="suggestions", daemon=True).start()

    def found(self, name: str) -> Suggestion | None:
        """Returns the suggestion for a text if it has already been computed."""
        return self._found.get(name)

    def suggest(self, name: str, document: Document) -> Suggestion:
        """Returns the suggestion for a text; may take a while."""
        with self._predicting:
            if name not in self._found:
                prediction = self.served.model.predict(document, details=True)
                doubt = doubt_per_100_words(prediction)
                self._found[name] = Suggestion(prediction.clusters, doubt, document.num_words)
            return self._found[name]

    def document(self, name: str) -> Document:
        """Returns the document of a text; its key consists of the default genre and its name."""
        served = self.served
        key = f"{served.default_genre}/{name}" if served.default_genre else name
        document = document_from_text(self.folder.read_text(name), key, language=served.resolver.language)
        if not document.num_words:
            raise CorefError(f"{name}: has no words; expected a text")
        return document

    def least_certain(self, left_out: frozenset[str] = frozenset()) -> str | None:
        """Returns the unannotated text that the model is least certain about, or None if there is none.

        Texts that have not been predicted after a few seconds come last.
        """
        self._ranked.wait(_PATIENCE)
        waiting = [
            name
            for name in self.folder.names()
            if name not in left_out and name not in self.problems and self.folder.state(name) != "annotated"
        ]
        known = [(self._found[name].doubt, name) for name in waiting if name in self._found]
        return max(known)[1] if known else next(iter(waiting), None)

    def look_for_new_texts(self) -> None:
        """Makes the background thread look for new texts."""
        self._wake.set()

    def _run(self) -> None:
        while True:
            for name in self.folder.names():
                if name in self._found or name in self.problems or self.folder.state(name) == "annotated":
                    continue
                try:
                    self.suggest(name, self.document(name))
                except (CorefError, OSError) as error:
                    self.problems[name] = str(error)
            self._ranked.set()
            self._wake.wait()
            self._wake.clear()


def doubt_per_100_words(prediction: Prediction) -> float:
    """Returns the expected number of wrong decisions per 100 words, according to the model.

    Each kept span is one decision, for a cluster or for none; its probability comes from the calibrated model.
    """
    output = prediction.output
    if output is None:
        raise ValueError("doubt requires details; call predict(document, details=True)")
    scores, indices = output.antecedents.scores, output.antecedents.indices
    # [spans, 1 + antecedents]
    probabilities = prediction.calibration.probabilities(scores)
    places = places_of(best_antecedents(indices, scores), indices, probabilities)
    return float(100 * np.sum(1 - places) / max(prediction.document.num_words, 1))
