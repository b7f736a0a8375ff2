"""The bidirectional LSTM: independent sentences, orthonormal weights, one dropout mask per sentence."""

import numpy as np
import pytest
import tensorflow as tf
from oracles_model import encode

from coref_tf.layers.coupled_lstm_cell import CoupledLSTMCell, LSTMState
from coref_tf.layers.sentence_encoder import SentenceEncoder, pack_sentences
from coref_tf.ops import library

SEED = np.array([1, 2], np.int32)
BACKENDS = pytest.mark.parametrize("backend", ["custom", "portable"])


def encoder_with_random_weights(input_size=5, units=4, dropout_rate=0.0, backend="custom"):
    encoder = SentenceEncoder(input_size, units, dropout_rate, backend)
    generator = np.random.default_rng(0)
    for variable in encoder.variables:
        variable.assign(generator.normal(size=variable.shape))
    return encoder


@BACKENDS
def test_equals_reading_word_by_word(backend):
    encoder = encoder_with_random_weights(backend=backend)
    run = tf.function(encoder.__call__, reduce_retracing=True, autograph=False)
    generator = np.random.default_rng(1)
    for lengths in [[3], [1, 1, 1], [2, 7, 0, 4, 7], [0], [], [40, 1]]:
        words = generator.normal(size=[sum(lengths), 5]).astype(np.float32)
        lengths = np.array(lengths, np.int32)
        expected = encode(encoder, words, lengths)
        np.testing.assert_allclose(encoder(words, lengths), expected, atol=1e-5)
        np.testing.assert_allclose(run(words, lengths), expected, atol=1e-5)


@BACKENDS
def test_a_sentence_never_sees_its_neighbours(backend):
    encoder = encoder_with_random_weights(backend=backend)
    generator = np.random.default_rng(2)
    words = generator.normal(size=[12, 5]).astype(np.float32)
    together = encoder(words, np.array([3, 5, 4], np.int32))
    others = generator.normal(size=[30, 5]).astype(np.float32)
    batched = encoder(np.concatenate([others, words[3:8]]), np.array([30, 5], np.int32))
    alone = encoder(words[3:8], np.array([5], np.int32))
    np.testing.assert_allclose(together[3:8], alone, atol=1e-6)
    np.testing.assert_allclose(batched[30:], alone, atol=1e-6)


def gradients_and_states(units, lengths, seed, backend):
    encoder = encoder_with_random_weights(5, units, 0.4, backend)
    for variable in encoder.variables:
        variable.assign(variable / np.sqrt(units))
    words = tf.Variable(np.random.default_rng(sum(lengths)).normal(size=[sum(lengths), 5]).astype(np.float32))
    with tf.GradientTape() as tape:
        encoded = tf.function(encoder.__call__, autograph=False)(words + 0, np.array(lengths, np.int32), seed)
        loss = tf.reduce_sum(tf.sin(3 * encoded))
    return [encoded, *tape.gradient(loss, [words, *encoder.trainable_variables])]


# One sentence, several, and more than one group of the op; units that do and don't fill whole vectors.
@pytest.mark.parametrize("seed", [None, SEED], ids=["predict", "train"])
@pytest.mark.parametrize(
    ("units", "lengths"),
    [(1, [1]), (4, [7]), (16, [3, 9, 0, 1]), (19, [2] * 24), (33, [5, 1] * 20), (8, [400, 700, 90])],
)
def test_the_op_equals_the_loop_with_gradients(units, lengths, seed):
    ours, theirs = (gradients_and_states(units, lengths, seed, backend) for backend in ("custom", "portable"))
    np.testing.assert_allclose(ours[0], theirs[0], atol=2e-6)
    for found, expected in zip(ours[1:], theirs[1:], strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * max(1, np.abs(expected).max()))


def test_gradients_without_words_are_zero():
    for gradient in gradients_and_states(4, [0, 0], SEED, "custom")[1:]:
        assert not np.any(gradient)


def lstm_arguments(**changes):
    """The op's arguments for a sentence of 2 words and one of 1, in 2 directions of 3 units."""
    shapes = {"projected": [3, 2, 9], "recurrent_kernel": [2, 3, 9], "initial_c": [2, 1, 3]}
    shapes |= {"initial_h": [2, 1, 3], "mask": [2, 2, 3]} | changes
    values = {"running": changes.pop("running", [2, 1])}
    return values | {name: np.ones(shape, np.float32) for name, shape in shapes.items() if name not in values}


