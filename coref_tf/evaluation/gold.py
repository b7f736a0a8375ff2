"""What the gold clusters of documents have to do with what a model can be worth there."""

from collections.abc import Iterable

from coref_tf.documents.document import Document
from coref_tf.documents.stats import count


def mostly_singletons(documents: Iterable[Document]) -> str | None:
    """The warning for gold clusters most of which are singletons; None otherwise."""
    stats = count(documents)
    if 2 * stats.singletons <= stats.clusters:
        return None
    share = 100 * stats.singletons / stats.clusters
    return (
        f"{share:.0f} % of the gold clusters are singletons, which the model never predicts: the scores can't be"
        " compared with those of corpora without"
    )
