"""The calls of tests/fuzz/ops.py: valid arguments of an op or binding, some of which are then made invalid."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import op_arguments
import tensorflow as tf
from cases import Case

from coref_tf import ops
from coref_tf.ops import library
from coref_tf.support import libraries

INT32 = np.iinfo(np.int32)

BAD_FLOATS = [np.nan, np.inf, -np.inf, -1.0, 1e38, -0.0, 1e-45]
BAD_INTEGERS = [-1, 1, INT32.min, INT32.max, 7, 1000]
BAD_WHOLE_NUMBERS = [-1, 0, 1, 7, 2**31, -(2**31) - 1, 2**40, 0.5]
BAD_RATES = [-1, 0, 1, 2**31, 1.0, -0.1, np.nan, np.inf, 0.9999999]
NO_ARRAYS = [None, "text", b"", [], [[1], [2, 3]], {}, object(), 1j]


class Target(NamedTuple):
    """A function to fuzz."""

    name: str
    function: Callable
    arguments: Callable[[np.random.Generator], dict[str, Any]]  # valid ones
    check: Callable[[dict[str, Any], Any], None]  # takes the arguments and the result


@functools.cache
def targets() -> list[Target]:
    """Returns all raw ops, the functions of `coref_tf.ops`, and the bindings."""
    library.custom_ops()
    raw, native = tf.load_op_library(str(libraries.OPS_LIBRARY)), libraries.algorithms()
    found = []
    for name in ("extract_spans", "nearest_antecedents", "top_antecedents"):
        arguments, check = getattr(op_arguments, name), getattr(op_arguments, f"check_{name}")
        found.append(Target(f"raw {name}", getattr(raw, f"coref_{name}"), arguments, check))
        found += [
            Target(f"{name} {kind}", functools.partial(getattr(ops, name), backend=kind), arguments, check)
            for kind in ops.BACKENDS
        ]
        found.append(Target(f"native {name}", getattr(native, name), arguments, check))
        emulated = functools.partial(op_arguments.with_seed, arguments)
        found.append(Target(f"emulated {name}", getattr(native, f"emulated_{name}"), emulated, check))
        if name != "nearest_antecedents":
            threaded = functools.partial(op_arguments.with_threads, arguments)
            found.append(Target(f"threaded {name}", getattr(native, name), threaded, check))
    found.append(
        Target(
            "native extract_spans_sequential",
            native.extract_spans_sequential,
            op_arguments.extract_spans,
            op_arguments.check_extract_spans,
        )
    )
    for name in (
        "pair_scores",
        "pair_scores_gradients",
        "sentence_lstm",
        "sentence_lstm_gradients",
        "int8_dense",
        "self_attention",
    ):
        arguments, check = getattr(op_arguments, name), getattr(op_arguments, f"check_{name}")
        # These run twice as often as the rest, since they have the most arguments to validate.
        found += 2 * [Target(f"raw {name}", getattr(raw, f"coref_{name}"), arguments, check)]
    scores = op_arguments.score_documents, op_arguments.check_score_documents
    return [*found, Target("native score_documents", native.score_documents, *scores)]


def hostile_call(number: int, seed: int) -> Case:
    """Returns a call that is valid in one case of ten, and otherwise invalid in one to three places."""
    generator = np.random.default_rng([seed, number])
    target = targets()[number % len(targets())]
    arguments = target.arguments(generator)
    for _ in range(generator.choice([0, 1, 2, 3], p=[0.1, 0.5, 0.3, 0.1])):
        name = str(generator.choice(list(arguments)))
        arguments[name] = _spoil(name, arguments[name], generator)
    function = target.function
    in_graph = target.name.startswith("raw") and generator.random() < 0.1
    if in_graph:
        function = tf.function(target.function, autograph=False)
    text = ", ".join(f"{name}={_describe(value)}" for name, value in arguments.items())
    return Case(
        f"{target.name}{' in a graph' if in_graph else ''}({text})",
        lambda: function(**arguments),
        lambda result: target.check(arguments, result),
    )


def _spoil(name: str, value: Any, generator: np.random.Generator) -> Any:
    """Returns something else in place of a valid argument."""
    if isinstance(value, list):
        return _spoil_list(name, value, generator)
    if isinstance(value, tuple):
        spoilt = _spoil_list(name, list(value), generator)
        return tuple(spoilt) if isinstance(spoilt, list) else spoilt
    if isinstance(value, tf.Tensor):
        return _empty_and_huge(np.zeros([0] * value.shape.rank, value.dtype.as_numpy_dtype), generator)
    if not isinstance(value, np.ndarray):
        scalars = BAD_RATES if isinstance(value, float) else BAD_WHOLE_NUMBERS
        return _pick([*scalars, *NO_ARRAYS], generator)
    if name == "num_spans":
        # A large number would be a valid request for more memory than the machine has.
        return np.array(_pick([-1, 0, 3, INT32.min], generator), np.int32)
    way = _pick([_resize, _empty_and_huge, _empty_and_huge, _put, _put, _retype, _rerank], generator)
    if generator.random() < 0.05:
        return _pick(NO_ARRAYS, generator)
    return way(value, generator)


def _spoil_list(name: str, values: list, generator: np.random.Generator) -> Any:
    way = generator.integers(6)
    if not values or way == 0:
        return _pick([[], *NO_ARRAYS], generator)
    place = int(generator.integers(len(values)))
    if way == 1:
        return values[:place] + values[place + 1 :]
    if way == 2:
        return [*values, values[place]]
    return [*values[:place], _spoil(name, values[place], generator), *values[place + 1 :]]


def _resize(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Sets one dimension to 0, or changes it by one."""
    if not array.ndim:
        return array.reshape(1)
    axis = int(generator.integers(array.ndim))
    size = max(0, _pick([0, array.shape[axis] - 1, array.shape[axis] + 1], generator))
    shape = (*array.shape[:axis], size, *array.shape[axis + 1 :])
    if (
        not array.size and 0 not in shape and max(shape) > 1000
    ):  # already empty and huge; with elements it would not fit into memory
        return array
    return np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)


