"""The feed-forward networks of the paper: an FFNN followed by the dot product with w."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from coref_tf.layers.dropout import dropout

# A dropout function of (values, rate, seed, number of the use).
Dropout = Callable[[tf.Tensor, float, tf.Tensor | None, int], tf.Tensor]


class FeedForward(tf.keras.layers.Layer):
    """w . FFNN([part, part, ...]): hidden layers with ReLU, then one linear output.

    A layer over a concatenation is a sum of smaller layers: W [a, b] = W_a a + W_b b. `project` applies the first
    weights to one part of the input, so that a caller can project before gathering and computes the product for a
    part that many inputs share only once. `call` continues from the sum of the projections.

    Args:
        parts: The name and size of each part of the input, in the order of the concatenation.
        depth: The number of hidden layers; with 0, the network is one linear layer.
        units: The size of each hidden layer.
        dropout_rate: The dropout rate of each hidden layer.

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
        # The hidden layers, then the output layer.
        sizes = [sum(self.parts.values()), *[units] * depth, 1]
        with tf.name_scope(self.name):
            self.kernels = [self.add_weight(f"kernel_{n}", sizes[n : n + 2]) for n in range(depth + 1)]
            self.biases = [
                self.add_weight(f"bias_{n}", [sizes[n + 1]], initializer="zeros") for n in range(depth + 1)
            ]

    def weights_of(self, part: str) -> tf.Tensor:
        """Returns the rows of the first kernel that belong to `part`, [size of the part, units]."""
        names = list(self.parts)
        return tf.split(self.kernels[0], list(self.parts.values()))[names.index(part)]

    def project(self, part: str, values: tf.Tensor) -> tf.Tensor:
        """Computes W_part values: [..., size of the part] -> [..., units]."""
        return tf.tensordot(values, self.weights_of(part), axes=1)

    def later_weights(self) -> tuple[tf.Tensor, ...]:
        """Returns all weights except the first kernel: the first bias, then the kernel and bias of each later layer."""
        first, *biases = map(tf.convert_to_tensor, self.biases)
        layers = zip(map(tf.convert_to_tensor, self.kernels[1:]), biases, strict=True)
        return first, *(tensor for layer in layers for tensor in layer)

    def call(self, projected: tf.Tensor, seed: tf.Tensor | None = None) -> tf.Tensor:
        """Computes the rest of the network.

        Args:
            projected: [..., units], the sum of the projections of all parts ([..., 1] if depth is 0).
            seed: The dropout seed, or None in prediction.

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
        """Computes the layers after the first, with weights given as tensors so that callers can take gradients.

        Args:
            hidden: [..., units], before the ReLU.
            weights: The kernel and bias of each later layer.
            seed: The dropout seed, or None in prediction.
            drop: A dropout function of (values, rate, seed, number of the layer).

        Returns:
            [...], one score each.
        """
        for layer, (kernel, bias) in enumerate(zip(weights[::2], weights[1::2], strict=True), start=1):
            hidden = drop(tf.nn.relu(hidden), self.dropout_rate, seed, layer)
            hidden = tf.tensordot(hidden, kernel, axes=1) + bias
        return tf.squeeze(hidden, axis=-1)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        names = ["parts", "depth", "units", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}
