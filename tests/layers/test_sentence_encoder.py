"""The bidirectional LSTM: independent sentences, orthonormal weights, one dropout mask per sentence."""

import numpy as np
import tensorflow as tf
from oracles_model import encode

from coref_tf.layers.coupled_lstm_cell import CoupledLSTMCell, LSTMState, OrthonormalBlocks
from coref_tf.layers.sentence_encoder import SentenceEncoder, pack_sentences

SEED = np.array([1, 2], np.int32)


def encoder_with_random_weights(input_size=5, units=4, dropout_rate=0.0):
    encoder = SentenceEncoder(input_size, units, dropout_rate)
    generator = np.random.default_rng(0)
    for variable in encoder.variables:
        variable.assign(generator.normal(size=variable.shape))
    return encoder


def test_equals_reading_word_by_word():
    encoder = encoder_with_random_weights()
    run = tf.function(lambda words, lengths: encoder(words, lengths), reduce_retracing=True)
    generator = np.random.default_rng(1)
    for lengths in [[3], [1, 1, 1], [2, 7, 0, 4, 7], [0], [], [40, 1]]:
        words = generator.normal(size=[sum(lengths), 5]).astype(np.float32)
        lengths = np.array(lengths, np.int32)
        expected = encode(encoder, words, lengths)
        np.testing.assert_allclose(encoder(words, lengths), expected, atol=1e-5)
        np.testing.assert_allclose(run(words, lengths), expected, atol=1e-5)


def test_a_sentence_never_sees_its_neighbours():
    encoder = encoder_with_random_weights()
    generator = np.random.default_rng(2)
    words = generator.normal(size=[12, 5]).astype(np.float32)
    together = encoder(words, np.array([3, 5, 4], np.int32))
    others = generator.normal(size=[30, 5]).astype(np.float32)
    batched = encoder(np.concatenate([others, words[3:8]]), np.array([30, 5], np.int32))
    alone = encoder(words[3:8], np.array([5], np.int32))
    np.testing.assert_allclose(together[3:8], alone, atol=1e-6)
    np.testing.assert_allclose(batched[30:], alone, atol=1e-6)


def test_packing_reads_every_word_once_in_each_direction():
    packed = pack_sentences(np.array([2, 3, 0, 1], np.int32))
    assert packed.running.numpy().tolist() == [3, 2, 1]
    # longest first: sentence 1 (words 2-4), sentence 0 (words 0-1), sentence 3 (word 5)
    assert packed.forward.numpy().tolist() == [2, 0, 5, 3, 1, 4]
    assert packed.backward.numpy().tolist() == [4, 1, 5, 3, 0, 2]


def test_recurrent_weights_start_as_one_orthonormal_block_per_gate():
    kernel = CoupledLSTMCell(20, directions=2).recurrent_kernel.numpy()
    assert kernel.shape == (2, 20, 60)
    blocks = [kernel[d, :, 20 * gate : 20 * (gate + 1)] for d in range(2) for gate in range(3)]
    for block in blocks:
        np.testing.assert_allclose(block.T @ block, np.eye(20), atol=1e-5)
    for i, one in enumerate(blocks):
        for other in blocks[:i]:
            assert np.abs(one - other).max() > 0.1, "every block is drawn anew"
    assert tf.keras.initializers.deserialize(
        tf.keras.initializers.serialize(OrthonormalBlocks()),
        custom_objects={"OrthonormalBlocks": OrthonormalBlocks},
    )([1, 4, 12]).shape == (1, 4, 12)


def test_dropout_keeps_one_mask_for_all_steps_of_a_sentence():
    encoder = encoder_with_random_weights(dropout_rate=0.5)
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
    assert not np.array_equal(masks[0][:, 0], masks[0][:, 1]), "sentences have masks of their own"
    assert not np.array_equal(masks[0][0], masks[0][1]), "and so have directions"


def test_the_mask_meets_the_recurrent_product_and_not_the_cell():
    cell = CoupledLSTMCell(3, directions=1)
    generator = np.random.default_rng(4)
    projected = tf.constant(generator.normal(size=[1, 2, 9]), tf.float32)
    state = LSTMState(*(tf.constant(generator.normal(size=[1, 2, 3]), tf.float32) for _ in range(2)))
    mask = tf.constant([[[0.0, 2.0, 0.0], [2.0, 2.0, 0.0]]])
    masked = cell(projected, state, mask)
    by_hand = cell(projected, LSTMState(state.c, state.h * mask), tf.ones_like(mask))
    np.testing.assert_allclose(masked.c, by_hand.c, atol=1e-6)
    np.testing.assert_allclose(masked.h, by_hand.h, atol=1e-6)


def test_output_dropout_in_training_only():
    encoder = encoder_with_random_weights(dropout_rate=0.5)
    words, lengths = np.ones([200, 5], np.float32), np.array([200], np.int32)
    assert (encoder(words, lengths, seed=SEED).numpy() == 0).mean() > 0.3
    assert (encoder(words, lengths).numpy() == 0).mean() == 0
