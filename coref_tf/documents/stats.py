"""Counts what documents hold."""

import dataclasses
from collections.abc import Iterable

from coref_tf.documents.document import Document

WIDE = 10  # mentions of more words than this are never spans of the paper's model


@dataclasses.dataclass
class Stats:
    """How much there is in a set of documents."""

    documents: int = 0
    words: int = 0
    mentions: int = 0
    clusters: int = 0
    singletons: int = 0
    wide_mentions: int = 0
    longest_words: int = 0
    longest_key: str = ""

    def __str__(self):
        share = 100 * self.wide_mentions / self.mentions if self.mentions else 0.0
        rows = [
            ("documents", f"{self.documents:,}"),
            ("words", f"{self.words:,}"),
            ("mentions", f"{self.mentions:,}"),
            ("clusters", f"{self.clusters:,}"),
            ("singletons", f"{self.singletons:,}"),
            (f"mentions wider than {WIDE}", f"{share:.1f} %"),
            ("longest document", f"{self.longest_words:,} words ({self.longest_key})"),
        ]
        return "\n".join(f"{name:<24}{value}" for name, value in rows)


def count(documents: Iterable[Document]) -> Stats:
    """Counts over documents as they stream by."""
    stats = Stats()
    for document in documents:
        stats.documents += 1
        stats.words += document.num_words
        stats.clusters += len(document.clusters)
        for cluster in document.clusters:
            stats.mentions += len(cluster)
            stats.singletons += len(cluster) == 1
            stats.wide_mentions += sum(end - start >= WIDE for start, end in cluster)
        if document.num_words > stats.longest_words:
            stats.longest_words, stats.longest_key = document.num_words, document.key
    return stats
