"""Valid arguments for every raw op and binding, and checks of their results."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import oracles
import tensorflow as tf

from coref_tf.ops.int8 import pack_kernel

METRICS = 63

# Dimensions that only an empty tensor can have.
HUGE = [2**31 - 1, 2**31, 2**31 + 1, 2**32, 2**32 + 3, 2**40, 2**61, 2**62, 2**63 - 1]


def _integers(generator: np.random.Generator, limit: int, *shape: int) -> np.ndarray:
    return generator.integers(max(limit, 1), size=shape).astype(np.int32)


def _floats(generator: np.random.Generator, *shape: int) -> np.ndarray:
    return generator.normal(size=shape).astype(np.float32)


def _empty(*shape: int) -> Any:
    """Returns an empty tensor of a shape, which is clipped if TensorFlow cannot represent it."""
    try:
        return tf.raw_ops.Fill(dims=tf.constant(shape, tf.int64), value=tf.zeros([]))
    except (ValueError, tf.errors.OpError):
        return np.zeros([min(size, 1) for size in shape], np.float32)


def _huge(generator: np.random.Generator) -> int:
    return int(generator.choice([0, 1, *HUGE]))


def _whole(number: Any) -> int:
    """Returns a count as TensorFlow reads it: it accepts complex numbers and truncates wide integers."""
    return int(np.real(np.asarray(number)).astype(np.int32))


def with_threads(arguments: Callable, generator: np.random.Generator) -> dict[str, Any]:
    """Returns the arguments with a number of threads."""
    return arguments(generator) | {
        "threads": [1, 2, 5, 1024, 1025, 10**6, 10**9, 0, -1][generator.integers(9)]
    }


def with_seed(arguments: Callable, generator: np.random.Generator) -> dict[str, Any]:
    """Returns the arguments with a seed for the order of the emulated threads."""
    return arguments(generator) | {"seed": int(generator.integers(100))}


# --- Spans --------------------------------------------------------------------------------------------------


def extract_spans(generator: np.random.Generator) -> dict[str, Any]:
    """Returns some candidates, either more or fewer than the requested number of spans."""
    count = int(generator.integers(30))
    starts = _integers(generator, 20, count)
    return {
        "span_scores": _floats(generator, count),
        "candidate_starts": starts,
        "candidate_ends": starts + _integers(generator, 6, count),
        "num_output_spans": np.array(generator.integers(20), np.int32),
    }


def check_extract_spans(arguments: dict[str, Any], found: Any) -> None:
    """Checks that the result equals the oracle's."""
    values = [np.asarray(arguments[name]) for name in list(arguments)[:4]]
    expected = oracles.extract_spans(values[0].astype(np.float32), *(v.astype(np.int32) for v in values[1:]))
    np.testing.assert_array_equal(np.asarray(found), expected)


def nearest_antecedents(generator: np.random.Generator) -> dict[str, Any]:
    """Returns two counts."""
    return {
        "num_spans": np.array(generator.integers(20), np.int32),
        "max_antecedents": np.array(generator.integers(20), np.int32),
    }


def check_nearest_antecedents(arguments: dict[str, Any], found: Any) -> None:
    """Checks that the result equals the oracle's."""
    expected = oracles.nearest_antecedents(
        _whole(arguments["num_spans"]), _whole(arguments["max_antecedents"])
    )
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), theirs)


def top_antecedents(generator: np.random.Generator) -> dict[str, Any]:
    """Returns the coarse scores of the last spans."""
    spans = int(generator.integers(12))
    return {
        "coarse_scores": _floats(generator, int(generator.integers(spans + 1)), spans),
        "max_antecedents": np.array(generator.integers(14), np.int32),
    }


def check_top_antecedents(arguments: dict[str, Any], found: Any) -> None:
    """Checks the shape of the result, and that antecedents precede their span."""
    antecedents, lengths = (np.asarray(array) for array in found)
    rows, spans = np.shape(arguments["coarse_scores"])
    assert antecedents.shape == (rows, min(spans, _whole(arguments["max_antecedents"])))
    for row, (length, places) in enumerate(zip(lengths, antecedents, strict=True)):
        span = spans - rows + row
        assert length == min(span, antecedents.shape[1])
        assert len(set(places[:length])) == length
        assert all(0 <= place < max(span, 1) for place in places)


# --- Pairs --------------------------------------------------------------------------------------------------


def pair_scores(generator: np.random.Generator) -> dict[str, Any]:
    """Returns some spans in two parts, with or without features and dropout."""
    arguments = _pairs(generator) if generator.random() < 0.8 else _no_pairs(generator)
    return arguments | {"keep_bytes": int(generator.choice([0, 100, 10**6, 2**62]))}


