"""What a model says of one document."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.inference.calibration import AS_THEY_ARE, Calibration

if TYPE_CHECKING:  # what is said needs no TensorFlow
    from coref_tf.model import CorefOutput


class Prediction(NamedTuple):
    """What the model says of one document."""

    document: Document
    clusters: list[list[tuple[int, int]]]  # inclusive token spans
    top_spans: list[tuple[int, int]]  # the spans that pruning kept
    mention_scores: np.ndarray  # float32 [spans], s_m of each
    antecedents: np.ndarray  # int32 [spans], the best of each among them; -1 is none
    antecedent_scores: np.ndarray  # float32 [spans], s(i, j) of that one; 0 for none
    output: "CorefOutput | None"  # everything, as NumPy arrays, where details were asked for
    # float32 [spans], P of the best antecedent alone, 0 for none; None where they aren't known
    link_probabilities: np.ndarray | None = None
    # float32 [spans], P of each one's place in its cluster, 0 for those in none; None where they aren't known
    place_probabilities: np.ndarray | None = None
    calibration: Calibration = AS_THEY_ARE  # what made probabilities of scores
    min_probability: float = 0.0  # links of less probable places were taken away
    singleton_score: float | None = (
        None  # s_m from which on spans in no cluster are one by themselves, if any are
    )

    def summary(self) -> dict[str, Any]:
        """The clusters in JSON's terms, and how probable each mention's place in its cluster is; for text, where they
        stand in it and how they read, too.
        """
        summary: dict[str, Any] = {"predicted_clusters": _lists(self.clusters)}
        if self.place_probabilities is not None:
            known = dict(zip(self.top_spans, self.place_probabilities.tolist(), strict=True))
            summary["predicted_probabilities"] = [[round(known[s], 6) for s in c] for c in self.clusters]
        text, offsets = self.document.text, self.document.offsets
        if text is not None and offsets is not None:
            characters = [[(offsets[s][0], offsets[e][1]) for s, e in cluster] for cluster in self.clusters]
            summary["predicted_characters"] = _lists(characters)
            summary["predicted_mentions"] = [[text[b:e] for b, e in cluster] for cluster in characters]
        return summary

    def details(self) -> dict[str, Any]:
        """Everything the model computed, in JSON's terms; padded antecedents have the score None."""
        if self.output is None:
            raise ValueError("details must be asked for: predict(document, details=True)")
        output = self.output
        scores = output.antecedents.scores
        return {
            "candidate_starts": output.candidate_starts.tolist(),
            "candidate_ends": output.candidate_ends.tolist(),
            "candidate_mention_scores": output.candidate_mention_scores.tolist(),
            "top_spans": [list(span) for span in self.top_spans],
            "antecedents": output.antecedents.indices.tolist(),
            "antecedent_scores": np.where(np.isneginf(scores), None, scores.astype(object)).tolist(),
            "head_scores": output.head_scores.tolist(),
            "link_probabilities": self.link_probabilities.tolist(),
            "place_probabilities": self.place_probabilities.tolist(),
        }


def _lists(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(span) for span in cluster] for cluster in clusters]
