"""Scores predicted clusters against gold clusters, over any number of documents."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from coref_tf.scoring.coref_scores import CorefScores, repeats_dropped_place
from coref_tf.scoring.metrics import check_metrics, flags_of
from coref_tf.support.errors import CorefError
from coref_tf.support.libraries import algorithms

Clusters = Iterable[Iterable[Hashable]]


class Scorer:
    """Accumulates scores over documents. Mentions may be any hashable objects, such as (start, end) spans.

    The figures are those of the official scorer v8.01: a singleton is a cluster like any other; a mention that only one
    side has matches nothing; numerators and denominators are summed over documents.

    A mention that is repeated in the key counts each time. If the response repeats a key mention, all but the first are
    dropped; a repeated mention that the key lacks counts each time. A response mention in two clusters is an error
    unless `allow_repeated` is set, in which case it is treated like any other repeated mention.

    Args:
        metrics: Some of METRICS; all by default. The others are not computed.
        remove_singletons: Whether to remove clusters of one mention, on both sides.
        allow_repeated: Whether to accept a response with a mention in two clusters.
        threads: The maximum number of threads; by default, as many as are useful. The scores do not depend on it.

    Example:
        scorer = Scorer()
        scorer.add(key=[["Ana", "she"]], response=[["Ana", "she", "it"]], document="nw/harbour")
        scorer.result().muc.f1               # 0.66...
    """

    def __init__(
        self,
        metrics: Iterable[str] | None = None,
        *,
        remove_singletons: bool = False,
        allow_repeated: bool = False,
        threads: int | None = None,
    ):
        self.metrics = check_metrics(metrics)
        self.remove_singletons = remove_singletons
        self.allow_repeated = allow_repeated
        self.threads = threads
        # One entry per document: its name or None, and the figures from the C++ library.
        self.documents: list[str | None] = []
        self.figures: list[tuple[float, ...]] = []
        self._names: set[str] = set()

    @classmethod
    def from_figures(
        cls, documents: Mapping[str, tuple[float, ...]], metrics: Iterable[str] | None = None
    ) -> "Scorer":
        """Creates a scorer from the counts of documents that have been scored before, by name."""
        scorer = cls(metrics)
        scorer._extend(list(documents), list(documents.values()))
        return scorer

    def add(self, key: Clusters, response: Clusters, document: str | None = None) -> None:
        """Scores one document and adds it. Its name, if given, must be new."""
        self.add_all([(document, key, response)])

    def add_all(self, documents: Iterable[tuple[str | None, Clusters, Clusters]]) -> None:
        """Scores documents, given as (name or None, key clusters, response clusters), on several threads."""
        documents = [(name, key, response) for name, key, response in documents]
        names = [name for name, _, _ in documents]
        self._check_new(names)
        if self.remove_singletons:
            documents = [(name, _larger(key), _larger(response)) for name, key, response in documents]
        score_documents, flags = algorithms().score_documents, flags_of(self.metrics)
        try:
            figures = score_documents(documents, flags, self.allow_repeated, self.threads)
        except ValueError as error:
            raise CorefError(str(error)) from None
        self._extend(names, figures)

    def merge(self, other: "Scorer") -> None:
        """Adds the scores of another scorer, as if its documents had been added here."""
        if other.metrics != self.metrics:
            theirs, ours = ", ".join(other.metrics), ", ".join(self.metrics)
            raise CorefError(
                f"scores by {theirs} cannot be merged into scores by {ours}; expected the same metrics"
            )
        self._check_new(other.documents)
        self._extend(other.documents, other.figures)

    def result(self) -> CorefScores:
        """Returns the scores over all documents so far, which do not depend on their order."""
        return self._total(self.figures)

    def per_document(self) -> dict[str, CorefScores]:
        """Returns the scores of each named document."""
        named = zip(self.documents, self.figures, strict=True)
        return {name: self._total([figures]) for name, figures in named if name is not None}

    def per_genre(self) -> dict[str, CorefScores]:
        """Returns the scores of each genre, the part of a document's name before the first "/"."""
        genres: dict[str, list[tuple[float, ...]]] = {}
        for name, figures in zip(self.documents, self.figures, strict=True):
            genre, slash, _ = (name or "").partition("/")
            if slash:
                genres.setdefault(genre, []).append(figures)
        return {genre: self._total(genres[genre]) for genre in sorted(genres)}

    @property
    def repeats_dropped(self) -> int:
        """The number of repeated mentions that were dropped from responses."""
        return sum(int(figures[repeats_dropped_place()]) for figures in self.figures)

    def _total(self, figures: list[tuple[float, ...]]) -> CorefScores:
        # fsum rounds once, at the end, so that the order and grouping of documents do not affect the last digit.
        columns = zip(*figures, strict=True) if figures else [()] * (repeats_dropped_place() + 1)
        return CorefScores.from_figures([math.fsum(column) for column in columns], self.metrics)

    def _extend(self, names: list[str | None], figures: list[tuple[float, ...]]) -> None:
        self.documents += names
        self.figures += figures
        self._names.update(name for name in names if name is not None)

    def _check_new(self, names: list[str | None]) -> None:
        counts = Counter(name for name in names if name is not None)
        for name, count in counts.items():
            if count > 1 or name in self._names:
                raise CorefError(f"document {name} has already been scored; expected each document once")


def score(
    key: Clusters, response: Clusters, metrics: Iterable[str] | None = None, **options: bool
) -> CorefScores:
    """Scores the clusters of one document; `options` are those of `Scorer`.

    Example:
        score(key=[["a", "b", "c"]], response=[["a", "b"], ["c", "d"]]).muc       # MetricScore(1, 2, 1, 2)
    """
    scorer = Scorer(metrics, **options)
    scorer.add(key, response)
    return scorer.result()


def _larger(clusters: Clusters) -> list[list[Hashable]]:
    """Returns the clusters with more than one mention."""
    return [cluster for cluster in map(list, clusters) if len(set(cluster)) > 1]
