"""The gradients of the custom ops, each implemented by another op."""

from types import ModuleType
from typing import Any

from coref_tf.support.errors import CorefError

# The inputs of Coref>PairScores in order, and the attributes that count list inputs; an eager op does not provide them.
_PAIR_INPUTS = {
    "part_values": "num_parts",
    "part_rows": "num_parts",
    "product_kernel": None,
    "targets": None,
    "antecedents": None,
    "numbers": "num_numbers",
    "difference_kinds": "num_numbers",
    "features": None,
    "feature_kernel": None,
    "hidden": "num_hidden",
    "output": "num_output",
    "seed": None,
}
_PAIR_ATTRIBUTES = ("max_antecedents", "feature_dropout", "hidden_dropout")


def pair_scores(library: ModuleType, op: Any, upstream: Any, _: Any) -> list:
    """Returns the gradients of all inputs of Coref>PairScores; integer inputs have none."""
    inputs = iter(op.inputs)
    given = {
        name: [next(inputs) for _ in range(op.get_attr(count))] if count else next(inputs)
        for name, count in _PAIR_INPUTS.items()
    }
    attributes = {name: op.get_attr(name) for name in _PAIR_ATTRIBUTES}
    found = library.coref_pair_scores_gradients(**given, **attributes, upstream=upstream, kept=op.outputs[1])
    gradients: list[Any] = []
    for name, values in given.items():
        nothing = [None] * len(values) if isinstance(values, list) else None
        own = getattr(found, f"{name}_gradients", nothing)
        gradients += own if isinstance(own, list) else [own]
    return gradients


def sentence_lstm(library: ModuleType, op: Any, upstream: Any, *_: Any) -> list:
    """Returns the gradients of the inputs of Coref>SentenceLSTM; the sentence counts and the mask have none."""
    projected, *states = library.coref_sentence_lstm_gradients(*op.inputs, *op.outputs, upstream)
    return [projected, None, *states, None]


def int8_dense(op: Any, upstream: Any) -> list:
    """Raises an error: rounding to integers has no useful gradient."""
    raise CorefError(
        "Coref>Int8Dense has no gradient: int8 weights are for prediction; expected context.products = float32 for"
        " training an encoder"
    )


def self_attention(op: Any, upstream: Any) -> list:
    """Raises an error: an encoder in training computes attention with TensorFlow's built-in ops."""
    raise CorefError(
        "Coref>SelfAttention has no gradient: it is for prediction; expected a ContextEncoder with fused=False for"
        " training an encoder"
    )
