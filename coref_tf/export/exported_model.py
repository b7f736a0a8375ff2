"""An exported model that takes documents, as the Predictor of a checkpoint does."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.export.needed_ops import load_needed_ops
from coref_tf.export.resolver import DIAL
from coref_tf.inference.prediction import Prediction, SpanDecisions
from coref_tf.support.errors import CorefError

_SIGNATURE = "serving_default"
# What an export of an earlier version of this package doesn't have.
_NEEDED = ("top_span_mention_scores", "top_span_antecedent_scores")


class ExportedModel:
    """Resolves documents with a model that `coref export` wrote.

    Args:
        version: the folder of the SavedModel, as `ExportFolder` has it.
        min_probability: links of mentions whose place is less probable are taken away.

    Example:
        ExportedModel("models/coref/1").predict(document).clusters
    """

    def __init__(self, version: str | os.PathLike, min_probability: float = 0.0):
        version = Path(version)
        self._min_probability = min_probability
        load_needed_ops(version)
        # Kept, since its signatures alone don't keep its variables.
        self._model = tf.saved_model.load(os.fspath(version))
        signature = self._model.signatures.get(_SIGNATURE)
        if signature is None or not set(_NEEDED) <= set(signature.structured_outputs):
            raise CorefError(
                f"{version}: lacks {_NEEDED[0]}; expected a model that this version has exported"
            )
        if min_probability and DIAL.format(_SIGNATURE) not in self._model.signatures:
            raise CorefError(
                f"{version}: was exported without probabilities, by an earlier version; export it again, or leave"
                " min_probability out"
            )
        self._signature = self._model.signatures[DIAL.format(_SIGNATURE)] if min_probability else signature

    def predict(self, document: Document) -> Prediction:
        """The clusters of one document."""
        inputs = {name: tf.constant(value, tf.string) for name, value in document_inputs(document).items()}
        if self._min_probability:
            inputs["min_probability"] = tf.constant(self._min_probability, tf.float32)
        found = {name: value.numpy() for name, value in self._signature(**inputs).items()}
        decisions = SpanDecisions(
            starts=found["top_span_starts"],
            ends=found["top_span_ends"],
            mention_scores=found["top_span_mention_scores"],
            antecedents=found["top_span_antecedents"],
            antecedent_scores=found["top_span_antecedent_scores"],
            link_probabilities=found.get("top_span_antecedent_probability"),
            place_probabilities=found.get("top_span_probability"),
        )
        # The graph has removed improbable links already: doing so again removes none.
        return Prediction.from_decisions(document, decisions, min_probability=self._min_probability)

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """The predictions of many documents, one after the other."""
        return map(self.predict, documents)


def document_inputs(document: Document) -> dict[str, np.ndarray]:
    """A document as the signatures of one document take it: strings in arrays of objects."""
    speakers = [["" if name == NO_SPEAKER else name for name in row] for row in document.speakers]
    return {
        "tokens": _padded(document.sentences),
        "speakers": _padded(speakers),
        "genre": np.array(document.genre, object),
    }


def _padded(rows: Sequence[Sequence[str]]) -> np.ndarray:
    """Rows of words with "" behind them, object [rows, longest]."""
    table = np.full([len(rows), max(map(len, rows), default=0)], "", object)
    for row, words in zip(table, rows, strict=True):
        row[: len(words)] = words
    return table
