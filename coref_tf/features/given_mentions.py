"""The spans that a model keeps where it doesn't choose them itself (the paper's table 3)."""

from collections.abc import Iterable, Iterator

from coref_tf.documents.document import Document
from coref_tf.support.errors import CorefError
from coref_tf.syntax.mention_detector import detect_mentions

GIVEN = "given"  # how an experiment's mentions are called where a user gives them; no setting of the file


def given_mentions(document: Document, mentions: str) -> list[tuple[int, int]]:
    """The given spans of a document, ordered by (start, end).

    Args:
        document: the document.
        mentions: "learned" gives none; "rules" what the rule-based detector finds, for which the document needs
            parses; "oracle" the mentions of its gold clusters.

    Example:
        given_mentions(document, "oracle")     # [(0, 0), (2, 2)]
    """
    if mentions == "rules":
        try:
            return detect_mentions(document)
        except CorefError as error:
            raise CorefError(f"mentions = rules: {error}") from None
    if mentions == "oracle":
        return sorted({span for cluster in document.clusters for span in cluster})
    return []


def require_mentions(documents: Iterable[Document], mentions: str) -> Iterator[Document]:
    """Passes documents on; one that is to be resolved from its gold mentions and has none is an error."""
    for document in documents:
        if mentions == "oracle" and not document.clusters:
            raise CorefError(
                f"document {document.key} has no gold clusters, and mentions = oracle takes the mentions from them;"
                " expected documents with clusters, or an experiment with mentions = learned"
            )
        yield document
