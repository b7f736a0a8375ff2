"""Concatenated sequences of different lengths: computing in blocks, and mapping positions to sequences."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import tensorflow as tf

from coref_tf.deprecated import TensorLike

Count: TypeAlias = int | tf.Tensor


def compute_in_blocks(
    compute: Callable[[tf.Tensor, tf.Tensor], Sequence[tf.Tensor]],
    words: tf.Tensor,
    sentence_lengths: tf.Tensor,
    words_per_block: Count,
    shapes: Sequence[Sequence[int | None]],
) -> list[tf.Tensor]:
    """Applies a function to blocks of whole sentences, so that only one block is in memory at a time.

    Args:
        compute: A function (words of the block, lengths of its sentences) -> float32 tensors.
        words: [words, ...], sentence by sentence.
        sentence_lengths: int32 [sentences].
        words_per_block: int; a sentence belongs to the block in which it begins.
        shapes: The shapes of the tensors; the first dimension is None.

    Returns:
        The tensors of all blocks, concatenated.

    Example:
        compute_in_blocks(lambda words, lengths: [encode(words, lengths)], words, lengths, 4096, [[None, 400]])
    """
    first_words = tf.cumsum(sentence_lengths, exclusive=True)
    blocks = first_words // words_per_block
    # [blocks + 1]: the first sentence of each block, then the end; a document without sentences has one block
    changes = tf.where(blocks[1:] != blocks[:-1])[:, 0] + 1
    bounds = tf.concat([[0], tf.cast(changes, tf.int32), [tf.size(sentence_lengths)]], axis=0)
    num_blocks = tf.size(bounds) - 1
    word_bounds = tf.gather(tf.concat([first_words, [tf.shape(words)[0]]], axis=0), bounds)

    def step(block: tf.Tensor, arrays: list[tf.TensorArray]) -> tuple[tf.Tensor, list[tf.TensorArray]]:
        sentences, places = bounds[block : block + 2], word_bounds[block : block + 2]
        results = compute(words[places[0] : places[1]], sentence_lengths[sentences[0] : sentences[1]])
        return block + 1, [array.write(block, result) for array, result in zip(arrays, results, strict=True)]

    arrays = [
        tf.TensorArray(tf.float32, num_blocks, infer_shape=False, element_shape=shape) for shape in shapes
    ]
    _, arrays = tf.while_loop(lambda block, _: block < num_blocks, step, (0, arrays), parallel_iterations=1)
    return [array.concat() for array in arrays]


def owners(lengths: TensorLike) -> tf.Tensor:
    """Returns the sequence that each position belongs to, int32 [sum of lengths].

    This equals tf.repeat(range(len(lengths)), lengths). But tf.repeat allocates a table [sequences, longest], which
    takes gigabytes for one word of a million letters among a thousand others.

    Args:
        lengths: int32 [sequences].

    Example:
        owners([2, 0, 3])   # [0, 0, 2, 2, 2]
    """
    ends = tf.cumsum(lengths)
    return tf.searchsorted(ends, tf.range(tf.reduce_sum(lengths)), side="right")
