"""A trained model that takes documents and gives clusters."""

import collections
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.checkpoints.checkpoint import best_checkpoint_path, check_settings, read_checkpoint
from coref_tf.config import Experiment
from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.documents.document import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import CorefInputs, Tensorizer
from coref_tf.inference import memory
from coref_tf.inference.ensemble import Ensemble, EnsembleTensorizer, check_experiments
from coref_tf.model import CorefModel, CorefOutput
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError

# How many words are resolved at the same time, for each core, where there is more than one document.
WORDS_IN_FLIGHT = 2048


class Prediction(NamedTuple):
    """What the model says of one document."""

    document: Document
    clusters: list[list[tuple[int, int]]]  # inclusive token spans
    top_spans: list[tuple[int, int]]  # the spans that pruning kept
    output: CorefOutput | None  # everything, as NumPy arrays, where details were asked for

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
        }


class _Running(NamedTuple):
    """A prediction that is being made."""

    future: Future
    words: int
    needed: int  # bytes


class Predictor:
    """Resolves documents with a trained model.

    Args:
        model: the model, or an ensemble of several.
        tensorizer: what makes its inputs.
        max_memory: how many bytes the process may have, or None.

    Example:
        predictor = Predictor.load([load_experiment("best")])
        predictor.predict(document).clusters
    """

    def __init__(
        self,
        model: CorefModel | Ensemble,
        tensorizer: Tensorizer | EnsembleTensorizer,
        max_memory: int | None = None,
    ):
        self.model = model
        self.tensorizer = tensorizer
        self.max_memory = max_memory
        signature = [tensorizer.specs, tf.TensorSpec([], tf.int32)]
        self._find_everything = tf.function(self._call_model, input_signature=signature)
        self._find_best = tf.function(self._best, input_signature=signature)
        self._own_bytes = memory.resident_bytes() + memory.GRAPH_BYTES

    @classmethod
    def load(
        cls,
        experiments: Sequence[Experiment],
        checkpoint: str | os.PathLike | None = None,
        max_memory: int | None = None,
    ) -> "Predictor":
        """Loads the best checkpoint of one experiment, or of several as an ensemble.

        Args:
            experiments: the trained experiments.
            checkpoint: of a single experiment, where it isn't the best one.
            max_memory: how many bytes the process may have, or None.
        """
        custom_ops()  # says at once when the op library is missing or stale
        check_experiments(experiments)
        if len(experiments) == 1:
            return cls(*load_model(experiments[0], checkpoint), max_memory)
        if checkpoint:
            raise CorefError(f"{checkpoint}: a checkpoint can be named for one experiment only")
        models, tensorizers = [], []
        distinct: dict[tuple, Tensorizer] = {}
        for experiment in experiments:
            model, tensorizer = load_model(experiment)
            models.append(model)
            kind = experiment.embeddings, tensorizer.characters.characters
            tensorizers.append(distinct.setdefault(kind, tensorizer))
        return cls(Ensemble(models), EnsembleTensorizer(tensorizers), max_memory)

    def predict(self, document: Document, details: bool = False) -> Prediction:
        """The clusters of one document; with `details` everything else that was computed, too."""
        words_per_block, _ = self._plan(document)
        return self._resolve(document, self.tensorizer.tensorize(document), words_per_block, details)

    def predict_all(self, documents: Iterable[Document], details: bool = False) -> Iterator[Prediction]:
        """The predictions of many documents, in their order.

        Short documents don't keep all cores busy, so that several of them are in flight at a time; a long one is
        alone, so that the memory needed is that of the longest document.
        """
        cores = len(os.sched_getaffinity(0))
        running: collections.deque[_Running] = collections.deque()

        def has_room(document: Document, needed: int) -> bool:
            words = document.num_words + sum(other.words for other in running)
            return words <= cores * WORDS_IN_FLIGHT and self._fits(needed + sum(o.needed for o in running))

        with ThreadPoolExecutor(cores) as threads:
            for document in documents:
                words_per_block, needed = self._plan(document)
                while running and not has_room(document, needed):
                    yield running.popleft().future.result()
                inputs = self.tensorizer.tensorize(document)
                future = threads.submit(self._resolve, document, inputs, words_per_block, details)
                running.append(_Running(future, document.num_words, needed))
            while running:
                yield running.popleft().future.result()

    def _plan(self, document: Document) -> tuple[int, int]:
        """How many words to read at a time, and what the prediction then needs; refuses what can't fit."""
        for words_per_block in memory.BLOCKS:
            needed = sum(
                memory.document_bytes(model, document.num_words, words_per_block)
                for model in self.model.models
            )
            if self._fits(needed):
                return words_per_block, needed
        total, limit = (memory.format_size(size) for size in (self._own_bytes + needed, self.max_memory))
        raise CorefError(
            f"document {document.key}: its {document.num_words:,} words may need {total} of memory, more than the"
            f" {limit} allowed; allow more, or split it"
        )

    def _fits(self, needed: int) -> bool:
        return self.max_memory is None or self._own_bytes + needed <= self.max_memory

    def _resolve(
        self,
        document: Document,
        inputs: CorefInputs | tuple[CorefInputs, ...],
        words_per_block: int,
        details: bool,
    ) -> Prediction:
        find = self._find_everything if details else self._find_best
        found = tf.nest.map_structure(lambda tensor: tensor.numpy(), find(inputs, words_per_block))
        if details:
            starts, ends = found.top_span_starts, found.top_span_ends
            best = best_antecedents(found.antecedents.indices, found.antecedents.scores)
        else:
            starts, ends, best = found
        top_spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
        return Prediction(document, clusters_of(starts, ends, best), top_spans, found if details else None)

    def _call_model(self, inputs, words_per_block):
        return self.model(inputs, words_per_block=words_per_block)

    def _best(self, inputs, words_per_block):
        """The kept spans' starts and ends, and the best antecedent of each; -1 for the dummy."""
        output = self._call_model(inputs, words_per_block)
        _, best = output.antecedents.best()
        return output.top_span_starts, output.top_span_ends, best


def load_model(
    experiment: Experiment, path: str | os.PathLike | None = None, backend: str = "custom"
) -> tuple[CorefModel, Tensorizer]:
    """The model of the checkpoint `path`, by default the experiment's best, and what makes its inputs."""
    path = path or best_checkpoint_path(experiment)
    checkpoint = read_checkpoint(path)
    check_settings(checkpoint, experiment, path)
    characters = CharacterVocabulary(checkpoint.characters)
    model = CorefModel(experiment, len(characters), backend)
    for variable in model.variables:
        variable.assign(checkpoint.variables[variable.name.removesuffix(":0")])
    return model, Tensorizer.of(experiment, characters)


def _lists(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(span) for span in cluster] for cluster in clusters]
