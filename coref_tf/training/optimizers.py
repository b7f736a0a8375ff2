"""The optimizers of a run: the paper's, and one for an encoder that is tuned."""

import contextlib
from collections.abc import Iterator

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.model import CorefModel
from coref_tf.support.extras import require_extra


class LinearSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    """A learning rate that rises from 0, then falls to 0 at the last step, both in a straight line.

    Args:
        learning_rate: the highest.
        last_step: where it is 0 again.
        warm_up: the share of all steps in which it rises.
    """

    def __init__(self, learning_rate, last_step, warm_up):
        self.learning_rate = learning_rate
        self.last_step = last_step
        self.warm_up = warm_up

    def __call__(self, step):
        """The rate of a step."""
        step = tf.cast(step, tf.float32)
        top = self.warm_up * self.last_step
        falling = (self.last_step - step) / (self.last_step - top)
        rising = (step + 1) / (top + 1)
        return self.learning_rate * tf.maximum(tf.minimum(rising, falling), 0.0)

    def get_config(self):
        """The arguments that make it again."""
        return {key: getattr(self, key) for key in ("learning_rate", "last_step", "warm_up")}


def compile_model(model: CorefModel, last_step: int) -> None:
    """Gives a model its optimizers, with all their variables, so that a checkpoint can be put into them.

    Args:
        model: the model.
        last_step: the last of max_epochs.
    """
    experiment = model.experiment
    model.compile(optimizer=make_optimizer(experiment, experiment.learning_rate, last_step))
    if model.tuned_variables:
        model.context_optimizer = make_optimizer(experiment, experiment.context.learning_rate, last_step)
    for optimizer, variables in model.optimizers:
        if is_older(optimizer):
            optimizer._create_all_weights(variables)
            _ = optimizer.iterations
        else:
            optimizer.build(variables)


def is_older(optimizer) -> bool:
    """Whether it is one of Keras's older kind, which tensorflow-addons wraps."""
    return isinstance(optimizer, tf.keras.optimizers.legacy.Optimizer)


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
        # tensorflow-addons wraps the older optimizers only.
        addons = import_addons()
        kinds = tf.keras.optimizers.legacy
        inner = kinds.Adam(rate, epsilon=1e-8) if experiment.optimizer == "adam" else kinds.SGD(rate)
        return addons.optimizers.MovingAverage(inner, average_decay=experiment.moving_average)
    if experiment.optimizer == "adam":
        return tf.keras.optimizers.Adam(rate, epsilon=1e-8, jit_compile=False)
    return tf.keras.optimizers.SGD(rate, jit_compile=False)


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


def import_addons():
    """tensorflow-addons, which only training uses; its farewell message is not the user's concern."""
    require_extra("train", "training")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow_addons
    return tensorflow_addons