def _empty_and_huge(array: np.ndarray, generator: np.random.Generator) -> Any:
    """Returns an empty array with dimensions whose products overflow."""
    rank = max(array.ndim, 2)
    shape = [_pick([0, 1, *array.shape, *op_arguments.HUGE], generator) for _ in range(rank)]
    shape[int(generator.integers(rank))] = 0
    try:
        if generator.random() < 0.3:
            return np.zeros(shape, array.dtype)
        kind = tf.int32 if array.dtype.kind == "i" else tf.float32
        return tf.raw_ops.Fill(dims=tf.constant(shape, tf.int64), value=tf.zeros([], kind))
    except (ValueError, tf.errors.OpError):  # a shape that TensorFlow or NumPy cannot represent
        return np.zeros([0, *array.shape], array.dtype)


def _put(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Puts an invalid number into the array."""
    array = array.copy()
    if array.size and array.dtype.kind in "if":
        bad = BAD_INTEGERS if array.dtype.kind == "i" else BAD_FLOATS
        array.flat[int(generator.integers(array.size))] = _pick(bad, generator)
    return array


def _retype(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    kinds = [np.float64, np.int64, np.int8, np.uint32, np.bool_, np.complex64, np.str_, object, np.float16]
    with np.errstate(all="ignore"):
        return array.astype(_pick(kinds, generator))


def _rerank(array: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    return _pick(
        [array.reshape(-1), array[np.newaxis], array[..., np.newaxis], np.zeros((), array.dtype)], generator
    )


def _pick(choices: list, generator: np.random.Generator) -> Any:
    return choices[int(generator.integers(len(choices)))]


def _describe(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_describe, value))}]"
    if isinstance(value, np.ndarray | tf.Tensor):
        shape = "x".join(map(str, value.shape)) or "scalar"
        numbers = value.reshape(-1)[:4].tolist() if isinstance(value, np.ndarray) else ""
        return f"{np.dtype(value.dtype.name) if not isinstance(value, np.ndarray) else value.dtype} {shape} {numbers}"
    return repr(value)[:200]
