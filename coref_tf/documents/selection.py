"""Some of a corpus's documents, made to fit among those of others."""

import dataclasses
from collections.abc import Iterable, Iterator

from coref_tf.documents.document import Document


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which documents are taken, and what of them.

    Args:
        genres: only documents of these; () takes all.
        remove_singletons: whether clusters of one mention are left out, as in a corpus that doesn't mark them.
        genre: the genre that the documents get, which tells a model whose rules they follow; None leaves theirs.

    Example:
        Selection(genres=("news", "bio"), remove_singletons=True)(read_documents("train.conll"))
    """

    genres: tuple[str, ...] = ()
    remove_singletons: bool = False
    genre: str | None = None

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, one after another."""
        for document in documents:
            if not self.genres or document.genre in self.genres:
                yield self._fitted(document)

    def _fitted(self, document: Document) -> Document:
        if self.remove_singletons:
            document = document.with_clusters(cluster for cluster in document.clusters if len(cluster) > 1)
        if self.genre is not None:
            # Their own stays in the name: two documents may differ in nothing else.
            document = dataclasses.replace(document, doc_key=f"{self.genre}/{document.doc_key}", key="")
        return document
