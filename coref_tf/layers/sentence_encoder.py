"""Encodes words in their sentences (section 4, "Span Representations")."""

from typing import Any, NamedTuple

import tensorflow as tf

from coref_tf import ops
from coref_tf.deprecated import TensorLike
from coref_tf.layers.blocks import owners
from coref_tf.layers.coupled_lstm_cell import CoupledLSTMCell, LSTMState, orthonormal_gates
from coref_tf.layers.dropout import dropout, fold
from coref_tf.ops import library

# The numbers of the encoder's uses of its seed.
_STATE, _OUTPUT = 0, 1


class PackedSentences(NamedTuple):
    """The words of all sentences in the order in which the LSTM reads them: all first words, all second words, ...

    Sentences are sorted longest first, so that the sentences still running at a step form a prefix.
    """

    running: tf.Tensor  # [steps], the number of sentences that have a word at this step
    forward: tf.Tensor  # [words], the word that the forward LSTM reads at each packed position
    backward: tf.Tensor  # [words], the word that the backward LSTM reads


class SentenceEncoder(tf.keras.layers.Layer):
    """A bidirectional LSTM over each sentence separately: x*_t = [h_t forward, h_t backward].

    There is no padding: a sentence leaves the batch after its last word. Callers depend only on `size`,
    `working_size` and `call`, so that another sentence encoder can replace this one.

    Args:
        input_size: The size of a word's embedding x.
        units: The size of each direction.
        dropout_rate: The dropout rate of the hidden state (one mask per sentence, shared by all steps) and the output.
        backend: The backend of the steps, "custom" or "portable".

    Example:
        encoder = SentenceEncoder(500, 200, dropout_rate=0.2)
        encoder(words, sentence_lengths=[12, 7])   # [19 words, 400]
    """

    def __init__(
        self, input_size: int, units: int, dropout_rate: float = 0.0, backend: str = "custom", **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.input_size = input_size
        self.units = units
        self.dropout_rate = dropout_rate
        self.backend = backend
        with tf.name_scope(self.name):
            self.kernels = [
                self.add_weight(f"{d}_kernel", [input_size, 3 * units]) for d in ("forward", "backward")
            ]
            self.bias = self.add_weight("bias", [2, 3 * units], initializer="zeros")
            self.cell = CoupledLSTMCell(units, directions=2, name="cell")
        # A gate is orthonormal as a whole, but its rows are stored in two variables.
        gates = orthonormal_gates(input_size, units, directions=2)
        for kernel, of_words in zip(self.kernels, gates[:, :input_size], strict=True):
            kernel.assign(of_words)
        self.cell.recurrent_kernel.assign(gates[:, input_size:])

    @property
    def size(self) -> int:
        """The size of x*."""
        return 2 * self.units

    @property
    def working_size(self) -> int:
        """How many values a word takes, in addition to x and x*, during the computation; used to plan memory."""
        # Inputs, gates and states, in both orders.
        inputs_and_gates, states = 6 * self.units, 2 * self.units
        return 4 * inputs_and_gates + 4 * states

    def call(
        self, words: tf.Tensor, sentence_lengths: TensorLike, seed: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Encodes the words of a document.

        Args:
            words: float32 [words, embedding], sentence by sentence.
            sentence_lengths: int32 [sentences].
            seed: The dropout seed, or None in prediction.

        Returns:
            float32 [words, 2 * units].
        """
        packed = pack_sentences(sentence_lengths)
        # [words, 3 * units], one matrix product per direction for all steps
        forward, backward = (tf.matmul(words, kernel) for kernel in self.kernels)
        # [words in packed order, 2, 3 * units]
        projected = tf.stack(
            [tf.gather(forward, packed.forward), tf.gather(backward, packed.backward)], axis=1
        )
        hidden = self._run(projected + self.bias, packed.running, fold(seed, _STATE))
        # [words, units]: from packed order back to document order
        forward = tf.gather(hidden[:, 0], tf.math.invert_permutation(packed.forward))
        backward = tf.gather(hidden[:, 1], tf.math.invert_permutation(packed.backward))
        encoded = tf.concat([forward, backward], axis=1)
        return dropout(encoded, self.dropout_rate, seed, salt=_OUTPUT)

    def _run(self, projected: tf.Tensor, running: tf.Tensor, seed: tf.Tensor | None) -> tf.Tensor:
        """Runs the LSTM over the packed words; returns h of each word, [words in packed order, 2, units]."""
        # The first step includes all sentences; a document without words has no step.
        num_sentences = tf.reduce_sum(running[:1])
        mask = dropout(tf.ones([2, num_sentences, self.units]), self.dropout_rate, seed)
        if ops.is_fused(self.backend):
            weights = self.cell.recurrent_kernel, self.cell.initial_c, self.cell.initial_h
            return library.custom_ops().sentence_lstm(projected, running, *weights, mask).h
        return self._run_steps(projected, running, mask)

    def _run_steps(self, projected: tf.Tensor, running: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        """Does the same as `_run` with TensorFlow's built-in ops."""
        # A final step without sentences gives even a document without words one step.
        running = tf.concat([running, [0]], axis=0)
        num_steps = tf.size(running)
        state = self.cell.initial_state(running[0])
        steps = tf.TensorArray(
            tf.float32, num_steps, infer_shape=False, element_shape=[None, 2, 3 * self.units]
        )
        steps = steps.split(projected, running)
        outputs = tf.TensorArray(
            tf.float32, num_steps, infer_shape=False, element_shape=[None, 2, self.units]
        )

        def step(
            t: tf.Tensor, state: LSTMState, outputs: tf.TensorArray
        ) -> tuple[tf.Tensor, LSTMState, tf.TensorArray]:
            still = running[t]
            state = LSTMState(state.c[:, :still], state.h[:, :still])
            # [2, sentences still running, ...]
            state = self.cell(tf.transpose(steps.read(t), [1, 0, 2]), state, mask[:, :still])
            return t + 1, state, outputs.write(t, tf.transpose(state.h, [1, 0, 2]))

        shrinking = tf.TensorShape([2, None, self.units])
        _, _, outputs = tf.while_loop(
            lambda t, *_: t < num_steps,
            step,
            (0, state, outputs),
            shape_invariants=(tf.TensorShape([]), LSTMState(shrinking, shrinking), tf.TensorShape(None)),
        )
        return tf.reshape(outputs.concat(), [-1, 2, self.units])

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments of the constructor."""
        names = ["input_size", "units", "dropout_rate", "backend"]
        return super().get_config() | {name: getattr(self, name) for name in names}


def pack_sentences(sentence_lengths: TensorLike) -> PackedSentences:
    """Computes the packed order for sentences of these lengths; see PackedSentences."""
    lengths = tf.convert_to_tensor(sentence_lengths, tf.int32)
    first_words = tf.cumsum(lengths, exclusive=True)
    order = tf.argsort(lengths, direction="DESCENDING", stable=True)
    lengths, first_words = tf.gather(lengths, order), tf.gather(first_words, order)
    num_steps = tf.reduce_max(tf.concat([lengths, [0]], axis=0))
    # [steps]: how many sentences are longer than t, from the lengths alone, without a [steps, sentences] table.
    ending = tf.math.bincount(lengths, minlength=num_steps + 1, maxlength=num_steps + 1)
    running = tf.size(lengths) - tf.cumsum(ending)[:num_steps]
    # [words]: the step and the sentence (longest first) at each packed position
    step = owners(running)
    sentence = tf.range(tf.size(step)) - tf.gather(tf.cumsum(running, exclusive=True), step)
    forward = tf.gather(first_words, sentence) + step
    backward = tf.gather(first_words + lengths, sentence) - 1 - step
    return PackedSentences(running, forward, backward)
