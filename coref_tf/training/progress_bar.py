"""The progress bars of a training, where there is no tensorflow-addons."""

import time
from collections import defaultdict

import tensorflow as tf
from tqdm import auto

from coref_tf.training.callbacks import Logs

# As tqdm has them: what stands in each bar.
_ALL_EPOCHS = "{l_bar}{bar} {n_fmt}/{total_fmt} ETA: {remaining}s,  {rate_fmt}{postfix}"
_ONE_EPOCH = "{n_fmt}/{total_fmt}{bar} ETA: {remaining}s - {desc}"

_SECONDS_BETWEEN_UPDATES = 0.1


class ProgressBar(tf.keras.callbacks.Callback):
    """A bar for all epochs, and one for each that goes when it ends.

    The latter shows the mean of every figure since the epoch's first step. Both look as those of tensorflow-addons do.
    """

    def __init__(self) -> None:
        super().__init__()
        self._updated = time.time()

    def on_train_begin(self, logs: Logs = None) -> None:
        """Draws the bar of all epochs."""
        self._epochs = auto.tqdm(
            desc="Training",
            total=self.params["epochs"],
            bar_format=_ALL_EPOCHS,
            leave=True,
            dynamic_ncols=True,
            unit="epochs",
        )

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Draws the bar of an epoch."""
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
        """Counts a step, and shows it unless the last was shown just now."""
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
        """Fills the epoch's bar, takes it away, and counts the epoch."""
        self._steps.desc = _figures(logs)
        self._steps.miniters = self._steps.mininterval = 0  # this update is shown whenever the last was
        self._steps.update(self.params["steps"] - self._steps.n)
        self._steps.close()
        self._epochs.update(1)

    def on_train_end(self, logs: Logs = None) -> None:
        """Leaves the bar of all epochs as it is."""
        self._epochs.close()


def _figures(logs: Logs) -> str:
    return " - ".join(f"{name}: {value:0.4f}" for name, value in (logs or {}).items())
