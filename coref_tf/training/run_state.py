"""The state that a training run needs to resume after it was stopped, and its checkpoints."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.deprecated import optimizer_variables
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.model import CorefModel
from coref_tf.models.building import assign_variables
from coref_tf.models.checkpoint import (
    Checkpoint,
    best_checkpoint_path,
    model_settings,
    read_checkpoint,
    write_checkpoint,
)
from coref_tf.models.saved_settings import check_encoder, check_settings
from coref_tf.support.errors import CorefError
from coref_tf.support.typed_settings import format_value
from coref_tf.training.optimizers import begin_averages

# Settings, in addition to those of the model, that must not change when a run is resumed.
_FIXED = ("optimizer", "moving_average", "max_training_sentences", "seed")


@dataclasses.dataclass
class RunState:
    """The progress of a run. A step processes one document on each replica."""

    step: int = 0
    best_f1: float = -1.0
    best_step: int = 0
    stale: int = 0  # evaluations since the best one
    # All evaluations: the step, F1 on "dev" and, if there are reference documents, on "reference".
    history: list[dict[str, float]] = dataclasses.field(default_factory=list)

    def record(self, f1: float, reference: float | None = None) -> bool:
        """Records an evaluation; returns whether it is the best so far."""
        self.history.append({"step": self.step, "dev": f1})
        if reference is not None:
            self.history[-1]["reference"] = reference
        better = f1 > self.best_f1
        if better:
            self.best_f1, self.best_step, self.stale = f1, self.step, 0
        else:
            self.stale += 1
        return better


class RunCheckpoints:
    """Writes and reads the checkpoints of a run: the latest, the previous and the best.

    Args:
        experiment: The settings.
        characters: The character vocabulary.
        model: The compiled model, with its optimizer.
        replicas: The number of documents that a step processes.
    """

    def __init__(
        self, experiment: Experiment, characters: CharacterVocabulary, model: CorefModel, replicas: int = 1
    ):
        self.experiment = experiment
        self.characters = characters
        self.model = model
        self.fixed = {key: getattr(experiment, key) for key in _FIXED} | {"replicas": replicas}
        # The settings that have changed since the restored checkpoint was written.
        self.differences: list[str] = []
        self.latest = experiment.log_dir / "latest.h5"
        self.previous = experiment.log_dir / "previous.h5"

    def save(self, state: RunState) -> None:
        """Writes the latest checkpoint and keeps the one before it as the previous one."""
        optimizer = {
            f"optimizer/{name}": value.numpy() for name, value in _named(_optimizer_variables(self.model))
        }
        new = self.latest.with_name("new.h5")
        # Existing files are replaced only after the new one is complete, because the disk may be full.
        self._write(new, state, self._weights() | optimizer)
        if self.latest.exists():
            os.replace(self.latest, self.previous)
        os.replace(new, self.latest)

    def save_best(self, state: RunState) -> None:
        """Writes the current model, which has just been evaluated, as the experiment's best."""
        self._write(best_checkpoint_path(self.experiment), state, self._weights())

    def restore(self) -> RunState:
        """Restores model and optimizer from the last intact checkpoint; without one, starts a new run."""
        damaged = []
        for path in (self.latest, self.previous):
            if path.exists():
                try:
                    checkpoint = read_checkpoint(path)
                except CorefError as error:
                    print(f"warning: {error}", file=sys.stderr)
                    damaged.append(path)
                    continue
                return self._restore(path, checkpoint)
        if damaged:
            raise CorefError(
                f"{damaged[0]}: damaged, and no earlier checkpoint is intact; delete {damaged[0].parent} to start over"
            )
        if self.experiment.start_from:
            self._start_from(self.experiment.start_from)
        return RunState()

    def _start_from(self, path: Path) -> None:
        """Initializes a new run with the weights of a checkpoint, and nothing else from it.

        If its encoder was frozen, layers that are now fine-tuned start with the weights in the encoder file.
        """
        checkpoint = read_checkpoint(path)
        check_settings(checkpoint, _tuned_as(checkpoint, self.experiment), path)
        check_encoder(checkpoint, self.experiment, self.model.encoder_identity, path)
        tuned = {variable.ref() for variable in self.model.tuned_variables}
        known = [
            variable
            for variable in self.model.own_variables
            if variable.ref() not in tuned or variable.name.removesuffix(":0") in checkpoint.variables
        ]
        assign_variables(known, checkpoint, path)
        begin_averages(self.model)

    def _restore(self, path: Path, checkpoint: Checkpoint) -> RunState:
        check_settings(checkpoint, self.experiment, path)
        for key, value in self.fixed.items():
            saved = checkpoint.state["fixed"][key]
            if saved != value:
                raise CorefError(
                    f"{path}: was trained with {key} = {saved}, but it is now {value}; change it back, or delete"
                    f" {path.parent} to start over"
                )
        if checkpoint.characters != list(self.characters.characters):
            raise CorefError(
                f"{path}: was trained with characters other than those in {self.experiment.char_vocab_path}; delete"
                f" {path.parent} to start over"
            )
        self.differences = _differences(checkpoint.settings, model_settings(self.experiment))
        optimizer = _named(_optimizer_variables(self.model))
        check_encoder(checkpoint, self.experiment, self.model.encoder_identity, path)
        assign_variables(self.model.own_variables, checkpoint, path)
        names = [f"optimizer/{name}" for name, _ in optimizer]
        assign_variables([variable for _, variable in optimizer], checkpoint, path, names)
        return RunState(**checkpoint.state["run"])

    def _weights(self) -> dict[str, np.ndarray]:
        return {variable.name.removesuffix(":0"): variable.numpy() for variable in self.model.own_variables}

    def _write(self, path: Path, state: RunState, variables: dict[str, np.ndarray]) -> None:
        for name, value in variables.items():
            if not np.isfinite(value).all():
                raise CorefError(
                    f"step {state.step:,}: variable {name} is no longer finite; training stops, and the checkpoints in"
                    f" {path.parent} are unchanged; try a lower learning_rate"
                )
        remembered = {
            "run": dataclasses.asdict(state),
            "fixed": self.fixed,
            "encoder": self.model.encoder_identity,
        }
        characters = list(self.characters.characters)
        write_checkpoint(path, Checkpoint(model_settings(self.experiment), characters, variables, remembered))


def _tuned_as(checkpoint: Checkpoint, experiment: Experiment) -> Experiment:
    """Returns the experiment with the checkpoint's number of fine-tuned layers, if that is smaller."""
    saved = (checkpoint.settings.get("context") or {}).get("tuned_layers", 0)
    if experiment.context is None or not isinstance(saved, int) or saved >= experiment.context.tuned_layers:
        return experiment
    context = dataclasses.replace(experiment.context, tuned_layers=saved)
    return dataclasses.replace(experiment, context=context)


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Lists the settings that have changed, with both values; the location of the folder does not count."""
    return [
        f"{key} = {format_value(value)}, was {format_value(before[key])}"
        for key, value in now.items()
        if key in before and before[key] != value and key != "log_root"
    ]


def _optimizer_variables(model: CorefModel) -> list[tf.Variable]:
    return [variable for optimizer, _ in model.optimizers for variable in optimizer_variables(optimizer)]


def _named(variables: Iterable[tf.Variable]) -> list[tuple[str, tf.Variable]]:
    """Returns the variables with unique names; an optimizer's own names may be ambiguous."""
    return [(f"{number:03d}", variable) for number, variable in enumerate(variables)]
