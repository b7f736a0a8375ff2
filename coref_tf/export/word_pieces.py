"""Words -> pieces of an encoder's vocabulary, inside a graph: what encoder.word_pieces does."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from coref_tf.encoder.word_pieces import CONTINUED, MOST_CHARACTERS, MOST_PIECES, UNKNOWN
from coref_tf.export.code_points import SPACE, Characters, CodePoints
from coref_tf.export.vectors import PlainWords

# A place in the tree of pieces and a character as one number.
_CHARACTERS = 1 << 21
# The roots of the tree: pieces that begin a word, pieces that go on with one; and a place without branches.
_BEGIN, _CONTINUE, _NOWHERE = 0, 1, 2


class PieceTree(NamedTuple):
    """The vocabulary as a tree, a character a branch."""

    keys: np.ndarray  # int64 [branches], place * 2^21 + character, in ascending order
    places: np.ndarray  # int32 [branches], where each branch leads
    pieces: np.ndarray  # int32 [places], the piece that ends at each, or -1
    depth: int  # characters of the longest piece


class PieceSplitter(tf.Module):
    """Cuts words into the pieces that WordPieces cuts them into.

    At every character of every word, the longest piece that begins there is looked for, all at once: the tree is gone
    down a character at a time. A word's pieces are then those met on the way from piece to piece.

    Args:
        vocabulary: the pieces, by id.
        lowercase: whether it is a vocabulary of lower-case pieces without accents.

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
        """The pieces of words, string [words] -> int32 [words, pieces]; at least one each, at most MOST_PIECES."""
        distinct, ids = tf.unique(words)
        decoded = tf.strings.unicode_decode(self.plain(distinct), "UTF-8")
        characters = self.code_points(Characters(decoded.values, tf.cast(decoded.value_rowids(), tf.int32)))
        is_first, characters = _parts(characters)
        kept, pieces = self._cut(characters.codes, is_first)
        found = tf.RaggedTensor.from_value_rowids(
            tf.boolean_mask(pieces, kept), tf.boolean_mask(characters.words, kept), tf.size(distinct)
        )
        # [distinct words, 0 or 1]: for a word of which nothing is left
        missing = tf.cast(found.row_lengths() == 0, tf.int32)
        unknown = tf.RaggedTensor.from_row_lengths(tf.fill([tf.reduce_sum(missing)], self.unknown), missing)
        pieces = tf.concat([found, unknown], axis=1)[:, :MOST_PIECES]
        return tf.gather(pieces, ids)

    def _cut(self, codes: tf.Tensor, is_first: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Whether a piece begins at each character, bool [characters]; and which, int32 [characters].

        Args:
            codes: int32 [characters].
            is_first: bool [characters], whether each is the first of what has no space in it.
        """
        # [characters]: the part that each is of; [parts]: where it ends
        part = tf.cumsum(tf.cast(is_first, tf.int32)) - 1
        lengths = tf.math.bincount(part)
        ends = tf.gather(tf.cumsum(lengths), part)
        pieces, sizes = self._longest(codes, is_first, ends)
        reached = _reached(is_first, sizes, ends)
        # [parts]: BERT gives up a part that is too long, or has a place where nothing fits
        stuck = tf.math.unsorted_segment_max(
            tf.cast(reached & (sizes == 0), tf.int32), part, tf.size(lengths)
        )
        given_up = tf.gather((stuck > 0) | (lengths > MOST_CHARACTERS), part)
        return tf.where(given_up, is_first, reached), tf.where(given_up, self.unknown, pieces)

    def _longest(self, codes: tf.Tensor, is_first: tf.Tensor, ends: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The longest piece from each character on, and its characters, 0 for none; int32 [characters] both."""
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
        """Where a character leads from a place of the tree, int32 [n]."""
        wanted = tf.cast(at, tf.int64) * _CHARACTERS + tf.cast(code, tf.int64)
        keys = tf.convert_to_tensor(self.keys)
        branch = tf.minimum(tf.searchsorted(keys, wanted), tf.size(keys) - 1)
        return tf.where(tf.gather(keys, branch) == wanted, tf.gather(self.places, branch), _NOWHERE)


def piece_tree(vocabulary: Sequence[str]) -> PieceTree:
    """The tree of a vocabulary's pieces."""
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
        # The empty piece, if there is one, fits nothing.
        if letters:
            pieces[place] = number
        depth = max(depth, len(letters))
    keys = np.array(sorted(branches), np.int64)
    places = np.array([branches[key] for key in keys.tolist()], np.int32)
    return PieceTree(keys, places, np.array(pieces, np.int32), depth)


def _parts(characters: Characters) -> tuple[tf.Tensor, Characters]:
    """Without the spaces; and whether each character is the first after one, or of its word."""
    is_space = characters.codes == SPACE
    begins = tf.concat([[True], is_space[:-1] | (characters.words[1:] != characters.words[:-1])], axis=0)
    is_first = tf.boolean_mask(begins[: tf.size(is_space)], ~is_space)
    return is_first, Characters(*(tf.boolean_mask(values, ~is_space) for values in characters))


def _reached(is_first: tf.Tensor, sizes: tf.Tensor, ends: tf.Tensor) -> tf.Tensor:
    """Whether one comes by each character going from piece to piece, bool [characters].

    First a step, then two, four, ... at a time: what is reached in fewer than 128 steps is reached in seven rounds.
    """
    num_characters = tf.size(sizes)
    beyond = tf.range(num_characters) + sizes
    # [characters + 1]: the next character, or the last place, where there is none and one stays
    following = tf.where((sizes > 0) & (beyond < ends), beyond, num_characters)
    following = tf.concat([following, [num_characters]], axis=0)
    reached = tf.concat([tf.cast(is_first, tf.int32), [0]], axis=0)
    for _ in range(MOST_CHARACTERS.bit_length()):
        reached = tf.maximum(reached, tf.math.unsorted_segment_max(reached, following, num_characters + 1))
        following = tf.gather(following, following)
    return reached[:num_characters] > 0
