"""An exported model that takes documents, as the Predictor of a checkpoint does."""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.export.needed_ops import load_needed_ops
from coref_tf.export.version_folders import MODEL_FILE, newest_version
from coref_tf.inference.prediction import Prediction
from coref_tf.layers.antecedent_scorer import Antecedents
from coref_tf.model import CorefOutput
from coref_tf.support.errors import CorefError

_SIGNATURE = "serving_default"
# What an export of an earlier version of this package doesn't have.
_NEEDED = ("top_span_mention_scores", "top_span_antecedent_scores")


class ExportedModel:
    """Resolves documents with a model that `coref export` wrote.

    Args:
        folder: the export, of which the newest version is taken; or one of its versions.

    Example:
        ExportedModel("models/coref").predict(document).clusters
    """

    def __init__(self, folder: str | os.PathLike):
        folder = Path(folder)
        version = folder if (folder / MODEL_FILE).is_file() else newest_version(folder)[1]
        load_needed_ops(version)
        # Kept, since its signatures alone don't keep its variables.
        self._model = tf.saved_model.load(os.fspath(version))
        signature = self._model.signatures.get(_SIGNATURE)
        if signature is None or not set(_NEEDED) <= set(signature.structured_outputs):
            raise CorefError(
                f"{version}: lacks {_NEEDED[0]}; expected a model that this version has exported"
            )
        self._signature = signature

    def predict(self, document: Document) -> Prediction:
        """The clusters of one document."""
        found = self._signature(**document_inputs(document))
        return prediction_of(document, {name: value.numpy() for name, value in found.items()})

    def predict_all(self, documents: Iterable[Document]) -> Iterator[Prediction]:
        """The predictions of many documents, one after the other."""
        return map(self.predict, documents)


def document_inputs(document: Document) -> dict[str, tf.Tensor]:
    """A document as the signatures of one document take it."""
    speakers = [["" if name == NO_SPEAKER else name for name in row] for row in document.speakers]
    return {
        "tokens": _padded(document.sentences),
        "speakers": _padded(speakers),
        "genre": tf.constant(document.genre),
    }


def prediction_of(document: Document, found: Mapping[str, np.ndarray]) -> Prediction:
    """What a signature of one document found; with details where it is the one that gives them."""
    return Prediction(
        document,
        _clusters(found),
        _spans(found["top_span_starts"], found["top_span_ends"]),
        found["top_span_mention_scores"],
        found["top_span_antecedents"],
        found["top_span_antecedent_scores"],
        _output(found) if "candidate_starts" in found else None,
    )


def _output(found: Mapping[str, np.ndarray]) -> CorefOutput:
    antecedents = Antecedents(*(found[f"antecedent_{name}"] for name in Antecedents._fields))
    names = [name for name in CorefOutput._fields if name != "antecedents"]
    return CorefOutput(*(found[name] for name in names), antecedents)


def _padded(rows: Sequence[Sequence[str]]) -> tf.Tensor:
    """Rows of words with "" behind them, string [rows, longest]."""
    longest = max(map(len, rows), default=0)
    words = [[*row, *itertools.repeat("", longest - len(row))] for row in rows]
    return tf.constant(words, tf.string, shape=[len(rows), longest])


def _spans(starts: np.ndarray, ends: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _clusters(found: Mapping[str, np.ndarray]) -> list[list[tuple[int, int]]]:
    """Clusters are numbered in the order of their first mentions, and mentions are in order."""
    clusters: dict[int, list[tuple[int, int]]] = {}
    spans = _spans(found["mention_starts"], found["mention_ends"])
    for number, span in zip(found["mention_clusters"].tolist(), spans, strict=True):
        clusters.setdefault(number, []).append(span)
    return list(clusters.values())
