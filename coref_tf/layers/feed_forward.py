"""The feed-forward networks of the paper: FFNN followed by the dot product with w."""

import tensorflow as tf

from coref_tf.layers.dropout import dropout


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

    def __init__(self, parts, depth, units, dropout_rate=0.0, **kwargs):
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

    def weights_of(self, part):
        """The rows of the first kernel that belong to `part`, [size of the part, units]."""
        names = list(self.parts)
        return tf.split(self.kernels[0], list(self.parts.values()))[names.index(part)]

    def project(self, part, values):
        """W_part values: [..., size of the part] -> [..., units]."""
        return tf.tensordot(values, self.weights_of(part), axes=1)

    def later_weights(self):
        """All weights but the first kernel, as tensors."""
        return tuple(map(tf.convert_to_tensor, (*self.biases, *self.kernels[1:])))

    def call(self, projected, seed=None, later_weights=None):
        """The rest of the network.

        Args:
            projected: [..., units], the sum of all parts' projections ([..., 1] where depth is 0).
            seed: of dropout; None in prediction.
            later_weights: tensors to use in place of the layer's own weights, where a gradient is wanted for
                those; see `later_weights`.

        Returns:
            [...], one score each.
        """
        weights = later_weights or self.later_weights()
        biases, kernels = weights[: self.depth + 1], weights[self.depth + 1 :]
        hidden = projected + biases[0]
        for layer, (kernel, bias) in enumerate(zip(kernels, biases[1:], strict=True)):
            hidden = dropout(tf.nn.relu(hidden), self.dropout_rate, seed, salt=layer)
            hidden = tf.tensordot(hidden, kernel, axes=1) + bias
        return tf.squeeze(hidden, axis=-1)

    def get_config(self):
        """The arguments that make this layer again."""
        names = ["parts", "depth", "units", "dropout_rate"]
        return super().get_config() | {name: getattr(self, name) for name in names}
