"""The model equals the authors' graph; its sizes, antecedents, backends, dropout and seeds."""

import json

import numpy as np
import pytest
import tensorflow as tf
from random_documents import REFERENCE, random_inputs, small_experiment, small_model

from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.documents.document import Document
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.tensorize import Tensorizer, input_specs
from coref_tf.model import CorefModel
from coref_tf.models.authors import authors_names, read_authors_checkpoint
from coref_tf.training.optimizers import compile_model

DOCUMENTS = [json.loads(line) for line in (REFERENCE / "docs.jsonlines").read_text().splitlines()]


@pytest.fixture(scope="module", params=["custom", "portable"])
def reference(request):
    """The model with the authors' weights, its tensorizer, and functions that run it as a graph and eagerly."""
    experiment = small_experiment()
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = CorefModel(experiment, len(characters), request.param)
    values = read_authors_checkpoint(str(REFERENCE / "model.max.ckpt"), experiment, len(characters))
    for variable in model.variables:
        variable.assign(values[variable.name.removesuffix(":0")])

    def run(inputs):
        with tf.GradientTape() as tape:
            output = model(inputs)
            loss = model.loss_of(inputs, output)
        return output, loss, tape.gradient(loss, model.trainable_variables)

    runs = {True: tf.function(run, input_signature=[input_specs(18)], autograph=False), False: run}
    return model, Tensorizer.from_experiment(experiment, characters), runs


@pytest.fixture(scope="module")
def expected():
    return np.load(REFERENCE / "expected.npz")


def gradient_tolerance(expected):
    """1e-4 relative, at least 1e-5, because the gradient of the head scorer's bias is nothing but rounding errors."""
    return max(1e-4 * np.abs(expected).max(), 1e-5)


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_equals_the_authors_graph(reference, expected, number, graph):
    model, tensorizer, runs = reference
    fields = {key: DOCUMENTS[number][key] for key in ("doc_key", "sentences", "speakers", "clusters")}
    inputs = tensorizer.tensorize(Document(**fields))
    output, loss, gradients = runs[graph](inputs)

    def figure(name):
        return expected[f"{number}/{name}"]

    np.testing.assert_array_equal(output.candidate_starts, figure("candidate_starts"))
    np.testing.assert_array_equal(output.candidate_ends, figure("candidate_ends"))
    np.testing.assert_array_equal(output.top_span_starts, figure("top_span_starts"))
    np.testing.assert_array_equal(output.top_span_ends, figure("top_span_ends"))
    np.testing.assert_array_equal(output.antecedents.indices, figure("antecedents"))
    np.testing.assert_allclose(output.candidate_mention_scores, figure("candidate_mention_scores"), atol=1e-5)
    np.testing.assert_allclose(output.head_scores, figure("head_scores")[:, 0], atol=1e-5)
    np.testing.assert_allclose(output.antecedents.scores, figure("antecedent_scores"), atol=1e-5)
    np.testing.assert_allclose(loss, figure("loss"), atol=1e-4)
    best = best_antecedents(output.antecedents.indices.numpy(), output.antecedents.scores.numpy())
    clusters = clusters_of(output.top_span_starts.numpy(), output.top_span_ends.numpy(), best)
    theirs = json.loads(str(figure("clusters")))
    assert clusters == sorted(sorted(map(tuple, cluster)) for cluster in theirs)

    names = authors_names(model.experiment)
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        stack = names[variable.name.removesuffix(":0")]
        gradient = tf.convert_to_tensor(gradient).numpy()
        for part, sources in zip(gradient if len(stack) > 1 else [gradient], stack, strict=True):
            for source in sources:  # the authors have two biases whose sum is ours, with the same gradient
                theirs = figure(f"grad/{source}")
                np.testing.assert_allclose(
                    part, theirs, rtol=0, atol=gradient_tolerance(theirs), err_msg=source
                )


def test_every_ablation_changes_the_layer_sizes():
    full = {variable.name: variable.shape for variable in small_model().variables}
    assert full["mention_scorer/ffnn/kernel_0:0"][0] == 12 + 12 + 3 + 18 + 12
    without = {
        "use_features": (12 + 12 + 18 + 12, 3 * 54 + 6),
        "use_metadata": (57, 3 * 57 + 3),
        "model_heads": (12 + 12 + 3, 3 * 27 + 9),
    }
    for key, (mention_rows, pair_rows) in without.items():
        shapes = {variable.name: variable.shape for variable in small_model(**{key: False}).variables}
        assert shapes["mention_scorer/ffnn/kernel_0:0"][0] == mention_rows, key
        assert shapes["antecedent_scorer/ffnn/kernel_0:0"][0] == pair_rows, key
    names = [variable.name for variable in small_model(char_embedding_size=0).variables]
    assert not [name for name in names if name.startswith("character_cnn")]


