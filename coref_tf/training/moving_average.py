"""The moving average of the weights, for environments without tensorflow-addons."""

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from coref_tf.deprecated import older_optimizers

_Optimizer: Any = older_optimizers().Optimizer


class MovingAverage(_Optimizer):
    """Wraps a legacy Keras optimizer and maintains the moving average of every variable that it updates.

    It is equivalent to the tensorflow-addons class of the same name, with the same variables in the same order, so that
    a run can be started with one and resumed with the other. Gradients are dense.

    Args:
        optimizer: The optimizer to wrap.
        average_decay: The weight of the previous average in each step.
    """

    def __init__(self, optimizer: tf.keras.optimizers.Optimizer, average_decay: float):
        super().__init__("MovingAverage")
        self._optimizer = optimizer
        self._average_decay = average_decay

    def assign_average_vars(self, variables: Iterable[tf.Variable]) -> None:
        """Assigns the averages to the variables."""
        for variable in variables:
            variable.assign(self.get_slot(variable, "average"))

    @property
    def weights(self) -> list[tf.Variable]:
        """Its own variables, then those of the wrapped optimizer."""
        return self._weights + self._optimizer.weights

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the wrapped optimizer."""
        return self._optimizer.learning_rate

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None, **options: Any) -> Any:
        """Applies a step of both optimizers, which share a step counter."""
        self._optimizer._iterations = self.iterations
        return super().apply_gradients(grads_and_vars, name, **options)

    # The methods below are hooks that Keras calls in legacy optimizers.

    def _create_hypers(self) -> None:
        self._optimizer._create_hypers()

    def _create_slots(self, var_list: Iterable[tf.Variable]) -> None:
        self._optimizer._create_slots(var_list)
        for variable in var_list:
            self.add_slot(variable, "average", variable.read_value())

    def _prepare_local(self, var_device: str, var_dtype: tf.DType, apply_state: dict[Any, Any]) -> None:
        self._optimizer._prepare_local(var_device, var_dtype, apply_state)

    def _resource_apply_dense(self, grad: tf.Tensor, handle: tf.Variable, apply_state: dict[Any, Any]) -> Any:
        stepped = self._optimizer._resource_apply_dense(grad, handle, apply_state)
        with tf.control_dependencies([stepped]):
            average = self.get_slot(handle, "average")
            moved = (average - handle) * (1 - tf.constant(self._average_decay, average.dtype))
            return average.assign_sub(moved)
