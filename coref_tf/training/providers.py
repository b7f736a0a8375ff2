"""The parts of training that tensorflow-addons provides where it is available, and the project itself otherwise.

Both providers have the same interface, and an experiment behaves the same with either.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from coref_tf.support.extras import require_extra
from coref_tf.support.lanes import this_lane


class Provider(NamedTuple):
    """The constructors of the moving average and the progress bar.

    `moving_average(optimizer, decay)` wraps a legacy Keras optimizer; `assign_average_vars` of the result assigns the
    averages to variables. `progress_bar()` is a callback for `fit`.
    """

    moving_average: Callable[..., tf.keras.optimizers.Optimizer]
    progress_bar: Callable[[], tf.keras.callbacks.Callback]


def provider() -> Provider:
    """Returns the provider for the lane of this Python version."""
    require_extra("train", "training")
    return addons() if this_lane().addons else our_own()


def addons() -> Provider:
    """Returns tensorflow-addons as the provider; silences its end-of-life message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow_addons
    return Provider(
        lambda optimizer, decay: tensorflow_addons.optimizers.MovingAverage(optimizer, average_decay=decay),
        lambda: tensorflow_addons.callbacks.TQDMProgressBar(leave_epoch_progress=False),
    )


def our_own() -> Provider:
    """Returns the project's own implementation, which works in any lane."""
    from coref_tf.training.moving_average import MovingAverage
    from coref_tf.training.progress_bar import ProgressBar

    return Provider(MovingAverage, ProgressBar)
