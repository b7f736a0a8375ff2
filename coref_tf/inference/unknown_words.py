"""Finds words without a vector, and warns about documents that consist mostly of such words."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from coref_tf.documents.document import Document
from coref_tf.support.remarks import FirstFew

Known = Callable[[Sequence[str]], np.ndarray]  # whether each word has a vector, bool [words]
MOST = 0.5


def unknown_share(documents: Iterable[Document], known: Known) -> float:
    """Returns the fraction of the documents' words that have no vector."""
    counts = Counter(word for document in documents for word in document.words)
    return _share(counts, known)


def mostly_unknown(document: Document, known: Known) -> str | None:
    """Returns a warning if most words of a document have no vector, otherwise None.

    Only words with a letter count, because punctuation and numbers are the same in many languages.
    """
    share = _share(Counter(filter(_has_letter, document.words)), known)
    if share <= MOST:
        return None
    return (
        f"document {document.key}: {100 * share:.0f}% of its words are unknown to the model, as in a text in"
        " another language; its clusters may be poor"
    )


class UnknownWords:
    """Warns about such documents on stderr: names the first few, and counts the rest at the end.

    Example:
        unknown = UnknownWords(predictor.tensorizer.known)
        for prediction in predictor.predict_all(documents):
            unknown.see(prediction.document)
        unknown.close()
    """

    def __init__(self, known: Known):
        self._known = known
        self._warnings = FirstFew("warning: most words of {} more documents are unknown to the model")

    def see(self, document: Document) -> None:
        """Checks one document."""
        warning = mostly_unknown(document, self._known)
        if warning:
            self._warnings.print(f"warning: {warning}")

    def close(self) -> None:
        """Prints how many more documents there were."""
        self._warnings.close()


def _share(counts: Counter[str], known: Known) -> float:
    words, times = list(counts), np.array(list(counts.values()))
    return float(times[~known(words)].sum() / times.sum()) if words else 0.0


def _has_letter(word: str) -> bool:
    return any(character.isalpha() for character in word)
