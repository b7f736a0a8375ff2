"""An index from words to rows of a matrix."""

import bisect
from collections.abc import Sequence

import numpy as np


class WordIndex:
    """Words in UTF-8, sorted and joined by newlines, with a row for each; looked up by bisection.

    Half a million words are one block of bytes instead of half a million objects, and can be used as soon as they are
    read.

    Args:
        words: the sorted words as one array of bytes.
        rows: the row of each word.

    Example:
        index = WordIndex.build([b"the", b"a"], [0, 1])
        index.find("a")        # 1
        index.find("zebra")    # -1
    """

    def __init__(self, words: np.ndarray, rows: np.ndarray):
        self.words, self.rows = words, rows
        ends = np.flatnonzero(words == ord("\n"))
        # Memory views return plain numbers, which is three times as fast as indexing arrays.
        self._starts = (np.concatenate([[0], ends + 1]) if len(words) else ends).data
        self._ends = (np.append(ends, len(words)) if len(words) else ends).data
        self._bytes = words.tobytes()
        if len(self._starts) != len(rows):
            raise ValueError(
                f"expected one row per word. Received: {len(self._starts)} words, {len(rows)} rows"
            )

    @classmethod
    def build(cls, words: Sequence[bytes], rows: Sequence[int] | np.ndarray) -> "WordIndex":
        """Builds the index of distinct words without newlines, in any order."""
        order = sorted(range(len(words)), key=words.__getitem__)
        joined = b"\n".join(words[position] for position in order)
        return cls(np.frombuffer(joined, np.uint8), np.asarray(rows)[order])

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, word: str) -> int:
        """Returns the row of the word, or -1 if it is unknown."""
        key = word.encode("utf-8", "surrogatepass")
        position = bisect.bisect_left(range(len(self)), key, key=self._word)
        if position < len(self) and self._word(position) == key:
            return int(self.rows[position])
        return -1

    def _word(self, position: int) -> bytes:
        return self._bytes[self._starts[position] : self._ends[position]]