def _pairs(generator: np.random.Generator) -> dict[str, Any]:
    spans, most, size = (int(generator.integers(low, 9)) for low in (0, 0, 1))
    depth = int(generator.integers(3))
    units = 1 if depth == 0 else int(generator.integers(1, 6))
    phi, kinds = int(generator.integers(1, 5)), int(generator.choice([0, 4]))
    projected = bool(generator.integers(2))
    values = [_floats(generator, 1 + n, size + n) for n in range(2)]
    features = _floats(generator, kinds, units if projected else phi)
    return {
        "part_values": values,
        "part_rows": [_integers(generator, len(part), spans) for part in values],
        "product_kernel": _floats(generator, 2 * size + 1, units),
        "targets": _floats(generator, spans, units),
        "antecedents": _floats(generator, spans, units),
        "numbers": [_integers(generator, 3, spans) for _ in range(2)],
        "difference_kinds": [
            bins * _integers(generator, 2, int(generator.integers(1, 4))) for bins in (1, 2)
        ],
        "features": features,
        "feature_kernel": _floats(generator, 0 if projected else phi, units),
        "hidden": [
            _floats(generator, *shape)
            for _ in range(max(depth - 1, 0))
            for shape in ([units, units], [units])
        ],
        "output": [_floats(generator, units, 1), _floats(generator, 1)] if depth else [],
        "seed": _integers(generator, 9, 2 * int(generator.integers(2))),
        "max_antecedents": most,
        "feature_dropout": 0.3,
        "hidden_dropout": 0.2,
    }


def _no_pairs(generator: np.random.Generator) -> dict[str, Any]:
    """Returns arguments without spans or units, whose other dimensions may be huge."""
    sizes = [_huge(generator), int(generator.choice([0, 1]))]
    kinds, phi = sorted([0, _huge(generator)], key=lambda _: generator.random())
    return _pairs(generator) | {
        "part_values": [_empty(0, size) for size in sizes],
        "part_rows": [np.zeros(0, np.int32)] * 2,
        "product_kernel": _empty(sum(sizes) % 2**63, 0),
        "targets": _empty(0, 0),
        "antecedents": _empty(0, 0),
        "numbers": [np.zeros(0, np.int32)] * 2,
        "features": _empty(kinds, phi),
        "feature_kernel": _empty(phi, 0),
        "hidden": [_empty(0, 0), _empty(0)] * int(generator.integers(2)),
        "output": [_empty(0, 1), np.zeros(1, np.float32)],
    }


def check_pair_scores(arguments: dict[str, Any], found: Any) -> None:
    """Checks that there is a row of scores for each span, padded after its antecedents."""
    scores, kept = (np.asarray(array) for array in found)
    spans, units = np.shape(arguments["targets"])
    # TensorFlow truncates an attribute that is not an integer.
    assert scores.shape == (spans, min(spans, int(arguments["max_antecedents"])))
    assert kept.shape[1:] == (scores.shape[1], units) and len(kept) <= spans
    for span, row in enumerate(scores):
        assert np.isneginf(row[span:]).all()


def pair_scores_gradients(generator: np.random.Generator) -> dict[str, Any]:
    """Returns arguments with the gradients of the scores, and the kept activations of some of the spans."""
    if generator.random() < 0.2:
        kept = _empty(*sorted([0, 0, _huge(generator)], key=lambda _: generator.random()))
        return _no_pairs(generator) | {"upstream": _empty(0, 0), "kept": kept}
    arguments = _pairs(generator)
    spans, units = arguments["targets"].shape
    columns = min(spans, arguments["max_antecedents"])
    kept = _floats(generator, int(generator.integers(spans + 1)), columns, units)
    return arguments | {"upstream": _floats(generator, spans, columns), "kept": kept}


def check_pair_scores_gradients(arguments: dict[str, Any], found: Any) -> None:
    """Checks that every gradient has the shape of its value."""
    for name, gradients in found._asdict().items():
        values = arguments[name.removesuffix("_gradients")]
        if not isinstance(gradients, list):
            values, gradients = [values], [gradients]
        for value, gradient in zip(values, gradients, strict=True):
            assert tuple(np.shape(value)) == tuple(gradient.shape), name


# --- The LSTM -----------------------------------------------------------------------------------------------


def sentence_lstm(generator: np.random.Generator) -> dict[str, Any]:
    """Returns sentences of some words, in one or two directions."""
    if generator.random() < 0.2:
        return _no_words(generator)
    lengths = generator.integers(1, 6, size=int(generator.integers(5)))
    running = [int((lengths > step).sum()) for step in range(max(lengths, default=0))]
    directions, units = int(generator.integers(1, 3)), int(generator.integers(1, 5))
    return {
        "projected": _floats(generator, sum(running), directions, 3 * units),
        "running": np.array(running, np.int32),
        "recurrent_kernel": _floats(generator, directions, units, 3 * units),
        "initial_c": _floats(generator, directions, 1, units),
        "initial_h": _floats(generator, directions, 1, units),
        "mask": _floats(generator, directions, len(lengths), units),
    }


