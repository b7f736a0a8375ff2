"""The callbacks of training: evaluation, checkpoints, reports, stopping."""

import contextlib
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

import tensorflow as tf

from coref_tf.evaluation.evaluate import Evaluation
from coref_tf.training.run_state import RunCheckpoints, RunState

_AVERAGED = {"muc": "MUC", "bcub": "B3", "ceafe": "CEAF-e"}  # the metrics in the average F1, and their titles
_BEST = ", the best so far"
Logs = dict[str, Any] | None  # the metrics of a step, as Keras passes them to callbacks


class StepCounter(tf.keras.callbacks.Callback):
    """Updates RunState.step; must precede all callbacks that read it."""

    def __init__(self, state: RunState, max_steps: float):
        super().__init__()
        self.state = state
        self.max_steps = max_steps

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Counts a step, and stops training after the last one."""
        self.state.step += 1
        if self.state.step >= self.max_steps:
            self.model.stop_training = True


class Reporter(tf.keras.callbacks.Callback):
    """Reports loss, speed and best F1: in the logs for the progress bar, to TensorBoard, and as plain lines.

    Args:
        state: The state of the run.
        replicas: The number of documents that a step processes.
        frequency: The number of steps between reports.
        writer: The writer of TensorBoard scalars.
        plain: Whether to print lines, for use without a progress bar.
    """

    def __init__(
        self,
        state: RunState,
        replicas: int,
        frequency: int,
        writer: tf.summary.SummaryWriter,
        plain: bool,
    ):
        super().__init__()
        self.state = state
        self.replicas = replicas
        self.frequency = frequency
        self.writer = writer
        self.plain = plain
        self._losses: list[float] = []
        self._words, self._seconds = 0, 0.0

    def on_train_batch_begin(self, batch: int, logs: Logs = None) -> None:
        """Starts the clock, which excludes evaluations and checkpoints."""
        self._begin = time.monotonic()

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Adds to the logs, and reports at the given frequency."""
        logs = {} if logs is None else logs
        self._seconds += time.monotonic() - self._begin
        self._losses.append(float(logs["loss"]))
        self._words += int(logs.pop("words")) * self.replicas
        logs["words/s"] = self._words / max(self._seconds, 1e-9)
        logs["best F1"] = 100 * max(self.state.best_f1, 0.0)
        if self.state.step % self.frequency == 0:
            self._report(logs)

    def _report(self, logs: dict[str, Any]) -> None:
        loss = sum(self._losses) / len(self._losses)
        with self.writer.as_default(step=self.state.step):
            tf.summary.scalar("loss", loss)
            tf.summary.scalar("learning_rate", self._learning_rate())
            tf.summary.scalar("words_per_second", logs["words/s"])
        if self.plain:
            best = f", best F1 {logs['best F1']:.2f}" if self.state.best_f1 >= 0 else ""
            print(
                f"step {self.state.step}: loss {loss:.5f}, {logs['words/s']:,.0f} words/s{best}", flush=True
            )
        self._losses, self._words, self._seconds = [], 0, 0.0

    def _learning_rate(self) -> float | tf.Tensor:
        rate = self.model.optimizer.learning_rate
        return rate(self.model.optimizer.iterations) if callable(rate) else rate


