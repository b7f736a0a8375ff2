"""Words without a vector, and a warning where they are most of a document."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from coref_tf.documents.document import Document

Known = Callable[[Sequence[str]], np.ndarray]  # whether each word has a vector, bool [words]
MOST = 0.5
SHOWN = 3  # documents that are named before the others are only counted


def unknown_share(documents: Iterable[Document], known: Known) -> float:
    """The share of the documents' words that have no vector."""
    counts = Counter(word for document in documents for word in document.words)
    return _share(counts, known)


def mostly_unknown(document: Document, known: Known) -> str | None:
    """The warning for a document most of whose words have no vector; None for any other.

    Only words with a letter count: punctuation and figures are the same in many languages.
    """
    share = _share(Counter(filter(_has_letter, document.words)), known)
    if share <= MOST:
        return None
    return (
        f"document {document.key}: {100 * share:.0f} % of its words are unknown to the model, as in a text of"
        " another language; expect little of its clusters"
    )


class UnknownWords:
    """Warns of such documents on stderr: names the first few, and counts the others in the end.

    Example:
        unknown = UnknownWords(predictor.tensorizer.known)
        for prediction in predictor.predict_all(documents):
            unknown.see(prediction.document)
        unknown.close()
    """

    def __init__(self, known: Known):
        self._known, self._seen = known, 0

    def see(self, document: Document) -> None:
        """Looks at one document."""
        warning = mostly_unknown(document, self._known)
        if warning:
            self._seen += 1
            if self._seen <= SHOWN:
                print(f"warning: {warning}", file=sys.stderr)

    def close(self) -> None:
        """Says how many documents were not named."""
        if self._seen > SHOWN:
            print(
                f"warning: most words of {self._seen - SHOWN:,} more documents are unknown to the model",
                file=sys.stderr,
            )


def _share(counts: Counter[str], known: Known) -> float:
    words, times = list(counts), np.array(list(counts.values()))
    return float(times[~known(words)].sum() / times.sum()) if words else 0.0


def _has_letter(word: str) -> bool:
    return any(character.isalpha() for character in word)
