"""The ops on spans equal the oracles in every backend and mode, and raise the documented errors."""

import functools
import subprocess
import sys
import types

import numpy as np
import oracles
import pytest
import span_cases
import tensorflow as tf

from coref_tf import ops
from coref_tf.support.libraries import algorithms

BACKENDS = ["custom", "portable"]
CASES = 2000

pytestmark = pytest.mark.parametrize("backend", BACKENDS)
InvalidArgument = tf.errors.InvalidArgumentError
_NUMBERS, _INTEGERS = tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.int32)


class Ops(tf.Module):
    """The three ops as graph functions whose input shapes are unknown."""

    def __init__(self, backend):
        super().__init__()
        self.backend = backend

    @tf.function(input_signature=[_NUMBERS, *[_INTEGERS] * 3], autograph=False)
    def extract_spans(self, scores, starts, ends, count):
        return {"kept": ops.extract_spans(scores, starts, ends, count, backend=self.backend)}

    @tf.function(input_signature=[_INTEGERS, _INTEGERS], autograph=False)
    def nearest_antecedents(self, num_spans, max_antecedents):
        return ops.nearest_antecedents(num_spans, max_antecedents, backend=self.backend)

    @tf.function(input_signature=[_NUMBERS, _INTEGERS], autograph=False)
    def top_antecedents(self, coarse_scores, max_antecedents):
        return ops.top_antecedents(coarse_scores, max_antecedents, backend=self.backend)


def eager(backend):
    """The ops in eager mode."""
    functions = {name: functools.partial(getattr(ops, name), backend=backend) for name in span_cases.CASES}
    return types.SimpleNamespace(**functions)


def assert_equal_to_the_oracles(functions, cases):
    for name, random_cases in span_cases.CASES.items():
        for case in random_cases(cases):
            assert_equal(getattr(functions, name)(*case), getattr(oracles, name)(*case))


def assert_equal(found, expected):
    for tensor, array in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert tensor.dtype == tf.int32
        np.testing.assert_array_equal(tensor, array)


def test_random_cases_in_a_graph_with_unknown_shapes(backend):
    assert_equal_to_the_oracles(Ops(backend), CASES if backend == "portable" else 300)


def test_random_cases_in_eager_mode(backend):
    assert_equal_to_the_oracles(eager(backend), CASES if backend == "custom" else 100)


def test_random_cases_in_a_saved_model(backend, tmp_path):
    tf.saved_model.save(Ops(backend), tmp_path)
    assert_equal_to_the_oracles(tf.saved_model.load(tmp_path), 50)


