"""The gradients of the custom ops, each by an op of its own."""

from types import ModuleType
from typing import Any


def pair_scores(library: ModuleType, op: Any, upstream: Any, _: Any) -> list:
    """The gradients of all inputs of Coref>PairScores; integers have none."""
    names = ["num_parts", "num_hidden", "num_output", "same_speaker", "feature_dropout", "hidden_dropout"]
    parts, hidden, output, *attributes = (op.get_attr(name) for name in names)
    sizes = [parts, parts, 1, 1, 1, 1, 1, 1, 1, hidden, output, 1]
    lists, inputs = [], list(op.inputs)
    for place, size in enumerate(sizes):
        taken, inputs = inputs[:size], inputs[size:]
        lists.append(taken if place in (0, 1, 9, 10) else taken[0])
    gradients = library.coref_pair_scores_gradients(*lists, upstream, op.outputs[1], *attributes)
    values, kernel, targets, antecedents, features, feature_kernel, hidden, output = gradients
    integers = [None] * parts
    differentiable = [kernel, targets, antecedents, None, None, features, feature_kernel]
    return [*values, *integers, *differentiable, *hidden, *output, None]


def sentence_lstm(library: ModuleType, op: Any, upstream: Any, *_: Any) -> list:
    """The gradients of the inputs of Coref>SentenceLSTM; how many sentences run, and the mask, have none."""
    projected, *states = library.coref_sentence_lstm_gradients(*op.inputs, *op.outputs, upstream)
    return [projected, None, *states, None]
