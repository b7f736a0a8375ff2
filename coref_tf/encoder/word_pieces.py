"""Splits words into the pieces of an encoder's vocabulary (WordPiece)."""

from collections.abc import Sequence
from functools import lru_cache

from coref_tf.documents.running_text import plain_word
from coref_tf.encoder.bert_characters import spaced

UNKNOWN = "[UNK]"
CONTINUED = "##"
# The maximum number of pieces of a window; with the special pieces at its ends, 512.
MOST_PIECES = 510
# BERT maps a longer run of letters to one unknown piece.
MOST_CHARACTERS = 100
REMEMBERED_WORDS = 1 << 17


class WordPieces:
    """Splits words into the pieces of a vocabulary, greedily by the longest match from the left.

    Penn Treebank tokens such as -LRB- or `` are converted to plain brackets or quotes. A word without pieces, because
    none of its characters remain or its letters are unknown, becomes the unknown piece.

    Args:
        vocabulary: The pieces, by id; those within a word begin with "##".
        lowercase: Whether the vocabulary is uncased, without accents.

    Example:
        pieces = WordPieces(file.vocabulary, file.config.lowercase)
        pieces.ids("Embeddings")     # the ids of em, ##bed, ##ding, ##s
    """

    def __init__(self, vocabulary: Sequence[str], lowercase: bool):
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self._piece_ids = {piece: number for number, piece in enumerate(vocabulary)}
        if UNKNOWN not in self._piece_ids:
            raise ValueError(f"vocabulary must have {UNKNOWN}. Received: {list(vocabulary[:5])} ...")
        self._longest = max(map(len, vocabulary))
        self._spaced = lru_cache(REMEMBERED_WORDS)(lambda character: spaced(character, lowercase))
        self.ids = lru_cache(REMEMBERED_WORDS)(self._ids)

    def _ids(self, word: str) -> tuple[int, ...]:
        """Returns the ids of a word's pieces: at least one, at most MOST_PIECES."""
        text = "".join(map(self._spaced, plain_word(word)))
        ids = [number for part in text.split(" ") if part for number in self._cut(part)]
        return tuple(ids[:MOST_PIECES]) or (self._piece_ids[UNKNOWN],)

    def _cut(self, part: str) -> list[int]:
        """Returns the ids of a part without spaces."""
        unknown = [self._piece_ids[UNKNOWN]]
        if len(part) > MOST_CHARACTERS:
            return unknown
        ids, begin, prefix = [], 0, ""
        while begin < len(part):
            # Longest first; None if not even a single letter is known.
            ends = range(min(len(part), begin + self._longest), begin, -1)
            end = next((end for end in ends if prefix + part[begin:end] in self._piece_ids), None)
            if end is None:
                return unknown
            ids.append(self._piece_ids[prefix + part[begin:end]])
            begin, prefix = end, CONTINUED
        return ids
