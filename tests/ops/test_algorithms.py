"""The ops' C++ algorithms, called with NumPy arrays, and the GPU's algorithms on an emulated grid."""

import numpy as np
import oracles
import pytest
import span_cases

from coref_tf.support.libraries import algorithms

CASES = 2000


def test_extract_spans_equals_the_oracle():
    native = algorithms()
    for number, case in enumerate(span_cases.extraction_cases(CASES)):
        expected = oracles.extract_spans(*case).tolist()
        assert native.extract_spans(*case, threads=1 + number % 3).tolist() == expected, case
        assert native.extract_spans_sequential(*case).tolist() == expected, case
        assert native.emulated_extract_spans(*case, seed=number).tolist() == expected, case


def test_nearest_antecedents_equal_the_oracle():
    native = algorithms()
    for number, case in enumerate(span_cases.nearest_cases(CASES)):
        expected = oracles.nearest_antecedents(*case)
        assert_equal(native.nearest_antecedents(*case), expected)
        assert_equal(native.emulated_nearest_antecedents(*case, seed=number), expected)


def test_top_antecedents_equal_the_oracle():
    native = algorithms()
    for number, case in enumerate(span_cases.top_cases(CASES)):
        expected = oracles.top_antecedents(*case)
        assert_equal(native.top_antecedents(*case, threads=1 + number % 3), expected)
        assert_equal(native.emulated_top_antecedents(*case, seed=number), expected)


def assert_equal(found, expected):
    for left, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("sentence_length", [20, 3000], ids=["many groups", "one group"])
def test_spans_of_a_long_document_do_not_depend_on_the_number_of_threads(sentence_length):
    """The document is long enough for the radix sort and for sorting across tiles of the emulated grid."""
    native = algorithms()
    case = (*span_cases.document(np.random.default_rng(3), 3000, sentence_length), 1200)
    expected = native.extract_spans_sequential(*case).tolist()
    for threads in (1, 2, 5):
        assert native.extract_spans(*case, threads=threads).tolist() == expected
    assert native.emulated_extract_spans(*case, seed=0).tolist() == expected


def test_many_antecedents():
    native = algorithms()
    scores = np.random.default_rng(5).integers(0, 50, [400, 400]).astype(np.float32)
    for max_antecedents in (1, 50, 399):
        expected = oracles.top_antecedents(scores, max_antecedents)
        assert_equal(native.top_antecedents(scores, max_antecedents, threads=2), expected)
        assert_equal(native.emulated_top_antecedents(scores, max_antecedents, seed=1), expected)


@pytest.mark.parametrize("prefix", ["", "emulated_"])
def test_invalid_input_is_named(prefix):
    native = algorithms()
    extra = {"seed": 0} if prefix else {}
    extract = getattr(native, prefix + "extract_spans")
    top = getattr(native, prefix + "top_antecedents")
    with pytest.raises(ValueError, match=r"span_scores must not be NaN. Received: span_scores\[1\] = nan"):
        extract([1.0, np.nan, 2.0, np.nan], [0] * 4, [0] * 4, 1, **extra)
    with pytest.raises(ValueError, match=r"candidate_starts must not be negative.*\[0\] = -1"):
        extract([1.0], [-1], [0], 1, **extra)
    with pytest.raises(ValueError, match=r"candidate_ends must not be before candidate_starts.*\[0\] = 2"):
        extract([1.0], [3], [2], 1, **extra)
    with pytest.raises(ValueError, match=r"num_output_spans must not be negative. Received: -1"):
        extract([1.0], [0], [0], -1, **extra)
    with pytest.raises(ValueError, match="must have as many elements"):
        extract([1.0], [0, 1], [0, 1], 1, **extra)
    scores = np.zeros([5, 5], np.float32)
    scores[4, 2] = scores[3, 1] = scores[1, 3] = np.nan
    with pytest.raises(ValueError, match=r"coarse_scores must not be NaN. Received: coarse_scores\[3, 1\]"):
        top(scores, 2, **extra)
    with pytest.raises(ValueError, match=r"max_antecedents must not be negative. Received: -4"):
        top(scores, -4, **extra)
    with pytest.raises(ValueError, match=r"coarse_scores must not be NaN. Received: coarse_scores\[1, 2\]"):
        top([[0] * 5, scores[4]], 2, **extra)
    with pytest.raises(ValueError, match="coarse_scores must not have more rows than columns"):
        top(scores[:, :2], 1, **extra)
