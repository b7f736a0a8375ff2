"""The documents of a training run."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.config import Experiment
from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError


class Corpora(NamedTuple):
    """The documents that a run is trained and evaluated on.

    Example:
        Corpora.from_experiment(load_experiment("best")).train
    """

    train: Sequence[Document]
    dev: Sequence[Document]  # used to choose the best model and to calibrate it
    # Also evaluated, but without influence on the weights: they show how much a fine-tuned model forgets. The model is
    # calibrated on them as well, because a small dev set may have no errors, and then every probability would be 1.
    reference: Sequence[Document] = ()
    # Whether to evaluate the initial model first; it then stays the best until a better one is found.
    compared: bool = False

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> "Corpora":
        """Reads the files that an experiment names."""
        return cls(read_corpus(*experiment.train_path), read_corpus(experiment.eval_path))


def read_corpus(*paths: str | os.PathLike) -> list[Document]:
    """Reads the documents of some files and skips those without words."""
    documents = [document for path in paths for document in read_documents(path) if document.num_words]
    if not documents:
        raise CorefError(f"{paths[0]}: has no documents with words; expected documents to train on")
    return documents
