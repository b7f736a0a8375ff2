"""Words -> pieces of an encoder's vocabulary (WordPiece)."""

from collections.abc import Sequence
from functools import lru_cache

from coref_tf.documents.running_text import plain_word
from coref_tf.encoder.bert_characters import spaced

UNKNOWN = "[UNK]"
CONTINUED = "##"
# A window has as many, with the special pieces at its ends 512.
MOST_PIECES = 510
# Of a longer run of letters BERT makes one unknown piece.
MOST_CHARACTERS = 100
REMEMBERED_WORDS = 1 << 17


class WordPieces:
    """Cuts words into the pieces of a vocabulary, always the longest that fits, from the left.

    What the Penn Treebank writes -LRB- or `` is taken for a plain bracket or quote. A word that has no pieces, because
    nothing of it is left or its letters are unknown, is the unknown piece.

    Args:
        vocabulary: the pieces, by id; those within a word begin with "##".
        lowercase: whether it is a vocabulary of lower-case pieces without accents.

    Example:
        pieces = WordPieces(file.vocabulary, file.config.lowercase)
        pieces.ids("Embeddings")     # of em, ##bed, ##ding, ##s
    """

    def __init__(self, vocabulary: Sequence[str], lowercase: bool):
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        if UNKNOWN not in self._numbers:
            raise ValueError(f"vocabulary must have {UNKNOWN}. Received: {list(vocabulary[:5])} ...")
        self._longest = max(map(len, vocabulary))
        self._spaced = lru_cache(REMEMBERED_WORDS)(lambda character: spaced(character, lowercase))
        self.ids = lru_cache(REMEMBERED_WORDS)(self._ids)

    def _ids(self, word: str) -> tuple[int, ...]:
        """The ids of a word's pieces: at least one, at most MOST_PIECES."""
        text = "".join(map(self._spaced, plain_word(word)))
        ids = [number for part in text.split(" ") if part for number in self._cut(part)]
        return tuple(ids[:MOST_PIECES]) or (self._numbers[UNKNOWN],)

    def _cut(self, part: str) -> list[int]:
        """The ids of what has no space in it."""
        unknown = [self._numbers[UNKNOWN]]
        if len(part) > MOST_CHARACTERS:
            return unknown
        ids, begin, prefix = [], 0, ""
        while begin < len(part):
            # Longest first; None if not even one letter is known.
            ends = range(min(len(part), begin + self._longest), begin, -1)
            end = next((end for end in ends if prefix + part[begin:end] in self._numbers), None)
            if end is None:
                return unknown
            ids.append(self._numbers[prefix + part[begin:end]])
            begin, prefix = end, CONTINUED
        return ids
