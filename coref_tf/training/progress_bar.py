"""The progress bars of training, for environments without tensorflow-addons."""

import time
from collections import defaultdict

import tensorflow as tf
from tqdm import auto

from coref_tf.training.callbacks import Logs

# The formats of the bars, in the notation of tqdm.
_ALL_EPOCHS = "{l_bar}{bar} {n_fmt}/{total_fmt} ETA: {remaining}s,  {rate_fmt}{postfix}"
_ONE_EPOCH = "{n_fmt}/{total_fmt}{bar} ETA: {remaining}s - {desc}"

_SECONDS_BETWEEN_UPDATES = 0.1


class ProgressBar(tf.keras.callbacks.Callback):
    """A bar for all epochs, and one for the current epoch, which disappears at its end.

    The latter shows the mean of each metric over the epoch so far. Both look like those of tensorflow-addons.
    """

    def __init__(self) -> None:
        super().__init__()
        self._updated = time.time()

    def on_train_begin(self, logs: Logs = None) -> None:
        """Draws the bar for all epochs."""
        self._epochs = auto.tqdm(
            desc="Training",
            total=self.params["epochs"],
            bar_format=_ALL_EPOCHS,
            leave=True,
            dynamic_ncols=True,
            unit="epochs",
        )

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Draws the bar for an epoch."""
        self._sums: dict[str, float] = defaultdict(float)
        self._seen = self._shown = 0
        print(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._steps = auto.tqdm(
            total=self.params["steps"],
            bar_format=_ONE_EPOCH,
            leave=False,
            dynamic_ncols=True,
            unit="steps",
        )

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Counts a step, and redraws the bar unless it was redrawn just before."""
        self._seen += 1
        if self._seen > self.params["steps"]:
            return
        for name, value in (logs or {}).items():
            self._sums[name] += value
        now = time.time()
        if now - self._updated >= _SECONDS_BETWEEN_UPDATES:
            self._updated = now
            self._steps.desc = _figures({name: total / self._seen for name, total in self._sums.items()})
            self._steps.update(self._seen - self._shown)
            self._shown = self._seen

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Completes and removes the bar for the epoch, and counts the epoch."""
        self._steps.desc = _figures(logs)
        self._steps.miniters = self._steps.mininterval = 0  # always show this update
        self._steps.update(self.params["steps"] - self._steps.n)
        self._steps.close()
        self._epochs.update(1)

    def on_train_end(self, logs: Logs = None) -> None:
        """Closes the bar for all epochs, leaving it on the screen."""
        self._epochs.close()


def _figures(logs: Logs) -> str:
    return " - ".join(f"{name}: {value:0.4f}" for name, value in (logs or {}).items())
