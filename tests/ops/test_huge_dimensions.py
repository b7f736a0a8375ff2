"""Empty tensors with huge dimensions, and other calls that used to crash the process, raise an error.

The calls run in a subprocess, so that a crash fails a test instead of ending the test run. tests/fuzz/ops.py makes
many more such calls, at random.
"""

import json
import subprocess
import sys

import pytest

from coref_tf.support.environment import ROOT

# Each name has the shapes of the zero tensors that replace valid arguments, and the expected error message.
LSTM = {
    "units": (
        {"recurrent_kernel": [1, 2**40, 0]},
        "recurrent_kernel must have dimensions of at most 2147483647",
    ),
    "three times the units": (
        {"recurrent_kernel": [0, 2**62, 5]},
        "recurrent_kernel must have dimensions of at most",
    ),
    "sentences": ({"mask": [0, 2**62, 3]}, "mask must have dimensions of at most 2147483647"),
    "words": ({"projected": [2**62, 0, 9]}, "projected must have dimensions of at most 2147483647"),
    "a kernel within 32 bits": (
        {"recurrent_kernel": [1, 2**31 - 1, 0]},
        "recurrent_kernel must have shape [1,2147",
    ),
}
PAIRS = {
    "parts": ({"part_values": [0, 2**62]}, "part_values must have dimensions of at most 2147483647"),
    "rows": ({"part_values": [2**62, 0]}, "part_values must have dimensions of at most 2147483647"),
    "units": ({"product_kernel": [0, 2**62]}, "product_kernel must have dimensions of at most 2147483647"),
    "spans": ({"targets": [2**40, 0]}, "targets must have dimensions of at most 2147483647"),
    "features": ({"features": [0, 2**62]}, "features must have dimensions of at most 2147483647"),
}
GRADIENTS = {
    "kept": ({"kept": [2**31, 0, 0]}, "kept must have dimensions of at most 2147483647"),
    "kept within 32 bits": ({"kept": [2**31 - 1, 0, 0]}, "kept must have shape [4,2,3]"),
    "upstream": (
        {"upstream": [2**62, 0]},
        "upstream must have shape [4,2]. Received: shape [4611686018427387904,0]",
    ),
}

SCRIPT = """
import json, sys
sys.path[:0] = {path!r}
import numpy as np
import tensorflow as tf
from coref_tf.ops import library
from coref_tf.support import libraries
from test_pair_scorer import arguments
from test_sentence_encoder import lstm_arguments

library.custom_ops()
raw = tf.load_op_library(str(libraries.OPS_LIBRARY))
native = libraries.algorithms()

def zeros(shape):
    return tf.raw_ops.Fill(dims=tf.constant(shape, tf.int64), value=tf.zeros([]))

def tell(name, call):
    print(json.dumps([name, None]), flush=True)
    try:
        call()
        outcome = "nothing"
    except Exception as error:
        outcome = type(error).__name__ + ": " + str(error)
    print(json.dumps([name, outcome]), flush=True)

pairs, lstm = arguments(), lstm_arguments()
without_keeping = {{name: value for name, value in pairs.items() if name != "keep_bytes"}}
gradients = without_keeping | {{"upstream": zeros([4, 2]), "kept": zeros([0, 2, 3])}}
for kind, function, valid in [
    ("lstm", raw.coref_sentence_lstm, lstm),
    ("pairs", raw.coref_pair_scores, pairs),
    ("gradients", raw.coref_pair_scores_gradients, gradients),
]:
    for name, (changes, _) in {cases!r}[kind].items():
        changed = {{key: [zeros(shape)] if key == "part_values" else zeros(shape) for key, shape in changes.items()}}
        tell(kind + " " + name, lambda: function(**valid | changed))
spans = [np.ones(3, np.float32), np.arange(3, dtype=np.int32), np.arange(3, dtype=np.int32), 2]
most = np.int32(2**31 - 1)
tell("antecedents", lambda: raw.coref_nearest_antecedents(num_spans=most, max_antecedents=most))
tell("rows", lambda: raw.coref_top_antecedents(coarse_scores=zeros([0, 2**31]), max_antecedents=1))
tell("no directions", lambda: raw.coref_sentence_lstm(
    zeros([3, 0, 0]), [3], zeros([0, 0, 0]), zeros([0, 1, 0]), zeros([0, 1, 0]), zeros([0, 3, 0])))
d = 2**31 - 1
tell("many directions", lambda: raw.coref_sentence_lstm(
    zeros([3, d, 0]), [3], zeros([d, 0, 0]), zeros([d, 1, 0]), zeros([d, 1, 0]), zeros([d, 3, 0])))
for threads in (10**6, 1025, 0, -1):
    tell("extract with threads " + str(threads), lambda: native.extract_spans(*spans, threads=threads))
    tell("top with threads " + str(threads), lambda: native.top_antecedents(np.ones([2, 2]), 1, threads=threads))
    tell("score with threads " + str(threads), lambda: native.score_documents([("d", [], [])], 1, False, threads))
tell("extract with threads 1024", lambda: native.extract_spans(*spans, threads=1024))
tell("native columns", lambda: native.top_antecedents(np.zeros([0, 2**32], np.float32), 3))
for document in [None, (), ("d", []), ["d", [], []], ("d", [], [], [])]:
    tell("document " + repr(document), lambda: native.score_documents([document], 1, False))
"""


