"""Compares ExtractSpans with a straightforward sequential C++ version and with its portable equivalent."""

import time
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from coref_tf import ops
from coref_tf.support.libraries import algorithms

MAX_WIDTH = 10
KEPT_PER_WORD = 0.4
REPEATS = 9


def run() -> list[dict]:
    """Times all three on all spans of up to 10 words, in one long sentence and in sentences of 20 words."""
    return [row(words, length) for words in (4000, 40000) for length in (words, 20)]


def row(words: int, sentence_length: int) -> dict:
    """Times the three implementations, and checks that their results are equal."""
    arguments = (*candidates(words, sentence_length), int(KEPT_PER_WORD * words))
    sequential = algorithms().extract_spans_sequential
    expected, sequential_seconds = _timed(lambda: sequential(*arguments), repeats=3)
    tensors = [tf.constant(argument) for argument in arguments]
    found, seconds = _timed(lambda: ops.extract_spans(*tensors), REPEATS)
    twin, portable_seconds = _timed(lambda: ops.extract_spans(*tensors, backend="portable"), repeats=3)
    if not np.array_equal(found, expected) or not np.array_equal(twin, expected):
        raise AssertionError(f"the implementations of ExtractSpans disagree for {words} words")
    text = "one group" if sentence_length == words else f"sentences of {sentence_length} words"
    row = {"benchmark": f"ExtractSpans: {words} words, {text}", "spans": len(arguments[0])}
    row |= {"kept": len(expected), "sequential_seconds": sequential_seconds, "seconds": seconds}
    return row | {"portable_seconds": portable_seconds, "times_faster": sequential_seconds / seconds}


def candidates(words: int, sentence_length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns random scores, and the starts and ends of all spans within sentences."""
    starts = np.repeat(np.arange(words, dtype=np.int32), MAX_WIDTH)
    ends = starts + np.tile(np.arange(MAX_WIDTH, dtype=np.int32), words)
    inside = (ends < words) & (starts // sentence_length == ends // sentence_length)
    scores = np.random.default_rng(0).normal(size=inside.sum()).astype(np.float32)
    return scores, starts[inside], ends[inside]


def _timed(function: Callable, repeats: int) -> tuple[np.ndarray, float]:
    """Returns the result of a function, and the shortest time of several runs."""
    result, times = np.asarray(function()), []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return result, min(times)
