"""The model's decision for each kept span, and the gold decision; NumPy only."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coref_tf.decoding import best_antecedents, first_of_cluster
from coref_tf.documents.document import Document
from coref_tf.inference.prediction import Prediction


class Decisions(NamedTuple):
    """The decisions for the spans of one or more documents."""

    scores: np.ndarray  # float64 [spans, 1 + antecedents], s(i, j), the dummy first; padding is -inf
    gold: np.ndarray  # bool [spans, 1 + antecedents], Y(i) and GOLD(i): the correct antecedents
    # bool [spans, 1 + antecedents], the decision: the dummy, or all antecedents in the predicted cluster
    place: np.ndarray
    links: np.ndarray  # bool [spans], whether the decision is a link
    right: np.ndarray  # bool [spans], whether the best antecedent is a correct one
    documents: np.ndarray  # int64 [spans], the number of the document that the span is in, from 0

    @classmethod
    def from_prediction(cls, prediction: Prediction) -> "Decisions":
        """Extracts the decisions from a prediction with details, for a document with gold clusters."""
        antecedents = prediction.require_output().antecedents
        scores = np.asarray(antecedents.scores, np.float64)
        clusters = span_clusters(prediction.top_spans, prediction.document)
        best = best_antecedents(antecedents.indices, antecedents.scores)
        real = np.isfinite(scores[:, 1:])
        gold = _with_dummy(
            (clusters[:, None] > 0) & (clusters[:, None] == clusters[antecedents.indices]) & real
        )
        entities = first_of_cluster(best)
        place = _with_dummy(
            (best[:, None] >= 0) & (entities[:, None] == entities[antecedents.indices]) & real
        )
        chosen = scores.argmax(axis=1)
        right = gold[np.arange(len(chosen)), chosen]
        return cls(scores, gold, place, best >= 0, right, np.zeros(len(chosen), np.int64))

    @classmethod
    def joined(cls, of_documents: Sequence["Decisions"]) -> "Decisions":
        """Concatenates the decisions for several documents, padded to the widest."""
        width = max((decisions.scores.shape[1] for decisions in of_documents), default=1)
        fillers = {"scores": -np.inf, "gold": False, "place": False}

        def join(name: str) -> np.ndarray:
            values = [getattr(decisions, name) for decisions in of_documents]
            if name not in fillers:
                return np.concatenate([np.zeros([0], bool), *values])
            filler = fillers[name]
            padded = [np.pad(v, [(0, 0), (0, width - v.shape[1])], constant_values=filler) for v in values]
            return np.concatenate([np.zeros([0, width], type(filler)), *padded])

        counts = [len(decisions.scores) for decisions in of_documents]
        joined = cls(*map(join, cls._fields))
        return joined._replace(documents=np.repeat(np.arange(len(counts)), counts))


def span_clusters(spans: Sequence[tuple[int, int]], document: Document) -> np.ndarray:
    """Returns the gold cluster of each span, from 1, or the later one of two; 0 for a span that is no gold mention."""
    numbers = {mention: n for n, cluster in enumerate(document.clusters, start=1) for mention in cluster}
    return np.array([numbers.get(span, 0) for span in spans], np.int64)


def _with_dummy(chosen: np.ndarray) -> np.ndarray:
    """Prepends the dummy, which is chosen if no antecedent is."""
    return np.concatenate([~chosen.any(axis=1, keepdims=True), chosen], axis=1)
