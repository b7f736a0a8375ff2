"""The interface of a suite: documents for a model, and a way to score its answers."""

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.support.table import Table


class Answer(Protocol):
    """The part of `coref_tf.inference.prediction.Prediction` that a suite uses."""

    @property
    def document(self) -> Document:
        """The document."""
        ...

    @property
    def clusters(self) -> list[list[tuple[int, int]]]:
        """The predicted clusters, as inclusive token spans."""
        ...

    @property
    def top_spans(self) -> list[tuple[int, int]]:
        """The spans that pruning kept."""
        ...


class ModelFacts(NamedTuple):
    """Facts about the model that a suite may need."""

    max_mention_width: int  # L
    mention_ratio: float  # lambda
    known: Callable[[Sequence[str]], np.ndarray]  # whether each word has a vector, bool [words]


class SuiteResult(NamedTuple):
    """The result of a suite."""

    suite: str  # the name of the suite
    title: str  # what it measures, for the reader
    source: str  # the files that were read
    figures: Mapping[str, Any]  # as JSON values
    tables: Sequence[Table]  # the same, for the reader
    notes: Sequence[str] = ()  # explanations of the tables
    warnings: Sequence[str] = ()  # caveats about the figures
    files: Mapping[str, str] = {}  # other files to write, by name
    page_tables: Sequence[Table] = ()  # tables that are too long for a terminal, shown only on the page

    def as_dict(self) -> dict[str, Any]:
        """Returns the result as JSON values."""
        return {
            "suite": self.suite,
            "source": self.source,
            "figures": self.figures,
            "warnings": list(self.warnings),
        }


class Suite(abc.ABC):
    """Test cases of one kind, read from files. `coref evaluate` knows the subclasses declared in `registry`.

    Example:
        suite = GapSuite("gap-validation.tsv")
        suite.score(list(predictor.predict_all(suite.documents)), facts).figures["all"]["f1"]
    """

    name: str  # on the command line
    title: str  # in tables and pages
    argument: str  # what follows the name and "=", for help
    # the argument if the command line has none; without a default, it is required
    default: str | None = None
    summary: str  # what it measures, in a few words

    source: str  # the files that were read
    documents: list[Document]  # the documents for the model

    @abc.abstractmethod
    def __init__(self, argument: str):
        """Reads the files that `argument` names; raises a CorefError if they have a mistake."""

    @abc.abstractmethod
    def score(self, answers: Sequence[Answer], facts: ModelFacts) -> SuiteResult:
        """Counts the answers to all documents, which are in their order."""
