"""Splits words into the pieces of an encoder's vocabulary, in the graph; equivalent to encoder.word_pieces."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.encoder.word_pieces import CONTINUED, MOST_CHARACTERS, MOST_PIECES, UNKNOWN
from coref_tf.export.code_points import SPACE, Characters, CodePoints
from coref_tf.export.vectors import PlainWords

# Combines a node of the tree of pieces and a character into one number.
_CHARACTERS = 1 << 21
# The roots of the tree: for pieces that begin a word, and for those that continue one; and a node without branches.
_BEGIN, _CONTINUE, _NOWHERE = 0, 1, 2


class PieceTree(NamedTuple):
    """The vocabulary as a trie, with one branch per character."""

    keys: np.ndarray  # int64 [branches], node * 2^21 + character, in ascending order
    places: np.ndarray  # int32 [branches], the node that each branch leads to
    pieces: np.ndarray  # int32 [nodes], the piece that ends at each node, or -1
    depth: int  # the number of characters of the longest piece


class PieceSplitter(tf.Module):
    """Splits words into the same pieces as WordPieces.

    It finds the longest piece that starts at each character of each word, for all characters at once, by descending the
    trie one character at a time. The pieces of a word are then those on the path from piece to piece.

    Args:
        vocabulary: The pieces, by id.
        lowercase: Whether the vocabulary is uncased, without accents.

    Example:
        PieceSplitter(file.vocabulary, file.config.lowercase)(tf.constant(["Embeddings"]))   # int32 [1, pieces]
    """

    def __init__(self, vocabulary: Sequence[str], lowercase: bool):
        super().__init__(name="piece_splitter")
        self.plain = PlainWords()
        self.code_points = CodePoints(lowercase)
        tree = piece_tree(vocabulary)
        self.depth = tree.depth
        self.unknown = list(vocabulary).index(UNKNOWN)
        self.keys = tf.Variable(tree.keys, trainable=False, name="keys")
        self.places = tf.Variable(tree.places, trainable=False, name="places")
        self.pieces = tf.Variable(tree.pieces, trainable=False, name="pieces")

    def __call__(self, words: tf.Tensor) -> tf.RaggedTensor:
        """Splits words, string [words] -> int32 [words, pieces]; at least one piece each, at most MOST_PIECES."""
        distinct, ids = tf.unique(words)
        decoded = tf.strings.unicode_decode(self.plain(distinct), "UTF-8")
        characters = self.code_points(Characters(decoded.values, tf.cast(decoded.value_rowids(), tf.int32)))
        is_first, characters = _parts(characters)
        kept, pieces = self._cut(characters.codes, is_first)
        found = tf.RaggedTensor.from_value_rowids(
            tf.boolean_mask(pieces, kept), tf.boolean_mask(characters.words, kept), tf.size(distinct)
        )
        # [distinct words, 0 or 1]: for words without remaining characters
        missing = tf.cast(found.row_lengths() == 0, tf.int32)
        unknown = tf.RaggedTensor.from_row_lengths(tf.fill([tf.reduce_sum(missing)], self.unknown), missing)
        pieces = tf.concat([found, unknown], axis=1)[:, :MOST_PIECES]
        return tf.gather(pieces, ids)

    def _cut(self, codes: tf.Tensor, is_first: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns whether a piece starts at each character, bool [characters]; and which, int32 [characters].

        Args:
            codes: int32 [characters].
            is_first: bool [characters], whether each is the first of a part without spaces.
        """
        # [characters]: the part that each belongs to; [parts]: where it ends
        part = tf.cumsum(tf.cast(is_first, tf.int32)) - 1
        lengths = tf.math.bincount(part)
        ends = tf.gather(tf.cumsum(lengths), part)
        pieces, sizes = self._longest(codes, is_first, ends)
        reached = _reached(is_first, sizes, ends)
        # [parts]: BERT gives up on a part that is too long or has a position where no piece fits
        stuck = tf.math.unsorted_segment_max(
            tf.cast(reached & (sizes == 0), tf.int32), part, tf.size(lengths)
        )
        given_up = tf.gather((stuck > 0) | (lengths > MOST_CHARACTERS), part)
        return tf.where(given_up, is_first, reached), tf.where(given_up, self.unknown, pieces)

    def _longest(self, codes: tf.Tensor, is_first: tf.Tensor, ends: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Returns the longest piece from each character, and its length, 0 for none; both int32 [characters]."""
        num_characters = tf.size(codes)
        at = tf.where(is_first, _BEGIN, _CONTINUE)
        pieces, sizes = tf.fill([num_characters], -1), tf.zeros([num_characters], tf.int32)
        places = tf.range(num_characters)
        for size in range(1, self.depth + 1):
            here = places + size - 1
            code = tf.gather(codes, tf.minimum(here, num_characters - 1))
            at = tf.where(here < ends, self._branch(at, code), _NOWHERE)
            piece = tf.gather(self.pieces, at)
            pieces, sizes = tf.where(piece >= 0, piece, pieces), tf.where(piece >= 0, size, sizes)
        return pieces, sizes

    def _branch(self, at: tf.Tensor, code: tf.Tensor) -> tf.Tensor:
        """Returns the node that a character leads to, int32 [n]."""
        wanted = tf.cast(at, tf.int64) * _CHARACTERS + tf.cast(code, tf.int64)
        keys = tf.convert_to_tensor(self.keys)
        branch = tf.minimum(tf.searchsorted(keys, wanted), tf.size(keys) - 1)
        return tf.where(tf.gather(keys, branch) == wanted, tf.gather(self.places, branch), _NOWHERE)


def piece_tree(vocabulary: Sequence[str]) -> PieceTree:
    """Builds the trie of a vocabulary's pieces."""
    branches: dict[int, int] = {}
    pieces = [-1, -1, -1]
    depth = 0
    for number, piece in enumerate(vocabulary):
        goes_on = piece.startswith(CONTINUED) and piece != CONTINUED
        letters = piece.removeprefix(CONTINUED) if goes_on else piece
        place = _CONTINUE if goes_on else _BEGIN
        for letter in letters:
            place = branches.setdefault(place * _CHARACTERS + ord(letter), len(pieces))
            if place == len(pieces):
                pieces.append(-1)
        # An empty piece never matches.
        if letters:
            pieces[place] = number
        depth = max(depth, len(letters))
    keys = np.array(sorted(branches), np.int64)
    places = np.array([branches[key] for key in keys.tolist()], np.int32)
    return PieceTree(keys, places, np.array(pieces, np.int32), depth)


def _parts(characters: Characters) -> tuple[tf.Tensor, Characters]:
    """Removes spaces; also returns whether each character is the first of its word or after a space."""
    is_space = characters.codes == SPACE
    begins = tf.concat([[True], is_space[:-1] | (characters.words[1:] != characters.words[:-1])], axis=0)
    is_first = tf.boolean_mask(begins[: tf.size(is_space)], ~is_space)
    return is_first, Characters(*(tf.boolean_mask(values, ~is_space) for values in characters))


def _reached(is_first: tf.Tensor, sizes: tf.Tensor, ends: tf.Tensor) -> tf.Tensor:
    """Returns which characters are on the path from piece to piece, bool [characters].

    The steps double in each round, so that everything within fewer than 128 steps is reached in seven rounds.
    """
    num_characters = tf.size(sizes)
    beyond = tf.range(num_characters) + sizes
    # [characters + 1]: the next character; the last position, which has none, leads to itself
    following = tf.where((sizes > 0) & (beyond < ends), beyond, num_characters)
    following = tf.concat([following, [num_characters]], axis=0)
    reached = tf.concat([tf.cast(is_first, tf.int32), [0]], axis=0)
    for _ in range(MOST_CHARACTERS.bit_length()):
        reached = tf.maximum(reached, tf.math.unsorted_segment_max(reached, following, num_characters + 1))
        following = tf.gather(following, following)
    return reached[:num_characters] > 0
