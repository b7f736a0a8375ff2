"""What a suite is: documents to be put to a model, and a way to count its answers."""

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.support.table import Table


class Answer(Protocol):
    """What a suite needs of a prediction: `coref_tf.inference.prediction.Prediction`."""

    @property
    def document(self) -> Document:
        """The document."""
        ...

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """Its predicted clusters, inclusive token spans."""
        ...

    @property
    def top_spans(self) -> list[tuple[int, int]]:
        """The spans that pruning kept."""
        ...


class ModelFacts(NamedTuple):
    """What a suite may want to know of the model that answers."""

    max_mention_width: int  # L
    mention_ratio: float  # lambda
    known: Callable[[Sequence[str]], np.ndarray]  # whether each word has a vector, bool [words]


class SuiteResult(NamedTuple):
    """What a suite found out."""

    suite: str  # its name
    title: str  # what it measures, to be read
    source: str  # what was asked
    figures: Mapping[str, Any]  # in JSON's terms
    tables: Sequence[Table]  # the same, to be read
    notes: Sequence[str] = ()  # how to read them
    warnings: Sequence[str] = ()  # what the reader should know before believing them
    files: Mapping[str, str] = {}  # what else is to be written, by name
    page_tables: Sequence[Table] = ()  # what is too long for a terminal and stands on the page alone

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "suite": self.suite,
            "source": self.source,
            "figures": self.figures,
            "warnings": list(self.warnings),
        }


class Suite(abc.ABC):
    """Questions of one kind, read from files. A subclass declared in `registry` is known to `coref evaluate`.

    Example:
        suite = GapSuite("gap-validation.tsv")
        suite.score(list(predictor.predict_all(suite.documents)), facts).figures["all"]["f1"]
    """

    name: str  # on the command line
    title: str  # what it is called elsewhere
    argument: str  # what follows the name and "="
    # the argument where the command line gives none; without it, one has to be given
    default: str | None = None
    summary: str  # what it measures, in a few words

    source: str  # what was read
    documents: list[Document]  # what the model is to resolve

    @abc.abstractmethod
    def __init__(self, argument: str):
        """Reads the files that `argument` names; a mistake in them is a CorefError."""

    @abc.abstractmethod
    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Counts the answers to all documents, which are in their order."""
