"""Windows of contextual encoders: against the rule written out word by word."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.encoder.context_words import context_windows

_NUMBERS, _NUMBER = tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)
in_a_graph = tf.function(context_windows, input_signature=[_NUMBERS, _NUMBERS, _NUMBER], autograph=False)


def windows_one_by_one(counts, sentence_lengths, most_pieces):
    """Sentence after sentence while they fit; a sentence that fits nowhere, word after word."""
    ends = set(np.cumsum(sentence_lengths).tolist())
    windows, begin = [], 0
    while begin < len(counts):
        end, pieces, last_sentence_end = begin, 0, None
        while end < len(counts) and pieces + counts[end] <= most_pieces:
            pieces += counts[end]
            end += 1
            if end in ends:
                last_sentence_end = end
        windows.append((last_sentence_end or end) - begin)
        begin += windows[-1]
    return windows


@pytest.mark.parametrize("seed", range(20))
def test_greedy_at_sentence_ends(seed):
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 30, random.integers(1, 40), dtype=np.int32)
    counts = random.integers(1, 5, lengths.sum(), dtype=np.int32)
    counts[random.random(len(counts)) < 0.02] = 40
    found = in_a_graph(counts, lengths, 40)
    assert found.numpy().tolist() == windows_one_by_one(counts.tolist(), lengths, 40)


def test_a_document_without_words_has_no_window():
    nothing = tf.zeros([0], tf.int32)
    assert context_windows(nothing, nothing).numpy().tolist() == []
    assert context_windows(nothing, [0]).numpy().tolist() == []


def test_a_sentence_that_fits_nowhere_is_cut_at_a_word():
    assert context_windows([3] * 5, [5], 7).numpy().tolist() == [2, 2, 1]
    # Sentences after it join what is left of it.
    assert context_windows([3, 3, 3, 1, 1], [3, 2], 7).numpy().tolist() == [2, 3]