FAULTS = [
    ("recurrent_kernel must have shape \\[2,3,9\\]", {"recurrent_kernel": [2, 3, 8]}),
    ("projected must have shape \\[3,2,9\\]. Received: shape \\[4,2,9\\]", {"projected": [4, 2, 9]}),
    ("initial_c must have shape \\[2,1,3\\]", {"initial_c": [2, 1, 4]}),
    ("initial_h must have shape \\[2,1,3\\]", {"initial_h": [1, 1, 3]}),
    ("mask must have shape \\[2,2,3\\]", {"mask": [2, 2, 1]}),
    ("running must begin with 2 sentences.*running\\[0\\] = 1", {"running": [1, 1, 1]}),
    ("never grow.*running\\[2\\] = 2", {"running": [2, 1, 2]}),
    ("be positive.*running\\[1\\] = 0", {"running": [2, 0]}),
    ("running must have a step for 2 sentences. Received: none", {"running": []}),
]


@pytest.mark.parametrize(("message", "changes"), FAULTS)
def test_bad_input_of_the_op_is_refused(message, changes):
    assert library.custom_ops().sentence_lstm(**lstm_arguments()).h.shape == [3, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        library.custom_ops().sentence_lstm(**lstm_arguments(**changes))


def test_packing_reads_every_word_once_in_each_direction():
    packed = pack_sentences(np.array([2, 3, 0, 1], np.int32))
    assert packed.running.numpy().tolist() == [3, 2, 1]
    # Longest first: sentence 1 (words 2-4), sentence 0 (words 0-1), sentence 3 (word 5).
    assert packed.forward.numpy().tolist() == [2, 0, 5, 3, 1, 4]
    assert packed.backward.numpy().tolist() == [4, 1, 5, 3, 0, 2]


def test_every_gate_starts_orthonormal_over_words_and_hidden_state_together():
    encoder = SentenceEncoder(input_size=50, units=20)
    gates = []
    for direction, kernel in enumerate(encoder.kernels):
        # [input + units, 3 * units]: the rows of the word, then those of the hidden state
        whole = np.concatenate([kernel.numpy(), encoder.cell.recurrent_kernel.numpy()[direction]])
        assert whole.shape == (70, 60)
        gates += np.split(whole, 3, axis=1)
    for gate in gates:
        np.testing.assert_allclose(gate.T @ gate, np.eye(20), atol=1e-5)
        assert np.abs(gate[50:].T @ gate[50:] - np.eye(20)).max() > 0.1, (
            "the hidden state's rows alone are not orthonormal"
        )
    for i, one in enumerate(gates):
        for other in gates[:i]:
            assert np.abs(one - other).max() > 0.1, "every gate is drawn independently"
    assert not np.any(encoder.bias.numpy())


def test_dropout_keeps_one_mask_for_all_steps_of_a_sentence():
    encoder = encoder_with_random_weights(dropout_rate=0.5, backend="portable")
    masks = []
    step = encoder.cell.call

    def spy(projected, state, dropout_mask):
        masks.append(dropout_mask.numpy())
        return step(projected, state, dropout_mask)

    encoder.cell.call = spy
    encoder(np.ones([14, 5], np.float32), np.array([6, 4, 4], np.int32), seed=SEED)
    assert len(masks) == 7  # six words and the empty last step
    for mask in masks[1:]:
        np.testing.assert_array_equal(mask, masks[0][:, : mask.shape[1]])
    assert set(np.unique(masks[0])) == {0.0, 2.0}
    assert not np.array_equal(masks[0][:, 0], masks[0][:, 1]), "each sentence has its own mask"
    assert not np.array_equal(masks[0][0], masks[0][1]), "each direction has its own mask"


def test_the_mask_is_applied_to_the_recurrent_product_and_not_to_the_cell():
    cell = CoupledLSTMCell(3, directions=1)
    generator = np.random.default_rng(4)
    projected = tf.constant(generator.normal(size=[1, 2, 9]), tf.float32)
    state = LSTMState(*(tf.constant(generator.normal(size=[1, 2, 3]), tf.float32) for _ in range(2)))
    mask = tf.constant([[[0.0, 2.0, 0.0], [2.0, 2.0, 0.0]]])
    masked = cell(projected, state, mask)
    by_hand = cell(projected, LSTMState(state.c, state.h * mask), tf.ones_like(mask))
    np.testing.assert_allclose(masked.c, by_hand.c, atol=1e-6)
    np.testing.assert_allclose(masked.h, by_hand.h, atol=1e-6)


def test_output_dropout_is_applied_only_in_training():
    encoder = encoder_with_random_weights(dropout_rate=0.5)
    words, lengths = np.ones([200, 5], np.float32), np.array([200], np.int32)
    assert (encoder(words, lengths, seed=SEED).numpy() == 0).mean() > 0.3
    assert (encoder(words, lengths).numpy() == 0).mean() == 0
