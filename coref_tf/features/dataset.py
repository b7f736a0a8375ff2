"""The training input: documents in a random order, cut to size, as tf.data."""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.documents.selection import window
from coref_tf.features.tensorize import CorefInputs, Tensorizer


@dataclasses.dataclass(frozen=True)
class TrainingDocuments:
    """The training documents, epoch after epoch, reproducibly.

    Each epoch is a new permutation; a document of more than `max_sentences` sentences becomes a random window
    of so many. Order, windows and dropout depend on the seed and the step alone, so that a run can go on anywhere.

    Args:
        documents: the corpus.
        tensorizer: turns them into tensors.
        max_sentences: of a document in training.
        seed: of order, windows and dropout.
        replicas: documents that one step of training reads.

    Example:
        dataset = TrainingDocuments(documents, tensorizer, 50, seed=0).dataset(step=0)
    """

    documents: Sequence[Document]
    tensorizer: Tensorizer
    max_sentences: int
    seed: int
    replicas: int = 1

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which every document is read once; those too few for a last step are left out."""
        return len(self.documents) // self.replicas

    def stream(self, step: int = 0) -> Iterator[CorefInputs]:
        """The documents of that step and, without end, of all later ones."""
        while True:
            epoch, place = divmod(step, self.steps_per_epoch)
            order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
            for index in range(place * self.replicas, self.steps_per_epoch * self.replicas):
                inputs = self._inputs(int(order[index]), epoch)
                yield inputs._replace(seed=np.array([self.seed, epoch * len(order) + index], np.int32))
            step = (epoch + 1) * self.steps_per_epoch

    def keys(self, step: int) -> list[str]:
        """The documents that a step reads, by their keys."""
        epoch, place = divmod(step, self.steps_per_epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
        return [
            self.documents[number].key for number in order[place * self.replicas :][: self.replicas].tolist()
        ]

    def _inputs(self, number: int, epoch: int) -> CorefInputs:
        """The document of that number, cut to size."""
        document = self.documents[number]
        spare = len(document.sentences) - self.max_sentences
        if spare <= 0:
            return self.tensorizer.tensorize(document)
        first = int(np.random.default_rng([self.seed, epoch, number]).integers(spare + 1))
        first_word = sum(map(len, document.sentences[:first]))
        return self.tensorizer.tensorize(window(document, first, self.max_sentences), document, first_word)

    def dataset(self, step: int = 0) -> tf.data.Dataset:
        """The stream as tf.data, prepared in the background."""
        specs = self.tensorizer.specs
        dataset = tf.data.Dataset.from_generator(lambda: self.stream(step), output_signature=specs)
        return dataset.prefetch(8)