def _no_words(generator: np.random.Generator) -> dict[str, Any]:
    """Returns arguments without directions or without units, whose other dimensions may be huge."""
    directions, units = sorted([0, _huge(generator)], key=lambda _: generator.random())
    sentences = _huge(generator)
    running = [sentences] if 0 < sentences < 2**31 else []
    gates = 3 * units if 3 * units < 2**63 else units
    return {
        "projected": _empty(sum(running), directions, gates),
        "running": np.array(running, np.int32),
        "recurrent_kernel": _empty(directions, units, gates),
        "initial_c": _empty(directions, 1, units),
        "initial_h": _empty(directions, 1, units),
        "mask": _empty(directions, sentences, units),
    }


def check_sentence_lstm(arguments: dict[str, Any], found: Any) -> None:
    """Checks that there are states for every word."""
    words, directions, gates = np.shape(arguments["projected"])
    assert found.h.shape == found.c.shape == (words, directions, gates // 3)
    assert found.gates.shape == (words, directions, gates)


def sentence_lstm_gradients(generator: np.random.Generator) -> dict[str, Any]:
    """Returns arguments with states and the gradients of h."""
    arguments = sentence_lstm(generator)
    words, directions, gates = arguments["projected"].shape
    make = _empty if 0 in (words, directions, gates) else functools.partial(_floats, generator)
    states = {name: make(words, directions, gates // 3) for name in ("h", "c", "upstream")}
    return arguments | states | {"gates": make(words, directions, gates)}


check_sentence_lstm_gradients = check_pair_scores_gradients


# --- Scores -------------------------------------------------------------------------------------------------


class Liar:
    """A mention that is hashable but cannot be compared."""

    def __hash__(self):
        return hash((1, 2))

    def __eq__(self, other):
        raise ValueError("no comparison")


def score_documents(generator: np.random.Generator) -> dict[str, Any]:
    """Returns documents with clusters of mentions, most of which are spans."""

    def clusters() -> list:
        odd = [(1, 2.0), "a", (-1, 2**70), None, Liar(), [1, 2], (1, 2), float("nan")]
        mentions = [
            tuple(map(int, generator.integers(8, size=2))) for _ in range(int(generator.integers(12)))
        ]
        if mentions and generator.random() < 0.2:
            mentions[0] = odd[generator.integers(len(odd))]
        return [mentions[i : i + 3] for i in range(0, len(mentions), 3)]

    documents = [(f"document {n}", clusters(), clusters()) for n in range(int(generator.integers(4)))]
    threads = [None, 1, 3, 10**6, 0, -1][generator.integers(6)]
    repeated = bool(generator.integers(2))
    return {"documents": documents, "metrics": METRICS, "allow_repeated": repeated, "threads": threads}


def check_score_documents(arguments: dict[str, Any], found: Any) -> None:
    """Checks that there are finite figures for every document, and that none is negative."""
    assert len(found) == len(list(arguments["documents"]))
    for figures in found:
        values = np.array(figures)
        assert np.isfinite(values).all() and (values >= 0).all()


# --- Dense layers in int8 ---------------------------------------------------------------------------------


def int8_dense(generator: np.random.Generator) -> dict[str, Any]:
    """Returns some rows and a packed kernel."""
    rows, depth, units = (int(generator.integers(low, 40)) for low in (0, 1, 1))
    weights = generator.integers(-127, 128, [depth, units]).astype(np.int8)
    kernel = pack_kernel(weights, np.abs(_floats(generator, units)))
    return {"values": _floats(generator, rows, depth), **kernel._asdict(), "bias": _floats(generator, units)}


def check_int8_dense(arguments: dict[str, Any], found: Any) -> None:
    """Checks that there is an output for every row and unit."""
    assert found.shape == (np.shape(arguments["values"])[0], np.shape(arguments["scales"])[0])


def self_attention(generator: np.random.Generator) -> dict[str, Any]:
    """Returns some windows, with or without relative positions."""
    windows, pieces, heads, size = (
        int(generator.integers(low, high)) for low, high in ((0, 3), (1, 40), (1, 5), (1, 20))
    )
    distances = (2 * pieces - 1) * int(generator.integers(2))
    projected = _floats(generator, windows, pieces, 3 * heads * size)
    return {"projected": projected, "relative": _floats(generator, heads, distances)}


def check_self_attention(arguments: dict[str, Any], found: Any) -> None:
    """Checks that the result has a third of the columns of the queries, keys and values."""
    windows, pieces, columns = np.shape(arguments["projected"])
    assert found.shape == (windows, pieces, columns // 3)
