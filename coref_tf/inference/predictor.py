"""A trained model that takes documents and gives clusters."""

import collections
import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.checkpoints.checkpoint import check_settings, model_path, read_checkpoint
from coref_tf.checkpoints.restoring import assign_variables, check_encoder, no_more_variables_than
from coref_tf.config import Experiment
from coref_tf.decoding import clusters_of, confident, place_probabilities
from coref_tf.documents.document import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.given_mentions import GIVEN
from coref_tf.features.tensorize import CorefInputs, Tensorizer
from coref_tf.inference import memory
from coref_tf.inference.calibration import AS_THEY_ARE, Calibration, check_probability
from coref_tf.inference.ensemble import Ensemble, EnsembleTensorizer, check_experiments
from coref_tf.inference.prediction import Prediction
from coref_tf.inference.singletons import are_singletons, singleton_score
from coref_tf.layers.probabilities import Probabilities
from coref_tf.model import CorefModel
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError

# How many words are resolved at the same time, for each core, where there is more than one document.
WORDS_IN_FLIGHT = 2048

# How many words a first document may have to be computed op by op, with the same results as from a graph. For one such
# document that takes a fifth of the time that making the graph does.
WORDS_WITHOUT_GRAPH = 1000


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
        calibration: what makes probabilities of scores.
        min_probability: links of mentions whose place is less probable are taken away before clusters are made.
        singleton_score: s_m from which on a span in no cluster is one by itself; None leaves such spans out.

    Example:
        predictor = Predictor.load([load_experiment("best")])
        predictor.predict(document).clusters
    """

    def __init__(
        self,
        model: CorefModel | Ensemble,
        tensorizer: Tensorizer | EnsembleTensorizer,
        max_memory: int | None = None,
        calibration: Calibration = AS_THEY_ARE,
        min_probability: float = 0.0,
        singleton_score: float | None = None,
    ):
        self.model = model
        self.tensorizer = tensorizer
        self.max_memory = max_memory
        self.calibration = calibration
        self.min_probability = check_probability(min_probability)
        self.singleton_score = singleton_score
        self.cores = len(os.sched_getaffinity(0))  # that `predict_all` keeps busy
        signature = [tensorizer.specs, tf.TensorSpec([], tf.int32)]
        # Nothing of the model needs autograph, which would take longer to convert it than all the rest of the start.
        self._find_everything = tf.function(self._everything, input_signature=signature, autograph=False)
        self._find_best = tf.function(self._best, input_signature=signature, autograph=False)
        self._is_first = True
        self._own_bytes = memory.resident_bytes() + memory.GRAPH_BYTES

    @classmethod
    def load(
        cls,
        experiments: Sequence[Experiment],
        checkpoint: str | os.PathLike | None = None,
        max_memory: int | None = None,
        checkpoints: Sequence[str | os.PathLike | None] | None = None,
        min_probability: float = 0.0,
        given: Callable[[Document], list[tuple[int, int]]] | None = None,
        singletons: bool = False,
    ) -> "Predictor":
        """Loads the best checkpoint of one experiment, or of several as an ensemble.

        Args:
            experiments: the trained experiments.
            checkpoint: of a single experiment, where it isn't the best one.
            max_memory: how many bytes the process may have, or None.
            checkpoints: of each experiment, None being its best one.
            min_probability: links of mentions whose place is less probable are taken away.
            given: the mentions of a document, ordered, which are clustered instead of those that the model finds.
            singletons: whether mentions in no cluster are clusters by themselves, as fitted in the checkpoint.
        """
        custom_ops()  # says at once when the op library is missing or stale
        check_probability(min_probability)
        check_experiments(experiments)
        alone = None
        if singletons:
            alone = singleton_score(experiments, checkpoints[0] if checkpoints else checkpoint)
        if len(experiments) == 1:
            path = checkpoints[0] if checkpoints else checkpoint
            model, tensorizer, calibration = load_model(experiments[0], path, given=given)
            return cls(model, tensorizer, max_memory, calibration, min_probability, alone)
        if checkpoint:
            raise CorefError(f"{checkpoint}: a checkpoint can be named for one experiment only")
        models, tensorizers, calibrations = [], [], []
        distinct: dict[tuple, Tensorizer] = {}
        for experiment, path in zip(experiments, checkpoints or [None] * len(experiments), strict=True):
            model, tensorizer, calibration = load_model(experiment, path, given=given)
            models.append(model)
            calibrations.append(calibration)
            encoder = experiment.context.encoder if experiment.context else None
            kind = experiment.embeddings, tensorizer.characters.characters, encoder
            tensorizers.append(distinct.setdefault(kind, tensorizer))
        calibration = Calibration.mean(calibrations)
        return cls(
            Ensemble(models), EnsembleTensorizer(tensorizers), max_memory, calibration, min_probability
        )

    def prepare(self, details: bool = False) -> None:
        """Makes the graph that the first prediction would have to wait for."""
        (self._find_everything if details else self._find_best).get_concrete_function()

    def predict(self, document: Document, details: bool = False) -> Prediction:
        """The clusters of one document; with `details` everything else that was computed, too."""
        words_per_block, _ = self._plan(document)
        return self._resolve(document, self.tensorizer.tensorize(document), words_per_block, details)

    def predict_all(self, documents: Iterable[Document], details: bool = False) -> Iterator[Prediction]:
        """The predictions of many documents, in their order.

        Short documents don't keep all cores busy, so that several of them are in flight at a time; a long one is
        alone, so that the memory needed is that of the longest document.
        """
        cores = self.cores
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
        if not isinstance(document, Document):
            raise CorefError(
                "predict takes a Document, which document_from_text(text, name) makes of a text."
                f" Received: {document!r:.80}"
            )
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
        find = self._find_function(document, details)
        inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        found = tf.nest.map_structure(
            lambda tensor: tensor.numpy(), find(inputs, tf.constant(words_per_block))
        )
        output, best = found if details else (None, found)
        spans, antecedents, scores, links, places = best
        starts, ends, mention_scores = spans
        # That a span is in no cluster: of one that lost its link, that it isn't in the one it was linked to.
        alone = np.where(antecedents < 0, places, 1 - places)
        antecedents = confident(antecedents, places, self.min_probability)
        linked = antecedents >= 0
        clusters, places = clusters_of(starts, ends, antecedents), place_probabilities(antecedents, places)
        if self.singleton_score is not None:
            single = are_singletons(antecedents, mention_scores, self.singleton_score)
            clusters += [[span] for span in zip(starts[single].tolist(), ends[single].tolist(), strict=True)]
            clusters, places = sorted(clusters), np.where(single, alone, places)
        return Prediction(
            document,
            clusters,
            list(zip(starts.tolist(), ends.tolist(), strict=True)),
            mention_scores,
            antecedents,
            np.where(linked, scores, 0).astype(scores.dtype),
            output,
            np.where(linked, links, 0).astype(links.dtype),
            places,
            self.calibration,
            self.min_probability,
            self.singleton_score,
        )

    def _find_function(self, document: Document, details: bool) -> Callable[..., Any]:
        """What finds the spans and antecedents: a graph, unless it would be made for one short document."""
        first, self._is_first = self._is_first, False
        if first and document.num_words <= WORDS_WITHOUT_GRAPH:
            return self._everything if details else self._best
        return self._find_everything if details else self._find_best

    def _everything(self, inputs, words_per_block):
        """The CorefOutput, and what `_best` takes from it."""
        output = self.model(inputs, words_per_block=words_per_block)
        columns, antecedents = output.antecedents.best()
        scores = tf.gather(output.antecedents.scores, columns, batch_dims=1)
        probabilities = Probabilities.of(output.antecedents, *self.calibration)
        spans = output.top_span_starts, output.top_span_ends, output.top_span_mention_scores
        return output, (spans, antecedents, scores, *probabilities)

    def _best(self, inputs, words_per_block):
        """The kept spans' starts, ends and s_m; the best antecedent of each, -1 for the dummy; s(i, j) and P of it;
        P of its place.
        """
        return self._everything(inputs, words_per_block)[1]


def load_model(
    experiment: Experiment,
    path: str | os.PathLike | None = None,
    backend: str = "custom",
    given: Callable[[Document], list[tuple[int, int]]] | None = None,
) -> tuple[CorefModel, Tensorizer, Calibration]:
    """The model of the checkpoint `path`, by default the experiment's best, what makes its inputs, and probabilities of
    its scores. Mentions that are given take the place of those that it finds, whatever it was trained with.
    """
    path = path or model_path(experiment)
    checkpoint = read_checkpoint(path)
    check_settings(checkpoint, experiment, path)
    calibration = Calibration.of(checkpoint, path)
    characters = CharacterVocabulary(checkpoint.characters)
    if given:
        experiment = dataclasses.replace(experiment, mentions=GIVEN)
    with no_more_variables_than(checkpoint, path):
        model = CorefModel(experiment, len(characters), backend)
    check_encoder(model, checkpoint, path)
    assign_variables(model.own_variables, checkpoint, path)
    return model, Tensorizer.of(experiment, characters, given), calibration
