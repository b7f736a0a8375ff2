"""Writes requests that TensorFlow Serving runs when it loads a model, so that the first real requests are fast.

They are PredictionLogs of tensorflow_serving/apis in a TFRecord file. Only a few messages are needed, so they are
composed here from TensorFlow's own messages, without an additional package.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import tensorflow as tf

_TEXT = "Ana Roy runs the bakery on Canal Street. She opened it with her brother, who bakes the rye bread."
_SENTENCES = (("Ana", "Roy", "runs", "the", "bakery", "."), ("She", "opened", "it", "in", "May", "."))

_DOCUMENT = {"tokens": _SENTENCES, "speakers": [[""] * 6] * 2, "genre": "nw"}

_BATCH = {
    "tokens": _SENTENCES[0] + _SENTENCES[1] + _SENTENCES[1],
    "sentence_lengths": [6, 6, 6],
    "document_lengths": [2, 1],
    "speakers": [""],
    "genres": [""],
}
_DIAL: dict[str, object] = {"min_probability": 0.5}

EXAMPLES: Mapping[str, Mapping[str, object]] = {
    "serving_default": _DOCUMENT,
    "text": {"text": _TEXT},
    "batch": _BATCH,
    "details": _DOCUMENT,
    "serving_default_dial": {**_DOCUMENT, **_DIAL},
    "text_dial": {"text": _TEXT, **_DIAL},
    "batch_dial": {**_BATCH, **_DIAL},
}
_KINDS = {"i": tf.int32, "f": tf.float32}


def write_warmup(path: Path, model_name: str = "coref") -> None:
    """Writes one request for each signature."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for signature, inputs in EXAMPLES.items():
            writer.write(prediction_log(model_name, signature, inputs))


def prediction_log(model_name: str, signature: str, inputs: Mapping[str, object]) -> bytes:
    """Serialises a PredictionLog { predict_log { request { model_spec, inputs } } }."""
    spec = _field(1, model_name.encode()) + _field(3, signature.encode())
    request = _field(1, spec)
    for name, value in inputs.items():
        tensor = tf.make_tensor_proto(value, _KINDS.get(np.array(value).dtype.kind, tf.string))
        request += _field(2, _field(1, name.encode()) + _field(2, tensor.SerializeToString()))
    return _field(6, _field(1, request))


def _field(number: int, content: bytes) -> bytes:
    """Serialises a length-delimited field of a protocol buffer: a string or a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    digits = []
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])
