"""The prediction of a model for one document; imports only NumPy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from coref_tf.decoding import (
    best_antecedents,
    clusters_of,
    place_probabilities,
    places_of,
    remove_improbable_links,
)
from coref_tf.documents.document import Document
from coref_tf.documents.listing import mention_text
from coref_tf.models.calibration import AS_THEY_ARE, Calibration

if TYPE_CHECKING:  # avoids importing TensorFlow at run time
    from coref_tf.model import CorefOutput


class SpanDecisions(NamedTuple):
    """The model's decision for each span that pruning kept."""

    starts: np.ndarray  # int32 [spans]
    ends: np.ndarray  # int32 [spans], inclusive
    mention_scores: np.ndarray  # float32 [spans], s_m
    antecedents: np.ndarray  # int [spans], the best antecedent, an index of a span; -1 for the dummy
    antecedent_scores: np.ndarray  # float32 [spans], s(i, j) of the best antecedent
    link_probabilities: np.ndarray | None  # float32 [spans], P of the best antecedent alone
    # float32 [spans], P of all antecedents in its cluster, or of the dummy
    place_probabilities: np.ndarray | None


class Prediction(NamedTuple):
    """The clusters that a model predicts for a document, and the scores and probabilities behind them."""

    document: Document
    clusters: list[list[tuple[int, int]]]  # inclusive token spans
    top_spans: list[tuple[int, int]]  # the spans that pruning kept
    mention_scores: np.ndarray  # float32 [spans], s_m of each
    antecedents: np.ndarray  # int32 [spans], the index of each span's best antecedent; -1 for none
    antecedent_scores: np.ndarray  # float32 [spans], s(i, j) of that antecedent; 0 for none
    output: "CorefOutput | None"  # the full output, as NumPy arrays, if details were requested
    # float32 [spans], P of the best antecedent alone, 0 for none; None if unknown
    link_probabilities: np.ndarray | None = None
    # float32 [spans], P of each span's place in its cluster, 0 for spans in none; None if unknown
    place_probabilities: np.ndarray | None = None
    calibration: Calibration = AS_THEY_ARE  # the calibration of the probabilities
    min_probability: float = 0.0  # links with a lower place probability were removed
    # the minimum s_m of a singleton, if singletons were requested
    singleton_score: float | None = None

    @classmethod
    def from_decisions(
        cls,
        document: Document,
        spans: SpanDecisions,
        *,
        output: "CorefOutput | None" = None,
        calibration: Calibration = AS_THEY_ARE,
        min_probability: float = 0.0,
        singleton_score: float | None = None,
    ) -> "Prediction":
        """Decodes the clusters of a document from the decisions for its spans.

        Args:
            document: The document.
            spans: The decisions. Without probabilities, no link is removed.
            output: The full output of the model, as NumPy arrays.
            calibration: The calibration of the probabilities.
            min_probability: Links of mentions with a lower place probability are removed before decoding.
            singleton_score: The minimum mention score of a singleton, or None for no singletons.
        """
        antecedents, links, places = spans.antecedents, spans.link_probabilities, spans.place_probabilities
        if places is not None:
            antecedents = remove_improbable_links(antecedents, places, min_probability)
        linked = antecedents >= 0
        clusters = clusters_of(spans.starts, spans.ends, antecedents)
        top_spans = list(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True))
        probabilities = None if places is None else place_probabilities(antecedents, places)
        if singleton_score is not None:
            single = are_singletons(antecedents, spans.mention_scores, singleton_score)
            clusters = sorted(clusters + [[top_spans[number]] for number in np.flatnonzero(single)])
            if places is not None and probabilities is not None:
                # P of being in no cluster; for a span whose link was removed, of not being in that cluster.
                alone = np.where(spans.antecedents < 0, places, 1 - places)
                probabilities = np.where(single, alone, probabilities)
        return cls(
            document=document,
            clusters=clusters,
            top_spans=top_spans,
            mention_scores=spans.mention_scores,
            antecedents=antecedents,
            antecedent_scores=_zero_unless(linked, spans.antecedent_scores),
            output=output,
            link_probabilities=None if links is None else _zero_unless(linked, links),
            place_probabilities=probabilities,
            calibration=calibration,
            min_probability=min_probability,
            singleton_score=singleton_score,
        )

    @classmethod
    def from_output(
        cls,
        document: Document,
        output: "CorefOutput",
        calibration: Calibration = AS_THEY_ARE,
        min_probability: float = 0.0,
    ) -> "Prediction":
        """Decodes the clusters of a document from the full output of the model.

        Args:
            document: The document.
            output: The output of the model, as NumPy arrays.
            calibration: The calibration of the probabilities.
            min_probability: Links of mentions with a lower place probability are removed before decoding.
        """
        indices, scores = output.antecedents.indices, output.antecedents.scores
        best, columns = best_antecedents(indices, scores), scores.argmax(axis=1)[:, np.newaxis]
        # [spans, 1 + antecedents]
        probabilities = calibration.probabilities(scores)
        decisions = SpanDecisions(
            starts=output.top_span_starts,
            ends=output.top_span_ends,
            mention_scores=output.top_span_mention_scores,
            antecedents=best,
            antecedent_scores=np.take_along_axis(scores, columns, axis=1)[:, 0],
            link_probabilities=np.take_along_axis(probabilities, columns, axis=1)[:, 0],
            place_probabilities=places_of(best, indices, probabilities),
        )
        return cls.from_decisions(
            document, decisions, output=output, calibration=calibration, min_probability=min_probability
        )

    def probable_clusters(self, threshold: float) -> list[list[tuple[int, int]]]:
        """Returns the clusters without the links of mentions with a place probability below `threshold`.

        Without probabilities, no link is removed.
        """
        if self.place_probabilities is None:
            return self.clusters
        starts, ends = np.array(self.top_spans, np.int64).reshape(-1, 2).T
        return clusters_of(
            starts, ends, remove_improbable_links(self.antecedents, self.place_probabilities, threshold)
        )

    def with_clusters(self, clusters: Sequence[Sequence[tuple[int, int]]]) -> "Prediction":
        """Returns the same prediction with other clusters of the kept spans.

        A mention keeps its best antecedent if that is in its cluster. Otherwise, its antecedent is the preceding
        mention of the cluster, with a score and probability of 0, because the model did not choose it.
        """
        place = {span: number for number, span in enumerate(self.top_spans)}
        antecedents = np.full_like(self.antecedents, -1)
        for cluster in clusters:
            numbers = sorted(place[span] for span in cluster)
            inside = set(numbers)
            for before, number in zip([-1, *numbers], numbers, strict=False):
                best = int(self.antecedents[number])
                antecedents[number] = best if best in inside else before
        linked = (antecedents >= 0) & (antecedents == self.antecedents)
        links = self.link_probabilities
        return self._replace(
            clusters=[sorted(cluster) for cluster in clusters],
            antecedents=antecedents,
            antecedent_scores=_zero_unless(linked, self.antecedent_scores),
            link_probabilities=None if links is None else _zero_unless(linked, links),
        )

    def summary(self) -> dict[str, Any]:
        """Returns the clusters, and the probability of each mention's place, as JSON values.

        For documents with a text, it adds the offsets and the text of the mentions.
        """
        summary: dict[str, Any] = {"predicted_clusters": _lists(self.clusters)}
        if self.place_probabilities is not None:
            known = dict(zip(self.top_spans, self.place_probabilities.tolist(), strict=True))
            summary["predicted_probabilities"] = [[round(known[s], 6) for s in c] for c in self.clusters]
        text, offsets = self.document.text, self.document.offsets
        if text is not None and offsets is not None:
            characters = [[(offsets[s][0], offsets[e][1]) for s, e in cluster] for cluster in self.clusters]
            summary["predicted_characters"] = _lists(characters)
            summary["predicted_mentions"] = [
                [mention_text(self.document, *span) for span in cluster] for cluster in self.clusters
            ]
        return summary

    def require_output(self) -> "CorefOutput":
        """Returns the full output of the model; raises a ValueError unless details were requested."""
        if self.output is None:
            raise ValueError("the prediction has no details; call predict(document, details=True)")
        return self.output

    def details(self) -> dict[str, Any]:
        """Returns the full output of the model as JSON values; padded antecedents have the score None."""
        output = self.require_output()
        scores = output.antecedents.scores
        known = {
            "link_probabilities": self.link_probabilities,
            "place_probabilities": self.place_probabilities,
        }
        return {
            "candidate_starts": output.candidate_starts.tolist(),
            "candidate_ends": output.candidate_ends.tolist(),
            "candidate_mention_scores": output.candidate_mention_scores.tolist(),
            "top_spans": [list(span) for span in self.top_spans],
            "antecedents": output.antecedents.indices.tolist(),
            "antecedent_scores": [[None if s == -np.inf else s for s in row] for row in scores.tolist()],
            "head_scores": output.head_scores.tolist(),
            **{name: None if values is None else values.tolist() for name, values in known.items()},
        }


def are_singletons(antecedents: np.ndarray, mention_scores: np.ndarray, threshold: float) -> np.ndarray:
    """Returns which spans are singleton mentions, bool [spans].

    Args:
        antecedents: int [spans], the antecedent of each span, -1 for none.
        mention_scores: float [spans], s_m.
        threshold: The minimum mention score of a singleton.

    Example:
        are_singletons(np.array([-1, 0, -1, -1]), np.array([5.0, 1.0, 2.0, -3.0]), 0.0)   # only the third
    """
    alone = antecedents < 0
    alone[antecedents[antecedents >= 0]] = False
    return alone & (mention_scores >= threshold)


def _zero_unless(linked: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.where(linked, values, 0).astype(values.dtype)


def _lists(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(span) for span in cluster] for cluster in clusters]
