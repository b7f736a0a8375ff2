"""Blocks of sentences contain every sentence once, whole and in order."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.layers.blocks import compute_in_blocks


@pytest.mark.parametrize("graph", [False, True])
def test_blocks_contain_whole_sentences_in_order(graph):
    generator = np.random.default_rng(0)
    seen = []

    def compute(words, lengths):
        tf.py_function(lambda lengths: seen.append(lengths.numpy().tolist()), [lengths], [])
        return words, tf.cast(lengths, tf.float32)

    def run(words, lengths, words_per_block):
        return compute_in_blocks(compute, words, lengths, words_per_block, [[None, 2], [None]])

    if graph:
        numbers = tf.TensorSpec([None], tf.int32)
        run = tf.function(
            run, input_signature=[tf.TensorSpec([None, 2]), numbers, tf.TensorSpec([], tf.int32)]
        )
    for count in [0, 1, 2, 5, 20]:
        for words_per_block in [1, 4, 1000]:
            lengths = generator.integers(0, 9, size=count).astype(np.int32)
            words = generator.normal(size=[lengths.sum(), 2]).astype(np.float32)
            seen.clear()
            same_words, same_lengths = run(words, lengths, np.int32(words_per_block))
            np.testing.assert_array_equal(same_words, words)
            np.testing.assert_array_equal(same_lengths, lengths)
            assert [length for block in seen for length in block] == lengths.tolist()
            for block in seen:  # only the last sentence of a block may exceed its number of words
                assert sum(block[:-1]) <= words_per_block
            if words_per_block == 1000:
                assert len(seen) == 1
