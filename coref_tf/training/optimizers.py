"""The optimizers of a run: the paper's, and one for an encoder that is tuned."""

import contextlib
from collections.abc import Iterator

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.deprecated import build_optimizer, older_optimizers
from coref_tf.model import CorefModel
from coref_tf.training.providers import provider


class LinearSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises from 0, then falls to 0 at the last step, both in a straight line.

    Args:
        learning_rate: the highest.
        last_step: where it is 0 again.
        warm_up: the share of all steps in which it rises.
    """

    def __init__(self, learning_rate: float, last_step: int, warm_up: float):
        self.learning_rate = learning_rate
        self.last_step = last_step
        self.warm_up = warm_up

    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        """The rate of a step."""
        step = tf.cast(step, tf.float32)
        top = self.warm_up * self.last_step
        falling = (self.last_step - step) / (self.last_step - top)
        rising = (step + 1) / (top + 1)
        return self.learning_rate * tf.maximum(tf.minimum(rising, falling), 0.0)

    def get_config(self) -> dict[str, float]:
        """The arguments that make it again."""
        return {key: getattr(self, key) for key in ("learning_rate", "last_step", "warm_up")}


class FusedAdam(tf.keras.optimizers.Adam):
    """Adam whose step is TensorFlow's own op, which reads and writes a variable once.

    Keras computes the same formula op by op, which takes longer than all else for an encoder on a short text.
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
    """Gives a model its optimizers, with all their variables, so that a checkpoint can be put into them.

    Args:
        model: the model.
        last_step: the last of max_epochs.
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
    """The paper's optimizer: Adam (or plain gradient descent) with a learning rate that falls, by default in steps."""
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
    """Has the moving averages, where the experiment asks for them, begin with the weights as they are now.

    The optimizer took those of the moment it was built, which are not those of a model that a run starts from.
    """
    if model.experiment.moving_average:
        for optimizer, variables in model.optimizers:
            for variable in variables:
                optimizer.get_slot(variable, "average").assign(variable)


@contextlib.contextmanager
def averaged_weights(model: CorefModel) -> Iterator[None]:
    """While entered, the model has the moving average of its weights, where the experiment asks for one."""
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
