"""The model with contextual words: cached vectors, blocks, checkpoints, resuming and fine-tuning."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from random_documents import REFERENCE, small_experiment
from small_encoder import small_encoder

from coref_tf.documents import read_documents
from coref_tf.documents.document import Document
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.predictor import Predictor
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError
from coref_tf.training.context import prepare_context
from coref_tf.training.fit import fit
from coref_tf.training.optimizers import LinearSchedule


@pytest.fixture
def experiment(tmp_path):
    context = small_encoder(tmp_path / "small.h5")
    return small_experiment(log_root=tmp_path / "logs", context=context, max_epochs=2, seed=3)


@pytest.fixture(scope="module")
def documents():
    return list(read_documents(REFERENCE / "docs.jsonlines"))


def built(experiment):
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    tf.keras.utils.set_random_seed(0)
    return build_model(experiment, len(characters)), Tensorizer.from_experiment(experiment, characters)


def test_cached_vectors_give_the_same_scores_as_word_pieces(experiment, documents):
    model, tensorizer = built(experiment)
    from_pieces = [model(tensorizer.tensorize(document)) for document in documents]
    prepare_context(experiment, model, tensorizer, documents, [], new=False)
    for document, expected in zip(documents, from_pieces, strict=True):
        found = model(tensorizer.tensorize(document))
        np.testing.assert_allclose(found.antecedents.scores, expected.antecedents.scores, atol=1e-5)


def test_scores_do_not_depend_on_the_block_size(experiment, documents):
    model, tensorizer = built(experiment)
    inputs = tensorizer.tensorize(documents[0])
    scores = [model(inputs, words_per_block=words).antecedents.scores for words in (7, 4096)]
    np.testing.assert_allclose(*scores, atol=1e-5)


def test_vectors_of_rounded_products_are_cached_separately(experiment, documents):
    context = dataclasses.replace(experiment.context, products="bfloat16")
    vectors = []
    for each in (experiment, dataclasses.replace(experiment, context=context)):
        model, tensorizer = built(each)
        prepare_context(each, model, tensorizer, documents, [], new=False)
        vectors.append(tensorizer.context.cache.vectors(documents[0]))
    exact, rounded = vectors
    assert 0 < np.abs(exact - rounded).max() < 0.1


def test_the_same_word_has_another_vector_in_another_context(experiment, documents):
    model, tensorizer = built(experiment)
    document = Document("nw/she", [["she", "said", "she", "said"]] * 2, [["-"] * 4] * 2, [])
    words, _, _ = model.read(tensorizer.tensorize(document))
    assert not np.allclose(words.embeddings[0], words.embeddings[2])
    np.testing.assert_allclose(words.embeddings[0, :18], words.embeddings[2, :18])


def test_heads_can_be_without_context(experiment, documents):
    context = dataclasses.replace(experiment.context, heads=False)
    model, tensorizer = built(dataclasses.replace(experiment, context=context))
    inputs = tensorizer.tensorize(documents[0])
    words, _, scores = model.read(inputs)
    assert model.span_representation.parts["head"] == words.embeddings.shape[1] == model.embedding_size - 6
    # The LSTM still sees the context.
    other = inputs._replace(context=inputs.context._replace(ids=tf.roll(inputs.context.ids, 1, 0)))
    assert not np.allclose(model.read(other)[2], scores)
    np.testing.assert_array_equal(model.read(other)[0].embeddings, words.embeddings)
    only = {"embeddings": (), "char_embedding_size": 0, "context": context}
    with pytest.raises(CorefError, match="context must be used in heads if words have no other vectors"):
        dataclasses.replace(experiment, **only)


def test_a_frozen_encoder_is_not_in_checkpoints_and_training_can_be_resumed(eagerly, experiment):
    whole = dataclasses.replace(experiment, log_root=experiment.log_root / "whole")
    fit(whole)
    fit(experiment, max_steps=3)
    fit(experiment)
    one, other = (read_checkpoint(each.log_dir / "latest.h5").variables for each in (whole, experiment))
    assert "context_words/mean" in one and not any("context_encoder" in name for name in one)
    assert one["context_words/mean"].any()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], name)


@pytest.mark.slow
def test_an_encoder_that_the_model_was_not_trained_with_is_refused(experiment, tmp_path):
    fit(experiment, max_steps=1)
    other = dataclasses.replace(experiment, context=small_encoder(tmp_path / "other.h5", seed=1))
    with pytest.raises(CorefError, match=r"best\.h5: was trained with a different encoder than .*other\.h5"):
        Predictor.from_models([open_experiment(other)])


def test_without_an_lstm_the_encoding_is_the_context(experiment, documents):
    model, tensorizer = built(dataclasses.replace(experiment, lstm_size=0))
    words, _, _ = model.read(tensorizer.tensorize(documents[0]))
    np.testing.assert_array_equal(words.encoded, words.embeddings[:, -6:])
    with pytest.raises(CorefError, match="lstm_size must be more than 0 if there is no context"):
        dataclasses.replace(experiment, lstm_size=0, context=None)


def test_a_layer_that_does_not_exist_is_named(experiment):
    context = dataclasses.replace(experiment.context, layers=(2, 3))
    with pytest.raises(CorefError, match=r"small\.h5: has 2 layers; expected .* Received: 3"):
        built(dataclasses.replace(experiment, context=context))


def test_fine_tuning_can_start_from_a_model_with_a_frozen_encoder(experiment):
    fit(experiment, max_steps=2)
    start = experiment.log_dir / "latest.h5"
    context = dataclasses.replace(experiment.context, tuned_layers=1, learning_rate=1e-3)
    tuned = dataclasses.replace(experiment, name="tuned", context=context, start_from=start)
    fit(tuned, max_steps=1)
    before, after = (read_checkpoint(each).variables for each in (start, tuned.log_dir / "latest.h5"))
    learned = {name for name in after if name.startswith("context_encoder/block_2")}
    assert learned and not learned & set(before)
    np.testing.assert_array_equal(after["context_words/mean"], before["context_words/mean"])
    with pytest.raises(CorefError, match="was trained with context"):
        fit(
            dataclasses.replace(experiment, name="frozen", start_from=tuned.log_dir / "latest.h5"),
            max_steps=1,
        )


@pytest.mark.slow
def test_a_tuned_encoder_has_its_own_learning_rate_and_can_be_resumed(experiment):
    context = dataclasses.replace(experiment.context, tuned_layers=1, learning_rate=1e-3)
    tuned = dataclasses.replace(
        experiment, context=context, schedule="linear", warm_up=0.25, moving_average=0.9, learning_rate=1e-2
    )
    whole = dataclasses.replace(tuned, log_root=experiment.log_root / "whole")
    fit(whole)
    fit(tuned, max_steps=3)
    fit(tuned)
    one, other = (read_checkpoint(each.log_dir / "latest.h5").variables for each in (whole, tuned))
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], name)
    before = EncoderFile(context.encoder)
    changed = one["context_encoder/block_2/attention/kernel"] - before.tensor("block_2/attention/kernel")
    assert 0 < np.abs(changed).max() < 8e-3, "weights change by at most 1e-3 in each of eight steps"
    assert not any("block_1" in name or "embeddings/words" in name for name in one)


def test_a_linear_schedule_rises_during_warm_up_and_falls_to_zero():
    schedule = LinearSchedule(1.0, last_step=100, warm_up=0.1)
    rates = [float(schedule(step)) for step in range(101)]
    assert rates[0] < 0.1 and np.argmax(rates) == 10 and rates[55] == pytest.approx(0.5) and rates[100] == 0
