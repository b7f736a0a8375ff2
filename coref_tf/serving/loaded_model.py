"""A SavedModel in memory, run the way TensorFlow Serving runs it."""

import ctypes
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef

from coref_tf.export.about import read_about
from coref_tf.export.needed_ops import load_needed_ops
from coref_tf.serving.predict_request import Form
from coref_tf.serving.predict_response import encode_response
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.signature import Signature, TensorInput
from coref_tf.support.errors import CorefError

_C_LIBRARY = ctypes.CDLL(None)

_INTERNAL = "__saved_model_"  # how TensorFlow's own signatures begin

_MOST_FIXED = 2**20  # values of an input whose shape is fixed

# What the outcome of a run is to the client; anything else is the server's mistake.
_STATUSES = {
    tf.errors.InvalidArgumentError: 400,
    tf.errors.FailedPreconditionError: 400,
    tf.errors.OutOfRangeError: 400,
    tf.errors.ResourceExhaustedError: 503,
}


class LoadedModel:
    """A SavedModel in a session of its own: runs can be in parallel, end at a time limit, and close() frees it.

    Example:
        model = LoadedModel(Path("exported/1"))
        model.run(model.signatures["text"], {"text": np.array(b"Ana said she left.", object)}, seconds=10)
    """

    def __init__(self, folder: Path):
        self._session = tf.compat.v1.Session(graph=tf.Graph())
        try:
            load_needed_ops(folder)
            with self._session.graph.as_default():
                meta_graph = tf.compat.v1.saved_model.load(self._session, ["serve"], os.fspath(folder))
            self._session.graph.finalize()  # from now on threads share it
            self.signature_defs: Mapping[str, SignatureDef] = meta_graph.signature_def
            self.signatures = _signatures(meta_graph.signature_def)
            self.about = read_about(folder)
        except CorefError:
            self.close()
            raise
        except Exception as error:  # a damaged file makes TensorFlow raise almost anything
            self.close()
            raise CorefError(f"{folder} can't be loaded: {_what(error)}") from None

    def run(
        self, signature: Signature, inputs: Mapping[str, np.ndarray], seconds: float
    ) -> dict[str, np.ndarray]:
        """The outputs for some inputs; a RequestError says why there are none, a TimeoutError that time is over."""
        feeds = {signature.inputs[name].tensor: value for name, value in inputs.items()}
        options = tf.compat.v1.RunOptions(timeout_in_ms=max(1, int(seconds * 1000)))
        try:
            outputs = self._session.run(signature.outputs, feeds, options=options)
        except tf.errors.DeadlineExceededError:
            raise TimeoutError(f"it takes more than {seconds:g} seconds") from None
        except tuple(_STATUSES) as error:
            raise RequestError(_STATUSES[type(error)], _what(error)) from None
        # A string by itself comes as bytes, which NumPy would cut at the last character that isn't zero.
        return {
            name: np.array(value, object) if isinstance(value, bytes) else np.asarray(value)
            for name, value in sorted(outputs.items())
        }

    def warm_up(self, seconds: float) -> None:
        """Runs every signature once on a single word: TensorFlow prepares much only then."""
        for signature in self.signatures.values():
            inputs = {name: _one_word(name, expected) for name, expected in signature.inputs.items()}
            encode_response(Form.COLUMNS, [self.run(signature, inputs, seconds)])

    def close(self) -> None:
        """Frees the memory; no run must be under way."""
        self._session.close()
        del self._session
        # glibc would keep what is between blocks that are still in use, about half of it.
        if hasattr(_C_LIBRARY, "malloc_trim"):
            _C_LIBRARY.malloc_trim(0)


def _signatures(definitions: Mapping[str, SignatureDef]) -> dict[str, Signature]:
    """What can be asked; what else is in the file may be anything."""
    signatures = {
        name: _signature(name, definition)
        for name, definition in sorted(definitions.items())
        if not name.startswith(_INTERNAL)
    }
    if not signatures:
        raise ValueError("it has no signature")
    return signatures


def _signature(name: str, definition: SignatureDef) -> Signature:
    inputs = {}
    for key, info in sorted(definition.inputs.items()):
        shape = tf.TensorShape(info.tensor_shape)
        kind = tf.dtypes.as_dtype(info.dtype)
        inputs[key] = TensorInput(
            info.name,
            np.dtype(object if kind == tf.string else kind.as_numpy_dtype),
            tuple(shape) if shape.rank is not None else None,
        )
    outputs = {key: info.name for key, info in sorted(definition.outputs.items())}
    return Signature(name, inputs, outputs, frozenset(definition.defaults) & frozenset(inputs))


def _one_word(name: str, expected: TensorInput) -> np.ndarray:
    """A small input."""
    shape = [size or 1 for size in expected.shape or ()]
    if math.prod(shape) > _MOST_FIXED:
        raise ValueError(
            f"input {name} is of {math.prod(shape):,} values; expected one that requests can hold"
        )
    return np.full(shape, b"She" if expected.dtype.kind == "O" else 1, expected.dtype)


def _what(error: Exception) -> str:
    """What an error says, in one line, without the names of the graph's nodes that TensorFlow puts around it.

    `Graph execution error:\\n\\nassertion failed: [x must be y]\\n\\t [[{{node Assert}}]]` says `x must be y`.
    """
    message = getattr(error, "message", None) or str(error)
    before_node = re.search(r"^ *(?:\(0\) [A-Z_ ]+: *)?(.*)\n\s*\[\[", message, re.MULTILINE)
    line = before_node[1] if before_node else message.strip().split("\n")[0]
    assertion = re.fullmatch(r"assertion failed: \[((?:(?!\] \[).)*)\]", line)
    return (assertion[1] if assertion else line) or type(error).__name__
