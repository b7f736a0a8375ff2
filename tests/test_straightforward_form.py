"""The model equals its straightforward form, with every ablation and every size of blocks and tiles."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from oracles_model import straightforward
from random_documents import random_inputs, small_experiment, small_model

from benchmarks.straightforward_model import StraightforwardModel
from coref_tf.layers import mention_scorer, pair_scorer, span_representation

ABLATIONS = [
    {},
    {"use_features": False},
    {"use_metadata": False},
    {"use_features": False, "use_metadata": False},
    {"pair_features": ("sentence_distance", "speaker", "genre", "distance")},
    {"pair_features": ("genre",)},
    {"pair_features": ()},
    {"model_heads": False},
    {"char_embedding_size": 0},
    {"embeddings": small_experiment().embeddings[:1]},
    {"head_ffnn_depth": 2},
    {"ffnn_depth": 1},
    {"ffnn_depth": 0},
    {"filter_widths": (2,)},
    {"max_antecedents": 3, "mention_ratio": 0.9},
    {"min_spans": 30},
]
HIGHER_ORDER = [{"coref_depth": 3, "max_antecedents": 3, "mention_ratio": 0.9}]
DOCUMENTS = ((7, 1, 12, 4), (3,), (4, 4))


@functools.cache
def straightforward_figures(changes, documents):
    """The inputs of each document, its figures and its gradients by name, computed once for all tests."""
    model = small_model(**dict(changes))
    generator = np.random.default_rng(7)
    found = []
    for sentence_lengths in documents:
        inputs = random_inputs(generator, sentence_lengths, vector_size=model.vector_size)
        with tf.GradientTape() as tape:
            figures = straightforward(model, inputs)
        gradients = tape.gradient(figures["loss"], model.trainable_variables, unconnected_gradients="zero")
        names = [variable.name for variable in model.trainable_variables]
        gradients = [tf.convert_to_tensor(gradient).numpy() for gradient in gradients]
        gradients = dict(zip(names, gradients, strict=True))
        # A constant added to every alpha doesn't change the attention.
        last_bias = f"span_representation/head_scorer/bias_{model.experiment.head_ffnn_depth}:0"
        if last_bias in gradients:
            gradients[last_bias] = np.zeros_like(gradients[last_bias])
        found.append((inputs, figures, gradients))
    return found


def check_against_the_straightforward_form(changes, documents, backend="custom", **options):
    model = small_model(backend=backend, **changes)
    for inputs, expected, gradients in straightforward_figures(tuple(changes.items()), documents):
        with tf.GradientTape() as tape:
            output = model(inputs, **options)
            loss = model.loss_of(inputs, output)
        np.testing.assert_array_equal(
            np.stack([output.candidate_starts, output.candidate_ends], axis=1), expected["candidates"]
        )
        top = np.stack([output.top_span_starts, output.top_span_ends], axis=1)
        np.testing.assert_array_equal(top, np.reshape(expected["top_spans"], [-1, 2]))
        for name in ("candidate_mention_scores", "head_scores"):
            np.testing.assert_allclose(getattr(output, name), expected[name], atol=1e-5)
        np.testing.assert_array_equal(output.antecedents.indices, expected["antecedents"].indices)
        np.testing.assert_allclose(output.antecedents.scores, expected["antecedents"].scores, atol=2e-5)
        np.testing.assert_allclose(loss, expected["loss"], rtol=1e-5)
        ours = tape.gradient(loss, model.trainable_variables, unconnected_gradients="zero")
        assert [variable.name for variable in model.trainable_variables] == list(gradients)
        for gradient, (name, theirs) in zip(ours, gradients.items(), strict=True):
            limit = max(1e-4 * np.abs(theirs).max(), 1e-5)
            gradient = tf.convert_to_tensor(gradient).numpy()
            np.testing.assert_allclose(gradient, theirs, rtol=0, atol=limit, err_msg=name)


@pytest.mark.parametrize("changes", ABLATIONS + HIGHER_ORDER, ids=lambda changes: "-".join(changes) or "full")
def test_equals_the_straightforward_form(changes):
    check_against_the_straightforward_form(changes, DOCUMENTS)


# One span is kept per word. The numbers of words are around multiples of the tile size, around K, and their sum.
@pytest.mark.parametrize(
    "num_words",
    [(1, 4, 5, 8, 13), pytest.param((2, 3, 7, 9, 11, 12), marks=pytest.mark.slow)],
    ids=["some", "others"],
)
@pytest.mark.parametrize(
    "max_antecedents",
    [pytest.param(1, marks=pytest.mark.slow), 4, pytest.param(5, marks=pytest.mark.slow), 100],
)
@pytest.mark.parametrize("spans_per_tile", [1, 4])
def test_results_do_not_depend_on_the_size_of_tiles(max_antecedents, spans_per_tile, num_words, monkeypatch):
    monkeypatch.setattr(pair_scorer, "SPANS_PER_TILE", spans_per_tile)
    changes = {"max_antecedents": max_antecedents, "mention_ratio": 1.0}
    check_against_the_straightforward_form(changes, tuple((n,) for n in num_words), "portable")


@pytest.mark.parametrize(
    "words_per_block",
    [1, pytest.param(5, marks=pytest.mark.slow), 6, pytest.param(12, marks=pytest.mark.slow)],
)
def test_results_do_not_depend_on_the_size_of_blocks(words_per_block, monkeypatch):
    monkeypatch.setattr(mention_scorer, "SPANS_PER_TILE", 7)
    monkeypatch.setattr(span_representation, "SPANS_PER_TILE", 3)
    documents = ((6,), (5, 1, 6), (12, 12), (1, 1, 1, 1, 1, 13, 2), (0, 4, 0, 0, 9, 0))
    for backend in ("custom", "portable"):
        check_against_the_straightforward_form({}, documents, backend, words_per_block=words_per_block)


@pytest.mark.parametrize("changes", ABLATIONS, ids=lambda changes: "-".join(changes) or "full")
def test_the_straightforward_model_of_the_benchmark_equals_the_oracle(changes):
    inputs, expected, _ = straightforward_figures(tuple(changes.items()), DOCUMENTS)[0]
    output = StraightforwardModel(small_model(**changes))(inputs)
    np.testing.assert_allclose(
        output.candidate_mention_scores, expected["candidate_mention_scores"], atol=1e-5
    )
    np.testing.assert_allclose(output.antecedents.scores, expected["antecedents"].scores, atol=2e-5)
