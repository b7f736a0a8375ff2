"""Requests to signatures of every kind."""

import json

import numpy as np

from coref_tf.serving.limits import Limits
from coref_tf.serving.predict_request import decode_request
from coref_tf.serving.signature import Signature, TensorInput

STRING = np.dtype(object)
LIMITS = Limits()
SIGNATURES = {
    "serving_default": Signature(
        "serving_default",
        {
            "tokens": TensorInput("tokens:0", STRING, (None, None)),
            "speakers": TensorInput("speakers:0", STRING, (None, None)),
            "genre": TensorInput("genre:0", STRING, ()),
        },
        {},
    ),
    "text": Signature("text", {"text": TensorInput("text:0", STRING, ())}, {}),
    "rows": Signature("rows", {"x": TensorInput("x:0", np.dtype(np.float32), (None, 2))}, {}),
    "named_rows": Signature(
        "named_rows",
        {
            "x": TensorInput("x:0", np.dtype(np.float64), (None, 2)),
            "y": TensorInput("y:0", np.dtype(np.int32), (None,)),
            "z": TensorInput("z:0", np.dtype(bool), (None,)),
        },
        {},
    ),
    "batch": Signature("batch", {"document_lengths": TensorInput("d:0", np.dtype(np.int32), (None,))}, {}),
    "text_dial": Signature(
        "text_dial",
        {
            "text": TensorInput("text:0", STRING, ()),
            "min_probability": TensorInput("p:0", np.dtype(np.float32), ()),
        },
        {},
        frozenset(["min_probability"]),
    ),
    "anything": Signature("anything", {"x": TensorInput("x:0", np.dtype(np.uint8), None)}, {}),
}


def decode(limits=LIMITS, **request):
    return decode_request(json.dumps(request).encode(), SIGNATURES, limits)


def document(tokens, genre="nw"):
    return {"tokens": tokens, "speakers": [["" for _ in row] for row in tokens], "genre": genre}
