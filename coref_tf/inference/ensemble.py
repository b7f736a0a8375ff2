"""Ensembles of several models (section 7.2)."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.documents.document import Document
from coref_tf.features.tensorize import CorefInputs, Tensorizer
from coref_tf.model import CorefModel, CorefOutput
from coref_tf.support.errors import CorefError

# The settings that must be equal in all models, so that averaging their scores makes sense.
_COMMON_KEYS = (
    "genres", "default_genre", "max_mention_width", "mentions", "mention_ratio", "min_spans", "max_antecedents",
    "antecedents", "consistent_clusters", "quotation_speakers", "quotation_links", "language",
)  # fmt: skip


class Ensemble(tf.keras.Model):
    """Averages the scores of several models.

    It averages the mention scores before pruning, then the antecedent scores of the kept spans, which are the same for
    all models.

    Args:
        models: The models; `check_experiments` determines which models can be combined.

    Example:
        Ensemble([first, second])((inputs_of_first, inputs_of_second))   # CorefOutput
    """

    def __init__(self, models: Sequence[CorefModel], name: str = "ensemble"):
        super().__init__(name=name)
        self.models = list(models)

    def call(self, inputs: Sequence[CorefInputs], words_per_block: int | tf.Tensor = 4096) -> CorefOutput:
        """Computes antecedent scores with all models.

        Args:
            inputs: The document, as the inputs of each model.
            words_per_block: About how many words are processed at a time (whole sentences); bounds memory.
        """
        members = list(zip(self.models, inputs, strict=True))
        readings = [model.read(own, words_per_block=words_per_block) for model, own in members]
        candidates = readings[0][1]
        # [candidates]: s_m of every candidate
        mention_scores = _mean([scores for _, _, scores in readings])
        # [spans]: the highest-scoring candidates that do not cross
        spans, span_scores = self.models[0].prune(inputs[0], candidates, mention_scores)
        # [spans, 1 + antecedents]: s(i, j)
        antecedents = [
            model.link(own, words, spans, span_scores)
            for (model, own), (words, _, _) in zip(members, readings, strict=True)
        ]
        together = antecedents[0]._replace(scores=_mean([of_model.scores for of_model in antecedents]))
        if consistent := self.models[0].consistent_clusters:
            together = consistent(together, spans, inputs[0].references)
        # [words]: alpha
        head_scores = _mean([words.head_scores for words, _, _ in readings])
        return CorefOutput(
            *candidates,
            mention_scores,
            head_scores,
            *spans,
            span_scores,
            together,
        )


class EnsembleTensorizer:
    """Creates the inputs of an ensemble, one CorefInputs per model; models with the same tensorizer share them."""

    def __init__(self, tensorizers: Sequence[Tensorizer]):
        self.tensorizers = list(tensorizers)

    @property
    def specs(self) -> tuple[CorefInputs, ...]:
        """The shapes and types of the result of `tensorize`."""
        return tuple(tensorizer.specs for tensorizer in self.tensorizers)

    def tensorize(self, document: Document) -> tuple[CorefInputs, ...]:
        """Returns the tensors (NumPy arrays) of one document for each model."""
        made = {tensorizer: tensorizer.tensorize(document) for tensorizer in dict.fromkeys(self.tensorizers)}
        return tuple(made[tensorizer] for tensorizer in self.tensorizers)

    def known(self, words: Sequence[str]) -> np.ndarray:
        """Returns whether each word has a vector in one of the models, bool [words]."""
        return np.any([tensorizer.known(words) for tensorizer in self.tensorizers], axis=0)

    def unknown_shares(self, documents: Sequence[Document]) -> list[float]:
        """Returns, for each vector set of each model, the fraction of the documents' words without a vector in it."""
        return [share for tensorizer in self.tensorizers for share in tensorizer.unknown_shares(documents)]


def check_experiments(experiments: Sequence[Experiment]) -> None:
    """Raises a CorefError that names the first setting that prevents averaging."""
    first = experiments[0]
    for other in experiments[1:]:
        for key in _COMMON_KEYS:
            ours, theirs = getattr(first, key), getattr(other, key)
            if ours != theirs:
                raise CorefError(
                    f"{first.name} and {other.name} can't be averaged: {key} is {_text(ours)} in one and"
                    f" {_text(theirs)} in the other; it must be the same in all models"
                )
        if first.antecedents != "nearest":
            raise CorefError(
                f"{first.name} and {other.name} can't be averaged: with antecedents = {first.antecedents} each"
                " model chooses its own antecedents; expected nearest"
            )


def _mean(values: Sequence[tf.Tensor]) -> tf.Tensor:
    return tf.add_n(values) / len(values)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
