"""A trained model that takes documents and gives clusters."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.checkpoints import best_checkpoint_path, check_settings, read_checkpoint
from coref_tf.config import Experiment
from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.documents.document import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer, input_specs
from coref_tf.model import CorefModel, CorefOutput
from coref_tf.native import custom_ops


class Prediction(NamedTuple):
    """What the model says of one document."""

    document: Document
    clusters: list[list[tuple[int, int]]]  # inclusive token spans
    output: CorefOutput  # as NumPy arrays

    @property
    def top_spans(self) -> list[tuple[int, int]]:
        """The spans that pruning kept."""
        return list(
            zip(self.output.top_span_starts.tolist(), self.output.top_span_ends.tolist(), strict=True)
        )

    def summary(self) -> dict[str, Any]:
        """The clusters in JSON's terms; for text, where they stand in it and how they read, too."""
        summary: dict[str, Any] = {"predicted_clusters": _lists(self.clusters)}
        text, offsets = self.document.text, self.document.offsets
        if text is not None and offsets is not None:
            characters = [[(offsets[s][0], offsets[e][1]) for s, e in cluster] for cluster in self.clusters]
            summary["predicted_characters"] = _lists(characters)
            summary["predicted_mentions"] = [[text[b:e] for b, e in cluster] for cluster in characters]
        return summary

    def details(self) -> dict[str, Any]:
        """Everything the model computed, in JSON's terms; padded antecedents have the score None."""
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
        }


class Predictor:
    """Resolves documents with a trained model.

    Example:
        predictor = Predictor.load(load_experiment("best"))
        predictor.predict(document).clusters
    """

    def __init__(self, model: CorefModel, tensorizer: Tensorizer):
        self.model = model
        self.tensorizer = tensorizer
        self._run = tf.function(model, input_signature=[input_specs(tensorizer.vector_size)])

    @classmethod
    def load(cls, experiment: Experiment, path: str | os.PathLike | None = None) -> "Predictor":
        """Loads the checkpoint `path`, by default the experiment's best."""
        custom_ops()  # says at once when the op library is missing or stale
        path = path or best_checkpoint_path(experiment)
        checkpoint = read_checkpoint(path)
        check_settings(checkpoint, experiment, path)
        characters = CharacterVocabulary(checkpoint.characters)
        model = CorefModel(experiment, len(characters))
        for variable in model.variables:
            variable.assign(checkpoint.variables[variable.name.removesuffix(":0")])
        return cls(model, Tensorizer.of(experiment, characters))

    def predict(self, document: Document) -> Prediction:
        """The clusters of one document."""
        output = tf.nest.map_structure(
            lambda tensor: tensor.numpy(), self._run(self.tensorizer.tensorize(document))
        )
        best = best_antecedents(output.antecedents.indices, output.antecedents.scores)
        clusters = clusters_of(output.top_span_starts, output.top_span_ends, best)
        return Prediction(document, clusters, output)


def _lists(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(span) for span in cluster] for cluster in clusters]
