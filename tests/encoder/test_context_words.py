"""Contextual vectors of words equal those of each window encoded alone, for every choice of pieces and layers."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from small_encoder import VOCABULARY, small_encoder

from coref_tf.encoder.context_words import SPREAD, Pieces, context_windows, load_context_words
from coref_tf.encoder.encoder_file import EncoderFile


def load_words(config):
    """Returns the layer with the weights of the encoder file."""
    return load_context_words(config, EncoderFile(config.encoder))


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return small_encoder(tmp_path_factory.mktemp("encoder") / "small.h5")


def random_pieces(generator, num_words):
    counts = generator.integers(1, 4, num_words, dtype=np.int32)
    return Pieces(generator.integers(4, len(VOCABULARY), counts.sum(), dtype=np.int32), counts)


def expected_vectors(words, pieces, sentence_lengths):
    """Computes the result of `read` window by window and word by word."""
    found, word, place = [], 0, 0
    for num_words in context_windows(pieces.counts, sentence_lengths).numpy():
        counts = pieces.counts[word : word + num_words]
        ids = [2, *pieces.ids[place : place + counts.sum()], 3]
        states = [state.numpy()[0] for state in words.encoder(np.array([ids], np.int32), [len(ids)])]
        kept = [states[layer] for layer in words.layers]
        kept = np.mean(kept, axis=0) if words.mix == "mean" else np.concatenate(kept, axis=1)
        first = 1
        for count in counts:
            of_word = kept[first : first + count]
            found.append(of_word.mean(axis=0) if words.pieces == "mean" else of_word[0])
            first += count
        word, place = word + num_words, place + counts.sum()
    return np.array(found)


@pytest.mark.parametrize("mix", ["mean", "learned"])
@pytest.mark.parametrize("pieces", ["mean", "first"])
def test_windows_are_encoded_independently(config, mix, pieces):
    words = load_words(dataclasses.replace(config, mix=mix, pieces=pieces))
    lengths = np.array([100, 3, 250, 90, 300, 1, 240, 120, 17], np.int32)
    document = random_pieces(np.random.default_rng(1), lengths.sum())
    found = tf.function(words.read, autograph=False)(document, lengths)
    assert found.dtype == tf.float16  # the type of cached vectors
    expected = expected_vectors(words, document, lengths)
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_no_words(config):
    words = load_words(config)
    nothing = np.zeros(0, np.int32)
    assert words(Pieces(nothing, nothing), nothing).shape == (0, 6)


def test_fit_normalises_mean_and_spread(config):
    words = load_words(config)
    lengths = np.array([50] * 4, np.int32)
    kept = [words.read(random_pieces(np.random.default_rng(n), 200), lengths).numpy() for n in range(3)]
    words.fit(kept)
    found = np.concatenate([words(values, lengths) for values in kept])
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(found.std(axis=0), SPREAD, atol=1e-4)


def test_a_learned_mix_starts_as_the_mean_and_has_gradients(config):
    words = load_words(dataclasses.replace(config, mix="learned"))
    lengths = np.array([5], np.int32)
    kept = words.read(random_pieces(np.random.default_rng(0), 5), lengths)
    with tf.GradientTape() as tape:
        mixed = words(kept, lengths)
        loss = tf.reduce_sum(mixed**2)
    mean = np.reshape(kept, [5, 2, 6]).astype(np.float32).mean(axis=1) * SPREAD
    np.testing.assert_allclose(mixed, mean, atol=1e-5)
    names = [variable.name for variable in words.trainable_variables]
    assert names == ["context_words/layer_scores:0", "context_words/gamma:0"]
    assert all(np.abs(gradient).max() > 0 for gradient in tape.gradient(loss, words.trainable_variables))


def test_tuned_layers_are_the_uppermost_ones(config):
    for tuned, expected in [(0, set()), (1, {"block_2"}), (2, {"block_1", "block_2"}), (3, None)]:
        words = load_words(dataclasses.replace(config, tuned_layers=tuned))
        parts = {variable.name.split("/")[1] for variable in words.encoder.trainable_variables}
        assert parts == expected or (expected is None and "embeddings" in parts)
        assert words.is_frozen == (tuned == 0)
