"""The benchmark of ExtractSpans has correct rows; the measured speed itself is not tested."""

import pytest

from benchmarks import ops


@pytest.mark.parametrize("sentence_length, spans", [(200, 10 * 200 - 45), (20, 10 * (10 * 20 - 45))])
def test_a_row(sentence_length, spans):
    row = ops.row(200, sentence_length)
    assert (row["spans"], row["kept"]) == (spans, 80)
    assert row["times_faster"] == row["sequential_seconds"] / row["seconds"] > 0
    assert row["portable_seconds"] > 0
