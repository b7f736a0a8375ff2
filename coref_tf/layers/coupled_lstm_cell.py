"""One step of the LSTM of the paper (section 4, "Span Representations")."""

from typing import Any, NamedTuple

import tensorflow as tf


class LSTMState(NamedTuple):
    """The state between words: cell and hidden state, [directions, sentences, units] each."""

    c: tf.Tensor
    h: tf.Tensor


def orthonormal_gates(input_size: int, units: int, directions: int, gates: int = 3) -> tf.Tensor:
    """Draws initial weights in which each gate is a random orthonormal matrix (Saxe et al. 2013; section 7.1).

    The matrix of a gate is orthonormal as a whole: it includes the rows that multiply the word and those that multiply
    the hidden state. The rows of the word come first, as in [x, h].

    Returns:
        float32 [directions, input_size + units, gates * units].
    """
    # An initializer object returns the same values on every call, so each gate needs its own.
    drawn = [
        [tf.keras.initializers.Orthogonal()([input_size + units, units]) for _ in range(gates)]
        for _ in range(directions)
    ]
    return tf.stack([tf.concat(of_direction, axis=1) for of_direction in drawn])


class CoupledLSTMCell(tf.keras.layers.Layer):
    """An LSTM cell with coupled input and forget gates, for several directions in parallel.

        f = sigmoid(W_f [x, h] + b_f)            o = sigmoid(W_o [x, h] + b_o)
        c~ = tanh(W_c [x, h] + b_c)              c = f * c~ + (1 - f) * c_previous
        h = o * tanh(c)

    The terms that depend only on x are computed outside the cell, for all words at once. The initial states are
    learned. Each direction has its own weights. SentenceEncoder initializes the weights.

    Args:
        units: The size of the cell.
        directions: The number of independent LSTMs that run in parallel.
    """

    def __init__(self, units: int, directions: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.directions = directions
        with tf.name_scope(self.name):
            # The blocks of the gates are in the order f, c~, o.
            self.recurrent_kernel = self.add_weight("recurrent_kernel", [directions, units, 3 * units])
            self.initial_c = self.add_weight("initial_c", [directions, 1, units])
            self.initial_h = self.add_weight("initial_h", [directions, 1, units])

    def initial_state(self, num_sentences: tf.Tensor | int) -> LSTMState:
        """Returns the learned state before the first word of each of `num_sentences` sentences."""
        shape = [self.directions, num_sentences, self.units]
        return LSTMState(tf.broadcast_to(self.initial_c, shape), tf.broadcast_to(self.initial_h, shape))

    def call(self, projected: tf.Tensor, state: LSTMState, dropout_mask: tf.Tensor) -> LSTMState:
        """Processes one word of each sentence.

        Args:
            projected: [directions, sentences, 3 * units], W x + b of that word.
            state: The LSTMState before the word.
            dropout_mask: [directions, sentences, units], the same at every step of a sentence.

        Returns:
            The LSTMState after the word.
        """
        # [directions, sentences, 3 * units]
        gates = projected + tf.matmul(state.h * dropout_mask, self.recurrent_kernel)
        f, candidate, o = tf.split(gates, 3, axis=-1)
        f = tf.sigmoid(f)
        # [directions, sentences, units]
        c = f * tf.tanh(candidate) + (1.0 - f) * state.c
        return LSTMState(c, tf.sigmoid(o) * tf.tanh(c))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        return super().get_config() | {"units": self.units, "directions": self.directions}
