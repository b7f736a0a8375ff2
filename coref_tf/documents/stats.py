"""Statistics of documents."""

import dataclasses
from collections import Counter
from collections.abc import Iterable

from coref_tf.documents.document import Document

WIDE = 10  # the paper's model has no spans of more words than this


@dataclasses.dataclass
class Stats:
    """The statistics of a set of documents, as in section 7 of the paper."""

    documents: int = 0
    words: int = 0
    mentions: int = 0
    clusters: int = 0
    singletons: int = 0
    # The number of mentions by their number of words.
    widths: Counter[int] = dataclasses.field(default_factory=Counter)
    longest_words: int = 0
    longest_key: str = ""

    @property
    def wide_mentions(self) -> int:
        """The number of mentions with more than WIDE words."""
        return sum(count for width, count in self.widths.items() if width > WIDE)

    def summary(self) -> str:
        """Returns a short summary, such as "12 documents, 3,401 words, 210 clusters"."""
        counts = {"document": self.documents, "word": self.words, "cluster": self.clusters}
        return ", ".join(f"{number:,} {noun}{'' if number == 1 else 's'}" for noun, number in counts.items())

    def __str__(self) -> str:
        mean = self.words / max(self.documents, 1)
        wide = 100 * self.wide_mentions / max(self.mentions, 1)
        rows = [
            ("documents", f"{self.documents:,}"),
            ("words", f"{self.words:,}"),
            ("words per document", f"{mean:,.0f}"),
            ("longest document", f"{self.longest_words:,} words ({self.longest_key})"),
            ("mentions", f"{self.mentions:,}"),
            ("clusters", f"{self.clusters:,}"),
            ("singletons", f"{self.singletons:,}"),
            (f"mentions wider than {WIDE}", f"{wide:.1f}% (up to {WIDE} words: {100 - wide:.1f}%)"),
            ("widest mention", f"{max(self.widths, default=0):,} words"),
            *((f"  mentions of {name}", f"{share:.1f}%") for name, share in self._width_shares()),
        ]
        return "\n".join(f"{name:<24}{value}" for name, value in rows)

    def _width_shares(self) -> list[tuple[str, float]]:
        """Returns the percentage of mentions of each width up to WIDE."""
        if not self.mentions:
            return []
        return [
            (f"{width} word{'s' if width > 1 else ''}", 100 * self.widths[width] / self.mentions)
            for width in range(1, WIDE + 1)
        ]


def count(documents: Iterable[Document]) -> Stats:
    """Returns the statistics of documents; accepts a stream."""
    stats = Stats()
    for document in documents:
        stats.documents += 1
        stats.words += document.num_words
        stats.clusters += len(document.clusters)
        for cluster in document.clusters:
            stats.mentions += len(cluster)
            stats.singletons += len(cluster) == 1
            stats.widths.update(end - start + 1 for start, end in cluster)
        if document.num_words > stats.longest_words:
            stats.longest_words, stats.longest_key = document.num_words, document.key
    return stats
