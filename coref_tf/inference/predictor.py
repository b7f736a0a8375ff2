"""Predicts the clusters of documents with a trained model."""

import collections
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.features.tensorize import CorefInputs, Tensorizer
from coref_tf.inference import memory
from coref_tf.inference.ensemble import Ensemble, EnsembleTensorizer, check_experiments
from coref_tf.inference.prediction import Prediction, SpanDecisions
from coref_tf.layers.probabilities import Probabilities
from coref_tf.model import CorefModel, CorefOutput
from coref_tf.models.calibration import AS_THEY_ARE, Calibration, check_probability
from coref_tf.models.trained_model import GivenMentions, TrainedModel, singleton_score
from coref_tf.ops.library import custom_ops
from coref_tf.quotations.linking import link_first_person
from coref_tf.support.errors import CorefError
from coref_tf.support.startup import check_process

# How many words are processed in parallel per core if there are several documents.
WORDS_IN_FLIGHT = 2048

# The first documents, up to this number and this many words in total, run eagerly, with the same results up to
# rounding, before the graph is traced. Tracing takes as long as the graph saves on them, and about 70 MB.
DOCUMENTS_WITHOUT_GRAPH = 8
WORDS_WITHOUT_GRAPH = 4000


class _Running(NamedTuple):
    """A prediction in progress."""

    future: Future
    words: int
    needed: int  # bytes


