"""One step of the paper's LSTM (section 4, "Span Representations")."""

from typing import NamedTuple

import tensorflow as tf


class LSTMState(NamedTuple):
    """What the LSTM carries from word to word: cell and hidden state, [directions, sentences, units] each."""

    c: tf.Tensor
    h: tf.Tensor


class OrthonormalBlocks(tf.keras.initializers.Initializer):
    """Random orthonormal blocks [units, units] side by side: one per gate, as in Saxe et al. 2013."""

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        """Makes a matrix [directions, units, gates * units]."""
        directions, units, width = shape

        def block():
            # An initializer draws the same values whenever it is called, so that each block needs its own.
            return tf.keras.initializers.Orthogonal()([units, units], dtype)

        return tf.stack(
            [tf.concat([block() for _ in range(width // units)], axis=1) for _ in range(directions)]
        )


class CoupledLSTMCell(tf.keras.layers.Layer):
    """An LSTM cell whose input and forget gates are one, for several directions side by side.

        f = sigmoid(W_f [x, h] + b_f)            o = sigmoid(W_o [x, h] + b_o)
        c~ = tanh(W_c [x, h] + b_c)              c = f * c~ + (1 - f) * c_previous
        h = o * tanh(c)

    The part of these products that depends on x alone is made outside, for all words at once. The initial
    states are learned. Each direction has weights of its own.

    Args:
        units: size of the cell.
        directions: how many independent LSTMs run side by side.
    """

    def __init__(self, units, directions=2, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.directions = directions
        with tf.name_scope(self.name):
            # The gates' blocks are in the order f, c~, o.
            self.recurrent_kernel = self.add_weight(
                "recurrent_kernel", [directions, units, 3 * units], initializer=OrthonormalBlocks()
            )
            self.initial_c = self.add_weight("initial_c", [directions, 1, units])
            self.initial_h = self.add_weight("initial_h", [directions, 1, units])

    def initial_state(self, num_sentences):
        """The learned state before the first word of each of `num_sentences` sentences."""
        shape = [self.directions, num_sentences, self.units]
        return LSTMState(tf.broadcast_to(self.initial_c, shape), tf.broadcast_to(self.initial_h, shape))

    def call(self, projected, state, dropout_mask):
        """Reads one word of each sentence.

        Args:
            projected: [directions, sentences, 3 * units], W x + b of that word.
            state: LSTMState before it.
            dropout_mask: [directions, sentences, units], the same at every step of a sentence.

        Returns:
            LSTMState after it.
        """
        # [directions, sentences, 3 * units]
        gates = projected + tf.matmul(state.h * dropout_mask, self.recurrent_kernel)
        f, candidate, o = tf.split(gates, 3, axis=-1)
        f = tf.sigmoid(f)
        # [directions, sentences, units]
        c = f * tf.tanh(candidate) + (1.0 - f) * state.c
        return LSTMState(c, tf.sigmoid(o) * tf.tanh(c))

    def get_config(self):
        """The arguments that make this layer again."""
        return super().get_config() | {"units": self.units, "directions": self.directions}
