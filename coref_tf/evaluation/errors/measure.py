"""Counts the errors of a model over a corpus, and measures how much F1 each kind costs."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from coref_tf.documents.document import Document
from coref_tf.evaluation.errors.corrections import (
    ERROR_KINDS,
    Clusters,
    Correction,
    Error,
    correct,
    distinct,
)
from coref_tf.evaluation.errors.mention_kinds import KINDS, MentionKinds
from coref_tf.scoring import Scorer

METRICS = ("muc", "bcub", "ceafe")


class DocumentErrors:
    """The errors in one document."""

    def __init__(self, document: Document, predicted: Clusters, remove_singletons: bool = False):
        self.document = document
        self.gold = distinct(document, remove_singletons)
        self.correction: Correction = correct(self.gold, predicted, MentionKinds(document))

    @property
    def predicted(self) -> Clusters:
        """The predicted clusters."""
        return self.correction.steps[0]

    @property
    def errors(self) -> list[Error]:
        """All errors, in the order of correction."""
        return self.correction.errors

    @cached_property
    def f1(self) -> float:
        """The average F1 of this document."""
        return _average_f1([self], 0)


class ErrorCounts:
    """The errors in a corpus.

    Example:
        counts = ErrorCounts(DocumentErrors(p.document, p.clusters) for p in predictor.predict_all(documents))
        counts.f1(), counts.f1(len(ERROR_KINDS))         # as predicted; 1.0
    """

    def __init__(self, documents: Iterable[DocumentErrors]):
        self.documents = list(documents)
        self._f1: dict[int, float] = {}
        self.by_kind = Counter(
            (error.kind, error.mention_kind) for document in self.documents for error in document.errors
        )

    def f1(self, corrected: int = 0) -> float:
        """Returns the average F1 after correcting the first `corrected` kinds of ERROR_KINDS; 1 with all of them."""
        if corrected not in self._f1:
            self._f1[corrected] = _average_f1(self.documents, corrected)
        return self._f1[corrected]

    def count(self, kind: str, mention_kind: str | None = None) -> int:
        """Counts the errors of one kind, for all mentions or for one kind of mention."""
        kinds = KINDS if mention_kind is None else [mention_kind]
        return sum(self.by_kind[kind, of_mention] for of_mention in kinds)

    def gain(self, kind: str) -> float:
        """Returns the increase in F1 from correcting one kind of error, after all kinds before it."""
        number = ERROR_KINDS.index(kind)
        return self.f1(number + 1) - self.f1(number)

    def per_genre(self) -> dict[str, "ErrorCounts"]:
        """Returns the errors by genre."""
        genres: dict[str, list[DocumentErrors]] = {}
        for document in self.documents:
            genres.setdefault(document.document.genre, []).append(document)
        return {genre or "no genre": ErrorCounts(genres[genre]) for genre in sorted(genres)}

    def worst(self, most: int) -> list[DocumentErrors]:
        """Returns the documents with the lowest F1, worst first; ties are broken by the number of errors."""
        wrong = [document for document in self.documents if document.errors]
        return sorted(wrong, key=lambda document: (document.f1, -len(document.errors)))[:most]

    def as_dict(self) -> dict[str, Any]:
        """Returns all results as JSON values."""
        kinds = {
            kind: {"count": self.count(kind), "gain": self.gain(kind), "f1_after": self.f1(number + 1)}
            | {of_mention: self.count(kind, of_mention) for of_mention in KINDS}
            for number, kind in enumerate(ERROR_KINDS)
        }
        return {"average_f1": self.f1(), "errors": kinds}

    def as_dict_by_genre(self) -> dict[str, Any]:
        """Returns all results, overall and by genre, as JSON values."""
        return self.as_dict() | {"genres": {genre: own.as_dict() for genre, own in self.per_genre().items()}}


def _average_f1(documents: Iterable[DocumentErrors], step: int) -> float:
    scorer = Scorer(METRICS)
    scorer.add_all((None, of.gold, of.correction.steps[step]) for of in documents)
    return scorer.result().conll_f1
