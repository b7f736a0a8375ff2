"""A document as running text."""

import itertools
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.spacing import words_and_gaps


class SetText(NamedTuple):
    """A text, and [begin, end) of each word in it."""

    text: str
    offsets: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, document: Document) -> "SetText":
        """The document's own text; of words alone, prose with a line for each sentence."""
        if document.text is not None and document.offsets is not None:
            return cls(document.text, document.offsets)
        words, gaps = words_and_gaps(document)
        firsts = itertools.accumulate((len(sentence) for sentence in document.sentences[:-1]), initial=0)
        for first in firsts:
            if 0 < first < len(words):
                gaps[first] = "\n"
        pieces, offsets, position = [], [], 0
        for gap, word in zip(gaps, words, strict=False):
            position += len(gap)
            offsets.append((position, position + len(word)))
            position += len(word)
            pieces += [gap, word]
        return cls("".join(pieces), tuple(offsets))

    def shown(self, start: int, end: int) -> str:
        """How words start to end read, both included."""
        return self.text[self.offsets[start][0] : self.offsets[end][1]]
