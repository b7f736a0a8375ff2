"""What training has from tensorflow-addons where that exists, and from the project itself where it doesn't.

One interface with two providers; an experiment behaves the same with either.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from coref_tf.support.extras import require_extra
from coref_tf.support.lanes import this_lane


class Provider(NamedTuple):
    """Where both come from.

    `moving_average(optimizer, decay)` wraps one of Keras's older optimizers; the result's `assign_average_vars`
    gives variables their averages. `progress_bar()` is a callback of `fit`.
    """

    moving_average: Callable[..., tf.keras.optimizers.Optimizer]
    progress_bar: Callable[[], tf.keras.callbacks.Callback]


def provider() -> Provider:
    """That of this Python's lane."""
    require_extra("train", "training")
    return addons() if this_lane().addons else our_own()


def addons() -> Provider:
    """tensorflow-addons; its farewell message is not the user's concern."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import tensorflow_addons
    return Provider(
        lambda optimizer, decay: tensorflow_addons.optimizers.MovingAverage(optimizer, average_decay=decay),
        lambda: tensorflow_addons.callbacks.TQDMProgressBar(leave_epoch_progress=False),
    )


def our_own() -> Provider:
    """The project's, on any lane."""
    from coref_tf.training.moving_average import MovingAverage
    from coref_tf.training.progress_bar import ProgressBar

    return Provider(MovingAverage, ProgressBar)