def test_a_saved_model_of_the_portable_twins_needs_no_custom_library(backend, tmp_path):
    """A process without the package can load a SavedModel of the portable twins, but not one of the custom ops."""
    tf.saved_model.save(Ops(backend), tmp_path)
    code = (
        "import sys, tensorflow as tf; sys.modules['coref_tf'] = None;"
        f"graph = tf.saved_model.load({str(tmp_path)!r});"
        "print(graph.extract_spans([1.0, 2.0, 0.0], [0, 1, 4], [1, 2, 4], 2)['kept'].numpy(),"
        " graph.nearest_antecedents(3, 1)[0].numpy().tolist(),"
        " graph.top_antecedents([[0.0, 0.0], [1.0, 0.0]], 5)[1].numpy())"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if backend == "portable":
        assert loaded.stdout.strip() == "[1 2] [[0], [0], [1]] [0 1]", loaded.stderr
    else:
        assert "Op type not registered 'Coref>" in loaded.stderr


@pytest.mark.parametrize("sentence_length", [7, 2500])
def test_more_spans_than_the_portable_twin_processes_at_once(backend, sentence_length):
    case = (*span_cases.document(np.random.default_rng(1), 2500, sentence_length), 1000)
    expected = algorithms().extract_spans_sequential(*case)
    np.testing.assert_array_equal(ops.extract_spans(*case, backend=backend), expected)


def test_the_largest_word_indices(backend):
    largest = 2**31 - 1
    starts, ends = [0, 1, largest - 1, largest, largest - 3], [largest, 5, largest, largest, largest - 1]
    case = ([1.0, 5.0, 4.0, 3.0, 2.0], starts, ends, largest)
    assert ops.extract_spans(*case, backend=backend).numpy().tolist() == oracles.extract_spans(*case).tolist()


def test_identical_spans_do_not_cross_and_are_ordered_by_index(backend):
    kept = ops.extract_spans([1.0, 2.0, 3.0], [4, 4, 0], [6, 6, 0], 3, backend=backend)
    assert kept.numpy().tolist() == [2, 0, 1]


def test_infinite_scores(backend):
    inf = float("inf")
    kept = ops.extract_spans([-inf, 0.0, -inf, inf], [0, 1, 5, 2], [1, 2, 5, 3], 4, backend=backend)
    assert kept.numpy().tolist() == [0, 3, 2]  # span 1 crosses span 3, whose score is infinite
    antecedents, lengths = ops.top_antecedents(np.full([4, 4], -inf), 2, backend=backend)
    assert antecedents.numpy().tolist() == [[0, 0], [0, 0], [1, 0], [2, 1]]
    assert lengths.numpy().tolist() == [0, 1, 2, 2]


def test_top_antecedents_read_only_earlier_columns(backend):
    scores = np.triu(np.full([5, 5], np.nan)) + np.tril(np.arange(25.0).reshape(5, 5), -1)
    expected = oracles.top_antecedents(scores, 3)
    assert_equal(ops.top_antecedents(scores, 3, backend=backend), expected)


def test_empty_input_gives_empty_output(backend):
    assert ops.extract_spans([], [], [], 5, backend=backend).shape == [0]
    assert ops.extract_spans([1.0], [0], [0], 0, backend=backend).shape == [0]
    for antecedents, lengths in (
        ops.nearest_antecedents(0, 5, backend=backend),
        ops.top_antecedents(np.zeros([0, 0]), 5, backend=backend),
    ):
        assert antecedents.shape == [0, 0] and lengths.shape == [0]
    for antecedents, lengths in (
        ops.nearest_antecedents(3, 0, backend=backend),
        ops.top_antecedents(np.zeros([3, 3]), 0, backend=backend),
    ):
        assert antecedents.shape == [3, 0] and lengths.numpy().tolist() == [0, 0, 0]
    antecedents, lengths = ops.top_antecedents(np.zeros([0, 4]), 3, backend=backend)
    assert antecedents.shape == [0, 3] and lengths.shape == [0]


# --- Graphs -----------------------------------------------------------------------------------------------


def test_static_shapes(backend):
    shapes = {}

    @tf.function(autograph=False)
    def trace(scores, coarse_scores, some_scores, count):
        shapes["kept"] = ops.extract_spans(scores, tf.range(6), tf.range(6), count, backend=backend).shape
        shapes["nearest"] = [t.shape for t in ops.nearest_antecedents(6, 4, backend=backend)]
        shapes["some nearest"] = [t.shape for t in ops.nearest_antecedents(count, 4, backend=backend)]
        shapes["top"] = [t.shape for t in ops.top_antecedents(coarse_scores, 9, backend=backend)]
        shapes["some top"] = [t.shape for t in ops.top_antecedents(some_scores, 9, backend=backend)]

    trace.get_concrete_function(
        tf.TensorSpec([6], tf.float32),
        tf.TensorSpec([6, 8], tf.float32),
        tf.TensorSpec(None, tf.float32),
        tf.TensorSpec([], tf.int32),
    )
    assert shapes["kept"].as_list() == [None]
    assert [s.as_list() for s in shapes["nearest"]] == [[6, 4], [6]]
    assert [s.as_list() for s in shapes["some nearest"]] == [[None, None], [None]]
    assert [s.as_list() for s in shapes["top"]] == [[6, 8], [6]]
    assert [s.as_list() for s in shapes["some top"]] == [[None, None], [None]]


def test_the_selection_has_no_gradient(backend):
    scores = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        kept = ops.extract_spans(scores[0], [0, 1], [0, 1], 1, backend=backend)
        antecedents, _ = ops.top_antecedents(scores, 1, backend=backend)
        total = tf.reduce_sum(tf.gather(scores[0], kept)) + tf.reduce_sum(tf.gather(scores[1], antecedents))
    # The selected scores have a gradient; the selection has none.
    np.testing.assert_array_equal(tf.convert_to_tensor(tape.gradient(total, scores)), [[0, 1], [2, 0]])


# --- Invalid input ------------------------------------------------------------------------------------------

BAD_EXTRACTIONS = {
    r"span_scores must have rank 1. Received: shape \[1[, ]+1\]": ([[1.0]], [0], [0], 1),
    r"candidate_starts must have rank 1. Received: shape \[\]": ([1.0], 0, [0], 1),
    r"candidate_ends must have rank 1. Received: shape \[1[, ]+1\]": ([1.0], [0], [[0]], 1),
    r"num_output_spans must have rank 0. Received: shape \[1\]": ([1.0], [0], [0], [1]),
    "candidate_starts must have as many elements as span_scores, 2. Received: 1": (
        [1.0, 2.0],
        [0],
        [0, 0],
        1,
    ),
    "candidate_ends must have as many elements as span_scores, 1. Received: 2": ([1.0], [0], [0, 0], 1),
    r"candidate_starts must not be negative. Received: candidate_starts\[1\] = -3": (
        [1.0, 2.0],
        [0, -3],
        [0, 1],
        1,
    ),
    r"candidate_ends must not be before candidate_starts. "
    r"Received: candidate_starts\[2\] = 5, candidate_ends\[2\] = 4": ([1.0] * 3, [0, 1, 5], [0, 1, 4], 1),
    "num_output_spans must not be negative. Received: -1": ([1.0], [0], [0], -1),
    r"span_scores must not be NaN. Received: span_scores\[1\] = nan": ([1.0, np.nan], [0, 1], [0, 1], 1),
}
BAD_NEAREST = {
    r"num_spans must have rank 0. Received: shape \[2\]": ([1, 2], 1),
    r"max_antecedents must have rank 0. Received: shape \[1\]": (1, [1]),
    "num_spans must not be negative. Received: -2": (-2, 1),
    "max_antecedents must not be negative. Received: -1": (1, -1),
}
BAD_TOP = {
    r"coarse_scores must have rank 2. Received: shape \[2\]": ([1.0, 2.0], 1),
    r"coarse_scores must not have more rows than columns. Received: shape \[2[, ]+1\]": ([[1.0], [2.0]], 1),
    r"max_antecedents must have rank 0. Received: shape \[1\]": ([[1.0]], [1]),
    "max_antecedents must not be negative. Received: -1": ([[1.0]], -1),
    r"coarse_scores must not be NaN. Received: coarse_scores\[2, 1\] = nan": (
        [[0.0] * 3, [0.0] * 3, [0.0, np.nan, 0.0]],
        1,
    ),
}
BAD_INPUT = [
    *(("extract_spans", message, arguments) for message, arguments in BAD_EXTRACTIONS.items()),
    *(("nearest_antecedents", message, arguments) for message, arguments in BAD_NEAREST.items()),
    *(("top_antecedents", message, arguments) for message, arguments in BAD_TOP.items()),
]


@pytest.mark.parametrize("name, message, arguments", BAD_INPUT)
def test_invalid_input(backend, name, message, arguments):
    with pytest.raises(InvalidArgument, match=message):
        getattr(ops, name)(*arguments, backend=backend)


def test_invalid_input_in_a_function_with_unknown_shapes(backend):
    graph = Ops(backend)
    for name, message, arguments in BAD_INPUT:
        with pytest.raises(InvalidArgument, match=message):
            getattr(graph, name)(*arguments)


def test_mismatched_sizes_in_a_function_with_known_ranks(backend):
    """TensorFlow's graph optimiser must not assume that sizes match and remove the checks."""
    vector = tf.TensorSpec([None], tf.int32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), vector, vector], autograph=False)
    def extract_spans(scores, starts, ends):
        return ops.extract_spans(scores, starts, ends, 1, backend=backend)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)], autograph=False)
    def top_antecedents(scores):
        return ops.top_antecedents(scores, 1, backend=backend)

    with pytest.raises(
        InvalidArgument, match="candidate_starts must have as many elements as span_scores, 2"
    ):
        extract_spans([1.0, 2.0], [0], [0, 1])
    with pytest.raises(InvalidArgument, match="candidate_ends must have as many elements as span_scores, 2"):
        extract_spans([1.0, 2.0], [0, 1], [0, 1, 2])
    with pytest.raises(InvalidArgument, match="coarse_scores must not have more rows than columns"):
        top_antecedents([[1.0], [2.0]])


def test_a_wrong_rank_is_an_error_while_tracing(backend):
    @tf.function(autograph=False)
    def trace(scores):
        return ops.extract_spans(scores, [0], [0], 1, backend=backend)

    with pytest.raises(InvalidArgument, match="span_scores must have rank 1"):
        trace.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))


def test_numbers_that_do_not_fit_into_int32_are_refused(backend):
    with pytest.raises(InvalidArgument, match=r"candidate_ends must fit in 32 bits.*Received: 2147483648"):
        ops.extract_spans([1.0], [0], [2**31], 1, backend=backend)
    with pytest.raises(InvalidArgument, match=r"num_spans must fit in 32 bits.*Received: -2147483649"):
        ops.nearest_antecedents(-(2**31) - 1, 1, backend=backend)
    with pytest.raises(ValueError, match="candidate_starts must be integers"):
        ops.extract_spans([1.0], [0.5], [1], 1, backend=backend)
