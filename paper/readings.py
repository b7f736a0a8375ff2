"""Shared by the paper's figures: a trained model, the documents, and the model's scores for them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coref_tf.config import Experiment, describe
from coref_tf.documents import Document, read_documents
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError
from coref_tf.syntax.tree import document_trees

if TYPE_CHECKING:
    from coref_tf.features.tensorize import CorefInputs
    from coref_tf.inference.predictor import Predictor


class Reading(NamedTuple):
    """The model's scores for a document, before pruning."""

    document: Document
    starts: np.ndarray  # int32 [candidates]
    ends: np.ndarray  # int32 [candidates]
    mention_scores: np.ndarray  # float32 [candidates], s_m
    head_scores: np.ndarray  # float32 [words], alpha


class Setup(NamedTuple):
    """A trained model and the documents of a figure."""

    experiment: Experiment
    corpus: Path
    documents: list[Document]
    predictor: "Predictor"

    @property
    def title(self) -> str:
        """The names of the model and the corpus."""
        return f"{self.experiment.name} on {self.corpus.name}"


def set_up(model: TrainedModel, data: str | None = None, needs_parses: bool = False) -> Setup:
    """Reads the documents, by default the dev set, checks their parses if needed, and creates a Predictor."""
    experiment = model.settings
    if experiment.mentions != "learned":
        raise CorefError(
            f"experiment {experiment.name}: its mentions are given ({experiment.mentions}), so nothing is pruned;"
            " expected an experiment with mentions = learned"
        )
    corpus = Path(data) if data else experiment.conll_eval_path
    documents = [document for document in read_documents(corpus) if document.num_words]
    for document in documents if needs_parses else ():
        document_trees(document)
    # Imported only after all arguments have been checked, because TensorFlow takes seconds to import.
    from coref_tf.inference.predictor import Predictor

    print(describe(experiment, corpus), flush=True)
    return Setup(experiment, corpus, documents, Predictor.from_models([model]))


def read_all(predictor: "Predictor", documents: Iterable[Document]) -> Iterator[Reading]:
    """Yields the mention score of every span and the head score of every word, document by document."""
    import tensorflow as tf

    @tf.function(input_signature=[predictor.tensorizer.specs], autograph=False)
    def read(inputs: "CorefInputs") -> tuple["tf.Tensor", ...]:
        words, candidates, mention_scores = predictor.model.read(inputs)
        return *candidates, mention_scores, words.head_scores

    for document in documents:
        tensors = read(predictor.tensorizer.tensorize(document))
        yield Reading(document, *(tensor.numpy() for tensor in tensors))


def keep_spans(reading: Reading, ratio: float) -> list[tuple[int, int]]:
    """Returns the spans that pruning keeps with this lambda."""
    from coref_tf.layers.span_pruner import SpanPruner

    scored = reading.mention_scores, reading.starts, reading.ends
    kept = SpanPruner(ratio)(*scored, reading.document.num_words).numpy()
    return list(zip(reading.starts[kept].tolist(), reading.ends[kept].tolist(), strict=True))


def gold_mentions(document: Document) -> set[tuple[int, int]]:
    """Returns the spans of the gold clusters."""
    return {span for cluster in document.clusters for span in cluster}


def percent(part: float, whole: float) -> float | None:
    """Returns 100 * part / whole; None, which tables leave blank, if the whole is 0."""
    return 100 * part / whole if whole else None
