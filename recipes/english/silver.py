"""Selects, of the documents that a model has annotated, those that it is sure of, to train another model on."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from coref_tf.documents.document import Document
from coref_tf.scoring import score
from coref_tf.support.errors import CorefError

CLUSTERS, PROBABILITIES = "predicted_clusters", "predicted_probabilities"


@dataclasses.dataclass(frozen=True)
class Silver:
    """Selects documents.

    A document without predicted clusters is never selected: it may have none, or the model may have missed them.

    Args:
        min_probability: how sure the model has to be of a document: the mean over its mentions of the probability of
            their places.
        min_agreement: how well another model has to agree, as a CoNLL F1 from 0 to 1.

    Example:
        Silver(min_probability=0.8)(read_documents("predicted.jsonlines"))
    """

    min_probability: float = 0.0
    min_agreement: float = 0.0

    def __call__(
        self, documents: Iterable[Document], other: Mapping[str, Document] | None = None
    ) -> Iterator[Document]:
        """Yields the selected documents, with the predicted clusters in place of their own.

        Args:
            documents: with predictions, as `coref predict` writes them to jsonlines.
            other: the same documents by their keys, with the predictions of another model.
        """
        for document in documents:
            clusters = _predicted(document, CLUSTERS)
            sure = list(itertools.chain.from_iterable(_predicted(document, PROBABILITIES)))
            if not sure or sum(sure) / len(sure) < self.min_probability:
                continue
            if other is not None and agreement(clusters, _found(other, document)) < self.min_agreement:
                continue
            rest = {
                name: value for name, value in document.extra.items() if not name.startswith("predicted_")
            }
            yield dataclasses.replace(document, extra=rest, clusters=clusters)


def agreement(clusters: Sequence, others: Sequence) -> float:
    """The CoNLL F1 of clusters against others of the same document."""
    mentions = [[[tuple(span) for span in cluster] for cluster in each] for each in (clusters, others)]
    return score(*mentions).average_f1


def _found(others: Mapping[str, Document], document: Document) -> Sequence:
    if document.key not in others:
        raise CorefError(
            f"{document.key}: not among the documents of the other model; expected the same ones"
        )
    return _predicted(others[document.key], CLUSTERS)


def _predicted(document: Document, name: str) -> Sequence[Any]:
    if name not in document.extra:
        raise CorefError(
            f"{document.key}: has no {name}; expected what `coref predict -o PREDICTED.jsonlines` writes"
        )
    return document.extra[name]
