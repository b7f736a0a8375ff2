"""The optimizers of a run: that of the paper, and one for a fine-tuned encoder."""

import contextlib
from collections.abc import Iterator

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.deprecated import build_optimizer, older_optimizers
from coref_tf.model import CorefModel
from coref_tf.training.providers import provider


class LinearSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises linearly from 0, then falls linearly to 0 at the last step.

    Args:
        learning_rate: The maximum.
        last_step: The step at which it reaches 0 again.
        warm_up: The fraction of all steps during which it rises.
    """

    def __init__(self, learning_rate: float, last_step: int, warm_up: float):
        self.learning_rate = learning_rate
        self.last_step = last_step
        self.warm_up = warm_up

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """Returns the learning rate at a step."""
        step = tf.cast(step, tf.float32)
        top = self.warm_up * self.last_step
        falling = (self.last_step - step) / (self.last_step - top)
        rising = (step + 1) / (top + 1)
        return self.learning_rate * tf.maximum(tf.minimum(rising, falling), 0.0)

    def get_config(self) -> dict[str, float]:
        """Returns the arguments of the constructor."""
        return {key: getattr(self, key) for key in ("learning_rate", "last_step", "warm_up")}


class FusedAdam(tf.keras.optimizers.Adam):
    """Adam with TensorFlow's fused update op, which reads and writes each variable once.

    Keras computes the same formula op by op; for an encoder on a short text, that takes longer than everything else.
    """

    def update_step(self, gradient: tf.Tensor, variable: tf.Variable) -> None:
        """Updates one variable with its gradient, which must be dense."""
        step = tf.cast(self.iterations + 1, variable.dtype)
        index = self._index_dict[self._var_key(variable)]
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].handle,
            v=self._velocities[index].handle,
            beta1_power=tf.pow(tf.cast(self.beta_1, variable.dtype), step),
            beta2_power=tf.pow(tf.cast(self.beta_2, variable.dtype), step),
            lr=tf.cast(self.learning_rate, variable.dtype),
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=gradient,
        )


def compile_model(model: CorefModel, last_step: int) -> None:
    """Creates the optimizers of a model with all their variables, so that a checkpoint can be restored into them.

    Args:
        model: The model.
        last_step: The last step of max_epochs epochs.
    """
    experiment = model.experiment
    model.compile(optimizer=make_optimizer(experiment, experiment.learning_rate, last_step))
    if experiment.context and model.tuned_variables:
        model.context_optimizer = make_optimizer(experiment, experiment.context.learning_rate, last_step)
    for optimizer, variables in model.optimizers:
        build_optimizer(optimizer, variables)


def make_optimizer(
    experiment: Experiment, learning_rate: float, last_step: int
) -> tf.keras.optimizers.Optimizer:
    """Creates the paper's optimizer, Adam (or SGD) with a decaying learning rate, by default as a staircase."""
    schedules = tf.keras.optimizers.schedules
    if experiment.schedule == "linear":
        rate = LinearSchedule(learning_rate, last_step, experiment.warm_up)
    else:
        rate = schedules.ExponentialDecay(
            learning_rate, experiment.decay_frequency, experiment.decay_rate, staircase=True
        )
    if experiment.moving_average:
        kinds = older_optimizers()
        inner = kinds.Adam(rate, epsilon=1e-8) if experiment.optimizer == "adam" else kinds.SGD(rate)
        return provider().moving_average(inner, experiment.moving_average)
    if experiment.optimizer == "adam":
        return FusedAdam(rate, epsilon=1e-8, jit_compile=False)
    return tf.keras.optimizers.SGD(rate, jit_compile=False)


def begin_averages(model: CorefModel) -> None:
    """Restarts the moving averages, if the experiment uses them, from the current weights.

    The optimizer initialized them when it was built, before the weights of the initial model were assigned.
    """
    if model.experiment.moving_average:
        for optimizer, variables in model.optimizers:
            for variable in variables:
                optimizer.get_slot(variable, "average").assign(variable)


@contextlib.contextmanager
def averaged_weights(model: CorefModel) -> Iterator[None]:
    """Temporarily replaces the weights with their moving averages, if the experiment uses them."""
    if not model.experiment.moving_average:
        yield
        return
    weights = [variable.numpy() for variable in model.trainable_variables]
    for optimizer, variables in model.optimizers:
        optimizer.assign_average_vars(variables)
    try:
        yield
    finally:
        for variable, value in zip(model.trainable_variables, weights, strict=True):
            variable.assign(value)