def test_coarse_antecedents_have_the_best_bilinear_scores_and_a_gradient():
    model = small_model(antecedents="coarse", max_antecedents=3, mention_ratio=0.9)
    inputs = random_inputs(np.random.default_rng(3), [8, 9])
    with tf.GradientTape() as tape:
        output = model(inputs)
        loss = model.loss_of(inputs, output)
    chosen, scores = output.antecedents.indices.numpy(), output.antecedents.scores.numpy()
    assert chosen.shape[1] == 3 and (chosen[5:] < np.arange(5, len(chosen))[:, None]).all()
    assert np.isfinite(scores[3:]).all() and np.isneginf(scores[0, 1:]).all()
    gradient = tape.gradient(loss, model.antecedent_scorer.coarse_kernel)
    assert np.abs(gradient).max() > 0

    # If K is at least the number of spans, both strategies see the same pairs, and scores differ by g_i W g_j.
    wide = small_model(antecedents="coarse", max_antecedents=100, mention_ratio=0.9)
    near = small_model(antecedents="nearest", max_antecedents=100, mention_ratio=0.9)
    values = {variable.name: variable for variable in wide.variables}
    for variable in near.variables:
        variable.assign(values[variable.name])
    wide.antecedent_scorer.coarse_kernel.assign(tf.zeros_like(wide.antecedent_scorer.coarse_kernel))
    one, other = wide(inputs).antecedents, near(inputs).antecedents
    for row in range(len(one.indices)):
        length = int(one.lengths[row])
        pairs = dict(
            zip(one.indices[row, :length].numpy(), one.scores[row, 1 : length + 1].numpy(), strict=True)
        )
        again = dict(
            zip(other.indices[row, :length].numpy(), other.scores[row, 1 : length + 1].numpy(), strict=True)
        )
        assert pairs.keys() == again.keys()
        np.testing.assert_allclose([pairs[j] for j in pairs], [again[j] for j in pairs], atol=1e-5)


def test_both_backends_are_equal_with_refined_spans():
    inputs = random_inputs(np.random.default_rng(4), [9, 30, 5])
    check_both_backends(inputs, coref_depth=2, max_antecedents=7, dropout_rate=0.3)


def test_both_backends_are_equal_with_dropout():
    check_both_backends(random_inputs(np.random.default_rng(8), [9, 30, 5]), dropout_rate=0.3)


def check_both_backends(inputs, **changes):
    results = []
    for backend in ("custom", "portable"):
        model = small_model(backend=backend, **changes)
        with tf.GradientTape() as tape:
            loss = model.loss_of(inputs, model(inputs, training=True))
        gradients = tape.gradient(loss, model.trainable_variables, unconnected_gradients="zero")
        results.append([loss, *map(tf.convert_to_tensor, gradients)])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=gradient_tolerance(theirs))


def test_dropout_is_off_in_prediction_and_on_in_training():
    model = small_model()
    inputs = random_inputs(np.random.default_rng(1), [9, 5])
    np.testing.assert_array_equal(
        model(inputs).candidate_mention_scores, model(inputs).candidate_mention_scores
    )
    training = [
        model(inputs._replace(seed=seed), training=True) for seed in np.int32([[1, 2], [1, 2], [1, 3]])
    ]
    first, again, other = (output.candidate_mention_scores.numpy() for output in training)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_same_seed_gives_the_same_losses():
    def losses():
        tf.keras.utils.set_random_seed(5)
        model = CorefModel(small_experiment(learning_rate=0.01), 12)
        compile_model(model, last_step=30)  # makes all variables; otherwise the graph would be traced twice
        inputs = random_inputs(np.random.default_rng(2), [8, 8])
        dataset = tf.data.Dataset.from_generator(lambda: iter([inputs] * 5), output_signature=input_specs(18))
        return model.fit(dataset, epochs=6, verbose=0).history["loss"]

    first = losses()
    assert len(set(first)) == 6
    assert first == losses()