class EvaluateAndSave(tf.keras.callbacks.Callback):
    """Evaluates on the dev set, keeps the best model, saves checkpoints, and stops training early.

    Args:
        state: The state of the run.
        checkpoints: The checkpoints of the run; None on a worker that is not the chief, which writes nothing.
        evaluate: A function that scores the current model.
        evaluate_reference: A function that scores it on the reference documents, if there are any.
        compared: Whether to evaluate before the first step, too, and to compare all evaluations with that one.
        averaged: A context manager that gives the model the weights to evaluate and keep.
        steps_per_epoch: The number of steps per epoch.
        eval_frequency: The number of steps between evaluations; 0 evaluates after each epoch.
        checkpoint_frequency: The number of steps between other checkpoints.
        patience: The number of evaluations without a better F1 after which training stops.
        writer: The writer of TensorBoard scalars.
    """

    def __init__(
        self,
        state: RunState,
        checkpoints: RunCheckpoints | None,
        evaluate: Callable[[], Evaluation],
        evaluate_reference: Callable[[], Evaluation] | None,
        compared: bool,
        averaged: Callable[[], AbstractContextManager],
        steps_per_epoch: int,
        eval_frequency: int,
        checkpoint_frequency: int,
        patience: int,
        writer: tf.summary.SummaryWriter,
    ):
        super().__init__()
        self.state = state
        self.checkpoints = checkpoints
        self.evaluate = evaluate
        self.evaluate_reference = evaluate_reference
        self.compared = compared
        self.averaged = averaged
        self.steps_per_epoch = steps_per_epoch
        self.eval_frequency = eval_frequency or steps_per_epoch
        self.checkpoint_frequency = checkpoint_frequency
        self.patience = patience
        self.writer = writer

    def on_train_begin(self, logs: Logs = None) -> None:
        """Evaluates the initial model, if evaluations are compared with it, as the best so far."""
        if self.compared and not self.state.history:
            self._evaluate()

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Evaluates and saves at the given frequencies."""
        if self.state.step % self.eval_frequency == 0:
            self._evaluate()
        elif self.checkpoints and self.state.step % self.checkpoint_frequency == 0:
            self.checkpoints.save(self.state)

    def on_train_end(self, logs: Logs = None) -> None:
        """Saves the state of the run; evaluates a run that was too short to be evaluated before."""
        if self.state.best_f1 < 0 and self.state.step:
            self._evaluate()
        elif self.checkpoints:
            self.checkpoints.save(self.state)

    def _evaluate(self) -> None:
        with self.averaged():
            evaluation = self.evaluate()
            reference = self.evaluate_reference() if self.evaluate_reference else None
            better = self.state.record(
                evaluation.scores.conll_f1, reference.scores.conll_f1 if reference else None
            )
            # The best checkpoint comes first, so that a crash in between only repeats the evaluation.
            if better and self.checkpoints:
                self.checkpoints.save_best(self.state)
        if self.checkpoints:
            self.checkpoints.save(self.state)
        self._write_scalars(evaluation)
        epochs = self.state.step / self.steps_per_epoch
        if self.compared:
            line = format_comparison(self.state, epochs, better)
        else:
            best = _BEST if better else ""
            line = f"step {self.state.step}, epoch {epochs:.4g}: {format_evaluation(evaluation)}{best}"
        print(f"\n{line}" if sys.stdout.isatty() else line, flush=True)  # a terminal has a progress bar above
        if self.state.stale >= self.patience:
            print(f"no better F1 in {self.patience} evaluations; stopping training")
            self.model.stop_training = True

    def _write_scalars(self, evaluation: Evaluation) -> None:
        f1 = {name: score.f1 for name, score in evaluation.scores.computed().items()}
        with self.writer.as_default(step=self.state.step):
            for name in _AVERAGED:
                tf.summary.scalar(f"dev/{name}_f1", 100 * f1[name])
            tf.summary.scalar("dev/average_f1", 100 * evaluation.scores.conll_f1)
            tf.summary.scalar("dev/mention_recall", 100 * evaluation.mention_recall)
            if "reference" in self.state.history[-1]:
                tf.summary.scalar("reference/average_f1", 100 * self.state.history[-1]["reference"])


def format_evaluation(evaluation: Evaluation) -> str:
    """Formats the scores of a model on the dev set."""
    f1 = {name: score.f1 for name, score in evaluation.scores.computed().items()}
    figures = ", ".join(f"{title} {100 * f1[name]:.2f}" for name, title in _AVERAGED.items())
    return (
        f"dev average F1 {100 * evaluation.scores.conll_f1:.2f} ({figures}),"
        f" mention recall {100 * evaluation.mention_recall:.1f}%"
    )


def format_comparison(state: RunState, epochs: float, better: bool) -> str:
    """Formats the last evaluation of a run, and its difference from that of the initial model.

    Args:
        state: The state of the run.
        epochs: The number of epochs so far.
        better: Whether the F1 on the dev set is the best so far.
    """
    first, last = state.history[0], state.history[-1]
    # The dev set alone decides which epoch is the best.
    places = {
        "dev": f"on the dev set{_BEST if better else ''}",
        "reference": "on the bundled dev set",
    }
    figures = []
    for name in (name for name in places if name in last):
        change = f" ({100 * (last[name] - first[name]):+.2f})" if last["step"] else ""
        figures.append(f"{100 * last[name]:.2f}{change} {places[name]}")
    when = f"epoch {epochs:.4g}" if last["step"] else "before training"
    return f"{when}: F1 {'; '.join(figures)}"


class StopOnInterrupt(tf.keras.callbacks.Callback):
    """On Ctrl-C or SIGTERM, finishes the step and saves the run; then sets `interrupted`."""

    def __init__(self) -> None:
        super().__init__()
        self.interrupted = False

    def on_train_begin(self, logs: Logs = None) -> None:
        """Installs the signal handlers."""
        self._before = {
            number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)
        }

    def on_train_end(self, logs: Logs = None) -> None:
        """Restores the previous signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def on_train_batch_end(self, batch: int, logs: Logs = None) -> None:
        """Stops training after the step in which a signal arrived."""
        if self.interrupted:
            self.model.stop_training = True

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:  # a second Ctrl-C does not wait for the step
            raise KeyboardInterrupt
        self.interrupted = True
        print("\nfinishing the step, then saving ...", file=sys.stderr, flush=True)


@contextlib.contextmanager
def slow_callbacks_allowed() -> Iterator[None]:
    """Discards Keras's advice to check callbacks that take longer than a step, as evaluating on the dev set does."""

    def is_other(record: logging.LogRecord) -> bool:
        return "is slow compared to the batch time" not in record.getMessage()

    logger = tf.get_logger()
    logger.addFilter(is_other)
    try:
        yield
    finally:
        logger.removeFilter(is_other)