@pytest.fixture(scope="module")
def outcomes():
    """The outcome of each call, by name. If a call crashes the process, the error message names it."""
    cases = {"lstm": LSTM, "pairs": PAIRS, "gradients": GRADIENTS}
    path = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "layers")]
    script = SCRIPT.format(path=path, cases=cases)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    outcomes = dict(map(json.loads, done.stdout.splitlines()))
    assert done.returncode == 0, (
        f"{[n for n, what in outcomes.items() if what is None]}: {done.stderr[-2000:]}"
    )
    return outcomes


@pytest.mark.parametrize(("kind", "cases"), [("lstm", LSTM), ("pairs", PAIRS), ("gradients", GRADIENTS)])
def test_the_error_names_the_input(outcomes, kind, cases):
    for name, (_, message) in cases.items():
        assert outcomes[f"{kind} {name}"].startswith("InvalidArgumentError: "), name
        assert message in outcomes[f"{kind} {name}"]


def test_outputs_that_would_be_too_large_are_refused(outcomes):
    assert (
        "InvalidArgumentError" in outcomes["antecedents"]
        and "num_spans must be smaller" in outcomes["antecedents"]
    )
    assert "coarse_scores must have dimensions of at most 2147483647" in outcomes["rows"]


def test_empty_input_with_huge_dimensions_returns_at_once(outcomes):
    assert outcomes["no directions"] == outcomes["many directions"] == "nothing"


@pytest.mark.parametrize("function", ["extract", "top", "score"])
def test_the_bindings_limit_the_number_of_threads(outcomes, function):
    for threads in (10**6, 1025, 0, -1):
        expected = f"ValueError: threads must be at least 1 and at most 1024. Received: {threads}"
        assert outcomes[f"{function} with threads {threads}"] == expected
    assert outcomes["extract with threads 1024"] == "nothing"


def test_the_bindings_refuse_more_columns_than_int32_can_index(outcomes):
    assert outcomes["native columns"].startswith(
        "ValueError: a row of coarse_scores must have at most 2147483647"
    )


def test_documents_to_score_must_be_tuples_of_three(outcomes):
    selected = [outcome for name, outcome in outcomes.items() if name.startswith("document ")]
    assert len(selected) == 5
    for outcome in selected:
        assert outcome.startswith(
            "ValueError: a document must be a tuple of name, key and response. Received: "
        )
