"""ExtractSpans is as much faster than the sequential version as it must be."""

import pytest

from coref_tf.bench import ops

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("words, least", [(4000, 4), (40000, 25)])
def test_times_faster_than_the_sequential_version(words, least):
    row = ops.row(words, sentence_length=words)
    assert row["kept"] == 0.4 * words
    assert row["times_faster"] >= least
