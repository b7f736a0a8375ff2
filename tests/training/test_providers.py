"""The project's own moving average and progress bar equal those of tensorflow-addons."""

import contextlib
import time

import numpy as np
import pytest
import tensorflow as tf
import tqdm.auto
from random_documents import random_inputs, small_model

from coref_tf.deprecated import apply_gradients, build_optimizer, older_optimizers, optimizer_variables
from coref_tf.support.lanes import this_lane
from coref_tf.training import providers
from coref_tf.training.optimizers import averaged_weights, compile_model
from coref_tf.training.providers import addons, our_own

both = pytest.mark.skipif(
    not this_lane().addons, reason="compares with tensorflow-addons, which exists for Python up to 3.11"
)


@pytest.fixture
def eagerly():
    """Runs without graphs, whose tracing is slow."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


def test_each_lane_has_its_provider():
    average = providers.provider().moving_average(older_optimizers().SGD(0.1), 0.9)
    assert type(average).__module__.startswith("tensorflow_addons") == this_lane().addons


def numbers(count):
    """Variables of two shapes, and their gradients for `count` steps."""
    generator = np.random.default_rng(3)
    variables = [tf.Variable(generator.normal(size=shape), dtype=tf.float32) for shape in ([4, 3], [5])]
    steps = [
        [generator.normal(size=variable.shape).astype("f") for variable in variables] for _ in range(count)
    ]
    return variables, steps


def step_function(optimizer, variables):
    """A graph function that applies gradients."""
    return tf.function(
        lambda gradients: apply_gradients(optimizer, [*zip(gradients, variables, strict=True)])
    )


def rate():
    return tf.keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5, staircase=True)


INNER = {
    "adam": lambda: older_optimizers().Adam(rate(), epsilon=1e-8),
    "sgd": lambda: older_optimizers().SGD(rate()),
}


def test_the_moving_average_of_gradient_descent():
    """With plain gradient descent, the expected weights and averages are computed in NumPy."""
    variables, steps = numbers(7)
    optimizer = our_own().moving_average(INNER["sgd"](), 0.8)
    build_optimizer(optimizer, variables)
    expected = [variable.numpy() for variable in variables]
    averages = list(expected)
    for step, gradients in enumerate(steps):
        apply_gradients(optimizer, list(zip(gradients, variables, strict=True)))
        expected = [e - 0.1 * 0.5 ** (step // 3) * g for e, g in zip(expected, gradients, strict=True)]
        averages = [0.8 * a + 0.2 * e for a, e in zip(averages, expected, strict=True)]
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(variable, value, atol=1e-6)
    optimizer.assign_average_vars(variables)
    for variable, value in zip(variables, averages, strict=True):
        np.testing.assert_allclose(variable, value, atol=1e-6)
    assert int(optimizer.iterations) == 7


@both
@pytest.mark.parametrize("kind", INNER)
def test_a_run_can_be_resumed_with_the_other_provider(kind):
    """Both take equal steps and have the same variables in the same order; halfway they exchange their states."""
    runs = []
    for provider in (addons(), our_own()):
        variables, steps = numbers(8)
        optimizer = provider.moving_average(INNER[kind](), 0.9)
        build_optimizer(optimizer, variables)
        runs.append((variables, optimizer, step_function(optimizer, variables)))
    (one, first, _), (other, second, _) = runs
    for number, gradients in enumerate(steps):
        if number == 4:
            for ours, theirs in zip(optimizer_variables(first), optimizer_variables(second), strict=True):
                ours_before = ours.numpy()
                ours.assign(theirs)
                theirs.assign(ours_before)
        for _, _, step in runs:
            step(gradients)
        pairs = [*zip(one, other, strict=True)]
        pairs += [*zip(optimizer_variables(first), optimizer_variables(second), strict=True)]
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert float(first.learning_rate(3)) == float(second.learning_rate(3)) == pytest.approx(0.05)


@both
@pytest.mark.filterwarnings("ignore:Even though the `tf.config.experimental_run_functions_eagerly`")
def test_training_steps_have_the_same_averages(eagerly, monkeypatch):
    averages = []
    for provider in (addons, our_own):
        monkeypatch.setattr("coref_tf.training.optimizers.provider", provider)
        model = small_model(moving_average=0.9)
        compile_model(model, last_step=100)
        before = [variable.numpy() for variable in model.trainable_variables]
        generator = np.random.default_rng(0)
        for _ in range(3):
            model.train_step(random_inputs(generator, [8, 5]))
        learned = [variable.numpy() for variable in model.trainable_variables]
        with averaged_weights(model):
            averages.append([variable.numpy() for variable in model.trainable_variables])
        for variable, value in zip(model.trainable_variables, learned, strict=True):
            np.testing.assert_array_equal(variable, value)
    for ours, theirs, start, end in zip(*averages, before, learned, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
        assert np.array_equal(start, end) or not np.array_equal(ours, end)


class RecordedBar:
    """A fake tqdm bar that records all calls."""

    made: list["RecordedBar"]

    def __init__(self, **options):
        self.notes = [options]
        self.n = 0
        self.made.append(self)

    def update(self, count):
        self.n += count
        self.notes.append((count, getattr(self, "desc", None), getattr(self, "miniters", None)))

    def close(self):
        self.notes.append("closed")


def recorded(bar, monkeypatch):
    """The calls of a bar in two epochs of four steps of 0.06 seconds; the second epoch ends early."""
    RecordedBar.made = []
    monkeypatch.setattr(tqdm.auto, "tqdm", RecordedBar)
    now = 100.0
    monkeypatch.setattr(time, "time", lambda: now)
    callbacks = tf.keras.callbacks.CallbackList([bar()], epochs=2, steps=4, model=None)
    callbacks.on_train_begin()
    for epoch, steps in enumerate((4, 2)):
        callbacks.on_epoch_begin(epoch)
        for step in range(steps):
            callbacks.on_train_batch_begin(step)
            now += 0.06
            callbacks.on_train_batch_end(step, {"loss": 3.0 - step, "words/s": 100.0 + step})
        callbacks.on_epoch_end(epoch, {"loss": 0.5})
    callbacks.on_train_end()
    return [each.notes for each in RecordedBar.made]


def test_the_progress_bar(monkeypatch, capsys):
    epochs, first, second = recorded(our_own().progress_bar, monkeypatch)
    assert capsys.readouterr().out == "Epoch 1/2\nEpoch 2/2\n"
    assert (epochs[0]["total"], epochs[1:]) == (2, [(1, None, None)] * 2 + ["closed"])
    assert (first[0]["total"], first[0]["leave"]) == (4, False)
    assert first[1:] == [
        (2, "loss: 2.5000 - words/s: 100.5000", None),
        (2, "loss: 1.5000 - words/s: 101.5000", None),
        (0, "loss: 0.5000", 0),
        "closed",
    ]
    assert second[-2:] == [(2, "loss: 0.5000", 0), "closed"]


@both
def test_the_progress_bar_of_addons_is_the_same(monkeypatch, capsys):
    shown = []
    for provider in (addons(), our_own()):
        with contextlib.ExitStack() as stack:
            patch = stack.enter_context(monkeypatch.context())
            shown.append((recorded(provider.progress_bar, patch), capsys.readouterr().out))
    assert shown[0] == shown[1]
