"""The documents of a training run."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.config import Experiment
from coref_tf.documents import Document, read_documents
from coref_tf.support.errors import CorefError


class Corpora(NamedTuple):
    """The documents that a run learns from, and those that it is evaluated on.

    Example:
        Corpora.from_experiment(load_experiment("best")).train
    """

    train: Sequence[Document]
    dev: Sequence[Document]  # chooses the best model, and calibrates it
    # Evaluated beside dev without choosing anything: they tell what a fine-tuned model forgets.
    reference: Sequence[Document] = ()
    # Whether the model that the run starts from is evaluated first, and stays the best until another is better.
    compared: bool = False

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> "Corpora":
        """Reads the files that an experiment names."""
        return cls(read_corpus(*experiment.train_path), read_corpus(experiment.eval_path))


def read_corpus(*paths: str | os.PathLike) -> list[Document]:
    """Reads the documents of some files; those without words are left out."""
    documents = [document for path in paths for document in read_documents(path) if document.num_words]
    if not documents:
        raise CorefError(f"{paths[0]}: holds no document with words; expected some to train on")
    return documents