class Predictor:
    """Predicts the clusters of documents with a trained model.

    Args:
        model: The model, or an ensemble.
        tensorizer: The tensorizer that creates its inputs.
        max_memory: The memory limit of the process in bytes, or None.
        calibration: The calibration of the probabilities.
        min_probability: Links of mentions with a lower place probability are removed before decoding.
        singleton_score: The minimum mention score of a singleton, or None for no singletons.
        quotation_links: Whether to put "I" in a quotation into the cluster of its speaker.

    Example:
        predictor = Predictor.from_models([open_trained_model("english")])
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
        quotation_links: bool = False,
    ):
        self.model = model
        self.tensorizer = tensorizer
        self.max_memory = max_memory
        self.calibration = calibration
        self.min_probability = check_probability(min_probability)
        self.singleton_score = singleton_score
        self.quotation_links = quotation_links
        self._process = os.getpid()
        self._tracing = threading.Lock()
        self.cores = len(os.sched_getaffinity(0))  # the number of cores for `predict_all`
        signature = [tensorizer.specs, tf.TensorSpec([], tf.int32)]
        # Nothing in the model needs AutoGraph, whose conversion would take longer than the rest of the startup.
        self._everything_as_graph = tf.function(self._everything, input_signature=signature, autograph=False)
        self._decide_as_graph = tf.function(self._decide, input_signature=signature, autograph=False)
        self._documents_without_graph = DOCUMENTS_WITHOUT_GRAPH
        self._words_without_graph = WORDS_WITHOUT_GRAPH
        self._is_tracing = False
        self._own_bytes = memory.resident_bytes() + memory.GRAPH_BYTES

    @classmethod
    def from_models(
        cls,
        models: Sequence[TrainedModel],
        max_memory: int | None = None,
        min_probability: float = 0.0,
        given: GivenMentions | None = None,
        singletons: bool = False,
    ) -> "Predictor":
        """Builds a trained model, or an ensemble of several.

        Args:
            models: The results of `open_model`.
            max_memory: The memory limit of the process in bytes, or None.
            min_probability: Links of mentions with a lower place probability are removed.
            given: A function that returns the mentions of a document, ordered, to use instead of the model's own.
            singletons: Whether to predict singletons, with the fitted minimum score.
        """
        custom_ops()  # fails early if the op library is missing or stale
        check_probability(min_probability)
        check_experiments([model.settings for model in models])
        alone = singleton_score(models) if singletons else None
        if given:
            models = [model.with_given_mentions() for model in models]
        built = [model.build() for model in models]
        tensorizers = _shared_tensorizers(models, given)
        links = models[0].settings.quotation_links
        if len(models) == 1:
            return cls(
                built[0], tensorizers[0], max_memory, models[0].calibration, min_probability, alone, links
            )
        calibration = Calibration.mean([model.calibration for model in models])
        together = Ensemble(built), EnsembleTensorizer(tensorizers)
        return cls(*together, max_memory, calibration, min_probability, quotation_links=links)

    def trace(self, document: Document, details: bool = False) -> None:
        """Traces the graph and runs it on a document, because TensorFlow optimizes it only then.

        This takes seconds, during which documents in other threads run eagerly, unless they are very long.
        """
        compute = self._everything_as_graph if details else self._decide_as_graph
        inputs = tf.nest.map_structure(tf.convert_to_tensor, self.tensorizer.tensorize(document))
        self._is_tracing = True
        try:
            compute(inputs, tf.constant(self._plan(document)[0]))
        finally:
            self._documents_without_graph, self._is_tracing = 0, False

    def predict(self, document: Document, details: bool = False) -> Prediction:
        """Predicts the clusters of one document; with `details`, includes the full output of the model."""
        words_per_block, _ = self._plan(document)
        return self._resolve(document, self.tensorizer.tensorize(document), words_per_block, details)

    def predict_all(self, documents: Iterable[Document], details: bool = False) -> Iterator[Prediction]:
        """Yields the predictions for many documents, in order.

        Short documents do not keep all cores busy, so several of them are processed in parallel. A long document is
        processed alone, so that the memory needed is that of the longest document.
        """
        cores = self.cores
        running: collections.deque[_Running] = collections.deque()

        def has_room(document: Document, needed: int) -> bool:
            words = document.num_words + sum(other.words for other in running)
            return words <= cores * WORDS_IN_FLIGHT and self._fits(needed + sum(o.needed for o in running))

        planned = _Planned(documents, self._plan)
        with ThreadPoolExecutor(cores) as threads:
            for document, words_per_block, needed in planned:
                while running and not has_room(document, needed):
                    yield running.popleft().future.result()
                inputs = self.tensorizer.tensorize(document)
                future = threads.submit(self._resolve, document, inputs, words_per_block, details)
                running.append(_Running(future, document.num_words, needed))
            while running:
                yield running.popleft().future.result()
        planned.raise_failure()

    def _plan(self, document: Document) -> tuple[int, int]:
        """Returns how many words to process at a time, and the memory needed; raises an error if it cannot fit."""
        check_process(self._process)
        if not isinstance(document, Document):
            raise CorefError(
                "predict takes a Document; use document_from_text(text, name) to create one from a text."
                f" Received: {document!r:.80}"
            )
        for words_per_block in memory.BLOCKS:
            needed = sum(
                memory.document_bytes(model, document.num_words, words_per_block)
                for model in self.model.models
            )
            if self._fits(needed):
                return words_per_block, needed
        total, limit = memory.format_size(self._own_bytes + needed), memory.format_size(self.max_memory or 0)
        raise CorefError(
            f"document {document.key}: its {document.num_words:,} words may need {total} of memory, more than the"
            f" {limit} allowed; raise the limit, or split the document"
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
        compute = self._computation(document, details)
        inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
        found = tf.nest.map_structure(
            lambda tensor: tensor.numpy(), compute(inputs, tf.constant(words_per_block))
        )
        output, decisions = found if details else (None, found)
        prediction = Prediction.from_decisions(
            document,
            decisions,
            output=output,
            calibration=self.calibration,
            min_probability=self.min_probability,
            singleton_score=self.singleton_score,
        )
        if not self.quotation_links:
            return prediction
        linked = link_first_person(document, prediction.clusters, prediction.top_spans)
        return prediction.with_clusters(linked)

    def _computation(self, document: Document, details: bool) -> Callable[..., Any]:
        """Runs the model eagerly for the first few documents, and as a graph after that."""
        is_early = self._documents_without_graph > 0 and document.num_words <= self._words_without_graph
        if is_early or (self._is_tracing and document.num_words <= WORDS_WITHOUT_GRAPH):
            self._documents_without_graph -= 1
            self._words_without_graph -= document.num_words
            return self._everything if details else self._decide
        self._documents_without_graph = 0
        graph = self._everything_as_graph if details else self._decide_as_graph
        with self._tracing:
            # Traced by one thread, before it is called: TensorFlow warns if several predictors trace concurrently.
            graph.get_concrete_function()
        return graph

    def _everything(
        self, inputs: CorefInputs | tuple[CorefInputs, ...], words_per_block: tf.Tensor
    ) -> tuple[CorefOutput, SpanDecisions]:
        """Returns the output of the model, and the decisions for the spans that it kept."""
        output = self.model(inputs, words_per_block=words_per_block)
        columns, antecedents = output.antecedents.best()
        probabilities = Probabilities.from_scores(output.antecedents, *self.calibration)
        decisions = SpanDecisions(
            starts=output.top_span_starts,
            ends=output.top_span_ends,
            mention_scores=output.top_span_mention_scores,
            antecedents=antecedents,
            antecedent_scores=tf.gather(output.antecedents.scores, columns, batch_dims=1),
            link_probabilities=probabilities.links,
            place_probabilities=probabilities.places,
        )
        return output, decisions

    def _decide(
        self, inputs: CorefInputs | tuple[CorefInputs, ...], words_per_block: tf.Tensor
    ) -> SpanDecisions:
        """Returns only the decisions, so that nothing else is kept in memory."""
        return self._everything(inputs, words_per_block)[1]


class _Planned:
    """Documents with their plans, up to the first that cannot be read or planned.

    `raise_failure` raises the error of that document, after the predictions for those before it have been yielded.
    """

    def __init__(self, documents: Iterable[Document], plan: Callable[[Document], tuple[int, int]]):
        self._documents, self._plan = iter(documents), plan
        self._failure: Exception | None = None

    def __iter__(self) -> Iterator[tuple[Document, int, int]]:
        while True:
            try:
                document = next(self._documents)
                planned = self._plan(document)
            except StopIteration:
                return
            except Exception as error:  # raised by `raise_failure`
                self._failure = error
                return
            yield document, *planned

    def raise_failure(self) -> None:
        """Raises the error that ended the iteration early, if there was one."""
        if self._failure:
            raise self._failure


def _shared_tensorizers(models: Sequence[TrainedModel], given: GivenMentions | None) -> list[Tensorizer]:
    """Returns the tensorizer of each model; models with the same word vectors, characters and encoder share one."""
    distinct: dict[tuple, Tensorizer] = {}
    tensorizers = []
    for model in models:
        encoder = model.settings.context.encoder if model.settings.context else None
        kind = model.settings.embeddings, model.characters.characters, encoder
        if kind not in distinct:
            distinct[kind] = model.tensorizer(given)
        tensorizers.append(distinct[kind])
    return tensorizers
