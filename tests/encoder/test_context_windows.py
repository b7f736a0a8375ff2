"""The windows of contextual encoders equal those of a straightforward loop over words."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.encoder.context_words import context_windows

_NUMBERS, _NUMBER = tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)
context_windows_in_graph = tf.function(
    context_windows, input_signature=[_NUMBERS, _NUMBERS, _NUMBER], autograph=False
)


def expected_windows(counts, sentence_lengths, most_pieces):
    """Fills each window with as many sentences as fit, or with words where a sentence alone is too long."""
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
def test_windows_end_at_sentence_ends(seed):
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 30, random.integers(1, 40), dtype=np.int32)
    counts = random.integers(1, 5, lengths.sum(), dtype=np.int32)
    counts[random.random(len(counts)) < 0.02] = 40
    found = context_windows_in_graph(counts, lengths, 40)
    assert found.numpy().tolist() == expected_windows(counts.tolist(), lengths, 40)


def test_a_document_without_words_has_no_window():
    nothing = tf.zeros([0], tf.int32)
    assert context_windows(nothing, nothing).numpy().tolist() == []
    assert context_windows(nothing, [0]).numpy().tolist() == []


def test_an_overlong_sentence_is_split_at_a_word():
    assert context_windows([3] * 5, [5], 7).numpy().tolist() == [2, 2, 1]
    # The next sentence shares a window with the rest of the long one.
    assert context_windows([3, 3, 3, 1, 1], [3, 2], 7).numpy().tolist() == [2, 3]
