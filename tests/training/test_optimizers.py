"""FusedAdam, with one op per variable, equals Keras's Adam."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf.training.optimizers import FusedAdam, LinearSchedule


@pytest.mark.parametrize("rate", [0.001, LinearSchedule(0.01, last_step=20, warm_up=0.2)])
def test_fused_adam_equals_keras_adam(rate):
    random = np.random.default_rng(0)
    shapes = [(3, 4), (5,), ()]
    start = [random.normal(size=shape).astype("float32") for shape in shapes]
    fused, keras_adam = [tf.Variable(value) for value in start], [tf.Variable(value) for value in start]
    optimizers = [
        (FusedAdam(rate, epsilon=1e-8, jit_compile=False), fused),
        (tf.keras.optimizers.Adam(rate, epsilon=1e-8, jit_compile=False), keras_adam),
    ]
    for _ in range(20):
        gradients = [tf.constant(random.normal(size=shape), tf.float32) for shape in shapes]
        for optimizer, variables in optimizers:
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
    for ours, theirs, before in zip(fused, keras_adam, start, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
        assert np.abs(ours - before).min() > 1e-4  # every value has changed


def test_checkpoints_of_both_optimizers_are_compatible():
    # The variables have the same names, order and shapes, so runs that were started with Keras's Adam can be resumed.
    variable = tf.Variable(tf.ones([2, 3]))
    fused, keras_adam = FusedAdam(0.1), tf.keras.optimizers.Adam(0.1)
    for optimizer in (fused, keras_adam):
        optimizer.build([variable])
    assert [(v.name, v.shape) for v in fused.variables] == [(v.name, v.shape) for v in keras_adam.variables]


def test_fused_adam_keeps_replicas_equal():
    strategy = tf.distribute.MirroredStrategy(["cpu:0"])
    with strategy.scope():
        variable = tf.Variable([1.0, 2.0])
        optimizer = FusedAdam(0.1)
        optimizer.build([variable])

    @tf.function
    def step():
        def on_replica():
            gradient = tf.distribute.get_replica_context().all_reduce("MEAN", 2 * variable)
            optimizer.apply_gradients([(gradient, variable)], skip_gradients_aggregation=True)

        strategy.run(on_replica)

    for _ in range(3):
        step()
    np.testing.assert_allclose(variable, [0.7, 1.7], atol=0.01)
