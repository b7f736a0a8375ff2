"""A sentence encoder of another kind and size works without changes to the rest of the model."""

import numpy as np
import pytest
import tensorflow as tf
from random_documents import NUM_CHARACTERS, random_inputs, small_experiment

from coref_tf import model as model_module
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference import memory
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.open_model import open_experiment


class LinearEncoder(tf.keras.layers.Layer):
    """x* = tanh(W x)."""

    size, working_size = 5, 11

    def __init__(self, input_size, *_, name):
        super().__init__(name=name)
        with tf.name_scope(name):
            self.kernel = self.add_weight("linear", [input_size, self.size])

    def call(self, words, sentence_lengths, seed=None):
        del sentence_lengths, seed
        return tf.tanh(tf.matmul(words, self.kernel))


@pytest.fixture
def experiment(monkeypatch, tmp_path):
    monkeypatch.setattr(model_module, "SentenceEncoder", LinearEncoder)
    return small_experiment(log_root=tmp_path)


def test_the_model_adopts_the_size_of_the_encoder_and_trains_it(experiment):
    model = model_module.CorefModel(experiment, NUM_CHARACTERS)
    assert model.span_representation.parts["start"] == 5
    model.compile(optimizer="sgd")
    before = model.sentence_encoder.kernel.numpy()
    inputs = random_inputs(np.random.default_rng(0), [5, 4, 6])
    assert np.isfinite(model.train_step(inputs)["loss"])
    assert (model.sentence_encoder.kernel.numpy() != before).any()
    assert model(inputs, words_per_block=6).candidate_mention_scores.shape[0] > 15


def test_memory_planning_includes_the_working_size_of_the_encoder(experiment):
    small, large = (
        memory.document_bytes(model_module.CorefModel(experiment, 9), 100, 50 * n) for n in (1, 2)
    )
    embedding, ffnn = 18 + 3 * experiment.filter_size, experiment.ffnn_size
    assert large - small == 4 * 50 * (embedding + LinearEncoder.working_size + 8 * ffnn)


def test_a_checkpoint_contains_the_variables_of_the_encoder(experiment):
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = model_module.CorefModel(experiment, len(characters))
    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in model.variables}
    assert "sentence_encoder/linear" in variables
    checkpoint = Checkpoint(model_settings(experiment), list(characters.characters), variables)
    write_checkpoint(best_checkpoint_path(experiment), checkpoint)
    again = open_experiment(experiment).build()
    np.testing.assert_array_equal(again.sentence_encoder.kernel, model.sentence_encoder.kernel)
