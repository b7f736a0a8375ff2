"""Selects documents from a corpus, or sentences from a document."""

import dataclasses
from collections.abc import Iterable, Iterator

from coref_tf.documents.document import LAYERS, Document


@dataclasses.dataclass(frozen=True)
class Selection:
    """Selects documents from a corpus, and adapts them to another corpus.

    Args:
        genres: the genres to select; () selects all.
        remove_singletons: whether to remove clusters of one mention, for consistency with a corpus without them.
        genre: a genre to assign to the documents, which tells a model which annotation scheme they follow; None
            keeps theirs.

    Example:
        Selection(genres=("news", "bio"), remove_singletons=True)(read_documents("train.conll"))
    """

    genres: tuple[str, ...] = ()
    remove_singletons: bool = False
    genre: str | None = None

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yields the selected documents."""
        for document in documents:
            if not self.genres or document.genre in self.genres:
                yield self._fitted(document)

    def _fitted(self, document: Document) -> Document:
        if self.remove_singletons:
            document = document.with_clusters(cluster for cluster in document.clusters if len(cluster) > 1)
        if self.genre is not None:
            # The original genre stays in the name, because two documents may differ only in their genre.
            document = dataclasses.replace(document, doc_key=f"{self.genre}/{document.doc_key}", key="")
        return document


def window(document: Document, first: int, count: int) -> Document:
    """Returns `count` sentences, starting with sentence `first`; mentions outside of them are dropped."""
    sentences = document.sentences[first : first + count]
    begin = sum(map(len, document.sentences[:first]))
    end = begin + sum(map(len, sentences))
    clusters = [
        [(start - begin, last - begin) for start, last in cluster if begin <= start and last < end]
        for cluster in document.clusters
    ]
    part = slice(first, first + count)
    layers = {name: getattr(document, name) for name in LAYERS}
    return Document(
        document.doc_key,
        sentences,
        document.speakers[part],
        [cluster for cluster in clusters if cluster],
        document.part,
        document.key,
        **{name: layer and layer[part] for name, layer in layers.items()},
    )
