"""Selects the documents that a model annotated with high probability, to train another model on."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError

CLUSTERS, PROBABILITIES = "predicted_clusters", "predicted_probabilities"


def select_silver(documents: Iterable[Document], min_probability: float = 0.0) -> Iterator[Document]:
    """Yields the selected documents, with the predicted clusters in place of their own.

    Documents without predicted clusters are never selected: they may have none, or the model may have missed them.

    Args:
        documents: documents with predictions, as `coref predict` writes them to jsonlines.
        min_probability: the minimum mean place probability of the mentions of a document.

    Example:
        select_silver(read_documents("predicted.jsonlines"), min_probability=0.8)
    """
    for document in documents:
        clusters = _predicted(document, CLUSTERS)
        probabilities = list(itertools.chain.from_iterable(_predicted(document, PROBABILITIES)))
        if probabilities and sum(probabilities) / len(probabilities) >= min_probability:
            extra = {
                name: value for name, value in document.extra.items() if not name.startswith("predicted_")
            }
            yield dataclasses.replace(document, extra=extra, clusters=clusters)


def _predicted(document: Document, name: str) -> Sequence[Any]:
    if name not in document.extra:
        raise CorefError(
            f"{document.key}: has no {name}; expected what `coref predict -o PREDICTED.jsonlines` writes"
        )
    return document.extra[name]
