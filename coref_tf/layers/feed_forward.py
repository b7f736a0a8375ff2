"""The feed-forward networks of the paper: FFNN followed by the dot product with w."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from coref_tf.layers.dropout import dropout

# Dropout as a function of values, rate, seed and the number of its use.
Dropout = Callable[[tf.Tensor, float, tf.Tensor | None, int], tf.Tensor]


class FeedForward(tf.keras.layers.Layer):
    """w . FFNN([part, part, ...]): hidden rectified layers, then one linear output.

    A layer over a concatenation is a sum of smaller layers: W [a, b] = W_a a + W_b b. `project` applies the
    first weights to one part of the input, so that a caller can project before it gathers, and pays only once
    for what many inputs share. `call` takes the sum of the projections from there.

    Args:
        parts: name -> size of each part of the input, in the order of the concatenation.
        depth: number of hidden layers; 0 leaves one linear layer.
        units: size of each hidden layer.
        dropout_rate: of each hidden layer.

    Example:
        ffnn = FeedForward({"start": 400, "end": 400}, depth=2, units=150)
        ffnn(ffnn.project("start", a) + ffnn.project("end", b))   # [n]
    """

    def __init__(
        self, parts: Mapping[str, int], depth: int, units: int, dropout_rate: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.parts = dict(parts)
        self.depth = depth
        self.units = units
        self.dropout_rate = dropout_rate
        # The hidden layers, then the output.
        sizes = [sum(self.parts.values()), *[units] * depth, 1]
        with tf.name_scope(self.name):
            self.kernels = [self.add_weight(f"kernel_{n}", sizes[n : n + 2]) for n in range(depth + 1)]
            self.biases = [
                self.add_weight(f"bias_{n}", [sizes[n + 1]], initializer="zeros") for n in range(depth + 1)
            ]

    def weights_of(self, part: str) -> tf.Tensor:
        """The rows of the first kernel that belong to `part`, [size of the part, units]."""
        names = list(self.parts)
        return tf.split(self.kernels[0], list(self.parts.values()))[names.index(part)]

    def project(self, part: str, values: tf.Tensor) -> tf.Tensor:
        """W_part values: [..., size of the part] -> [..., units]."""
        return tf.tensordot(values, self.weights_of(part), axes=1)

    def later_weights(self) -> tuple[tf.Tensor, ...]:
        """All weights but the first kernel, as tensors: the first bias, then kernel and bias of each layer."""
        first, *biases = map(tf.convert_to_tensor, self.biases)
        layers = zip(map(tf.convert_to_tensor, self.kernels[1:]), biases, strict=True)
        return first, *(tensor for layer in layers for tensor in layer)

    def call(self, projected: tf.Tensor, seed: tf.Tensor | None = None) -> tf.Tensor:
        """The rest of the network.

        Args:
            projected: [..., units], the sum of all parts' projections ([..., 1] where depth is 0).
            seed: of dropout; None in prediction.

        Returns:
            [...], one score each.
        """
        bias, *later = self.later_weights()
        return self.finish(projected + bias, later, seed)

    def finish(
        self,
        hidden: tf.Tensor,
        weights: Sequence[tf.Tensor],
        seed: tf.Tensor | None = None,
        drop: Dropout = dropout,
    ) -> tf.Tensor:
        """The layers after the first, with weights as tensors, for which a caller may want gradients of its own.

        Args:
            hidden: [..., units], before it is rectified.
            weights: kernel and bias of each later layer.
            seed: of dropout; None in prediction.
            drop: dropout as a function of values, rate, seed and the number of the layer.

        Returns:
            [...], one score each.
        """
        for layer, (kernel, bias) in enumerate(zip(weights[::2], weights[1::2], strict=True), start=1):
            hidden = drop(tf.nn.relu(hidden), self.dropout_rate, seed, layer)
            hidden = tf.tensordot(hidden, kernel, axes=1) + bias
        return tf.squeeze(hidden, axis=-1)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        names = ["parts", "depth", "units", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}
