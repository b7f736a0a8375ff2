"""The training input: shuffled and truncated documents as tf.data."""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np
import tensorflow as tf

from coref_tf.documents.document import Document
from coref_tf.documents.selection import window
from coref_tf.features.tensorize import CorefInputs, Tensorizer


@dataclasses.dataclass(frozen=True)
class TrainingDocuments:
    """Streams the training documents, epoch after epoch, reproducibly.

    Each epoch is a new permutation, and a document with more than `max_sentences` sentences is truncated to a random
    window of that many. The order, the windows and dropout depend only on the seed and the step, so that a run can
    resume at any step.

    Args:
        documents: the corpus.
        tensorizer: converts documents to tensors.
        max_sentences: the maximum number of sentences of a document in training.
        seed: the seed of the order, the windows and dropout.
        replicas: the number of documents per training step.

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
        """The number of steps in an epoch; documents that do not fill a last step are left out."""
        return len(self.documents) // self.replicas

    def stream(self, step: int = 0) -> Iterator[CorefInputs]:
        """Yields the documents of a step and, indefinitely, of all later steps."""
        while True:
            epoch, place = divmod(step, self.steps_per_epoch)
            order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
            for index in range(place * self.replicas, self.steps_per_epoch * self.replicas):
                inputs = self._inputs(int(order[index]), epoch)
                yield inputs._replace(seed=np.array([self.seed, epoch * len(order) + index], np.int32))
            step = (epoch + 1) * self.steps_per_epoch

    def keys(self, step: int) -> list[str]:
        """Returns the keys of the documents of a step."""
        epoch, place = divmod(step, self.steps_per_epoch)
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
        return [
            self.documents[number].key for number in order[place * self.replicas :][: self.replicas].tolist()
        ]

    def _inputs(self, number: int, epoch: int) -> CorefInputs:
        """Returns the inputs of a document, truncated if necessary."""
        document = self.documents[number]
        spare = len(document.sentences) - self.max_sentences
        if spare <= 0:
            return self.tensorizer.tensorize(document)
        first = int(np.random.default_rng([self.seed, epoch, number]).integers(spare + 1))
        first_word = sum(map(len, document.sentences[:first]))
        return self.tensorizer.tensorize(window(document, first, self.max_sentences), document, first_word)

    def dataset(self, step: int = 0) -> tf.data.Dataset:
        """Returns the stream as tf.data, prefetched in the background."""
        specs = self.tensorizer.specs
        dataset = tf.data.Dataset.from_generator(lambda: self.stream(step), output_signature=specs)
        return dataset.prefetch(8)
