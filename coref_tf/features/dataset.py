"""The training input: documents in a random order, cut to size, as tf.data."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.features.tensorize import CorefInputs, Tensorizer, input_specs


def window(document: Document, first: int, count: int) -> Document:
    """The `count` sentences of `document` from sentence `first` on; mentions outside of them are dropped."""
    sentences = document.sentences[first : first + count]
    begin = sum(map(len, document.sentences[:first]))
    end = begin + sum(map(len, sentences))
    clusters = [
        [(start - begin, last - begin) for start, last in cluster if begin <= start and last < end]
        for cluster in document.clusters
    ]
    return Document(
        document.doc_key,
        sentences,
        document.speakers[first : first + count],
        [cluster for cluster in clusters if cluster],
        document.part,
        document.key,
    )


@dataclasses.dataclass(frozen=True)
class TrainingDocuments:
    """The training documents, epoch after epoch, reproducibly.

    Each epoch is a new permutation; a document of more than `max_sentences` sentences becomes a random window
    of so many. Order, windows and dropout depend on the seed and the document's number, counted over all epochs,
    alone, so that a run can go on anywhere.

    Args:
        documents: the corpus.
        tensorizer: turns them into tensors.
        max_sentences: of a document in training.
        seed: of order and windows.

    Example:
        dataset = TrainingDocuments(documents, tensorizer, 50, seed=0).dataset(first=lambda: 0)
    """

    documents: Sequence[Document]
    tensorizer: Tensorizer
    max_sentences: int
    seed: int

    def epoch(self, first: int = 0) -> Iterator[CorefInputs]:
        """Document number `first`, counted over all epochs, and the rest of its epoch."""
        epoch, place = divmod(first, len(self.documents))
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
        for number, chosen in enumerate(order[place:], start=first):
            inputs = self.tensorizer.tensorize(self._cut(int(chosen), epoch))
            yield inputs._replace(seed=np.array([self.seed, number], np.int32))

    def _cut(self, number: int, epoch: int) -> Document:
        document = self.documents[number]
        spare = len(document.sentences) - self.max_sentences
        if spare <= 0:
            return document
        first = np.random.default_rng([self.seed, epoch, number]).integers(spare + 1)
        return window(document, int(first), self.max_sentences)

    def dataset(self, first: Callable[[], int]) -> tf.data.Dataset:
        """The rest of an epoch as tf.data, prepared in the background; `first` is asked whenever it is begun."""
        specs = input_specs(self.tensorizer.vector_size)
        dataset = tf.data.Dataset.from_generator(lambda: self.epoch(first()), output_signature=specs)
        return dataset.prefetch(8)
