"""Fine-tunes a trained model on the user's documents, and packs the result into one file.

The run itself is `training.fit`, started from the weights of the model, in a folder next to the output that is removed
after the output is written.
"""

import dataclasses
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coref_tf.config import Experiment
from coref_tf.documents import Document, read_documents
from coref_tf.documents.stats import count
from coref_tf.models.open_model import open_experiment, open_trained_model
from coref_tf.models.packing import ABOUT, PackOptions, pack_model
from coref_tf.models.trained_model import TrainedModel
from coref_tf.support.errors import CorefError
from coref_tf.support.files import sha256, write_json
from coref_tf.support.resources import bundled_dev_set
from coref_tf.training.corpora import Corpora
from coref_tf.training.finetune_data import FinetuneData
from coref_tf.training.fit import fit
from coref_tf.training.run_state import RunState

PATIENCE = 4  # epochs without a better F1 after which training stops
WARM_UP = 0.1  # the fraction of the steps during which the learning rate rises
REPORT_FREQUENCY = 20  # steps between reports
CHECKPOINT_FREQUENCY = 100  # steps between checkpoints, in addition to those after each epoch


class FinetuneOptions(NamedTuple):
    """Options for fine-tuning."""

    epochs: int
    learning_rate: float
    seed: int


class FineTuned(NamedTuple):
    """A fine-tuned model, with its F1 before and after; F1 is the CoNLL average, from 0 to 1."""

    path: Path
    epoch: int  # the best epoch, whose weights are in the file; 0 is the model before training
    f1_before: float  # on the dev set
    f1: float
    bundled_f1_before: float | None  # on the bundled dev set; None if the model cannot read it
    bundled_f1: float | None

    @classmethod
    def from_state(cls, path: Path, state: RunState, steps_per_epoch: int) -> "FineTuned":
        """Creates the result of a run."""
        first = state.history[0]
        best = next(each for each in state.history if each["step"] == state.best_step)
        epoch = state.best_step // steps_per_epoch
        return cls(path, epoch, first["dev"], best["dev"], first.get("reference"), best.get("reference"))

    def __str__(self) -> str:
        bundled = ""
        if self.bundled_f1 is not None and self.bundled_f1_before is not None:
            bundled = (
                f", {100 * self.bundled_f1_before:.2f} -> {100 * self.bundled_f1:.2f} on the bundled dev set"
            )
        figures = f"F1 {100 * self.f1_before:.2f} -> {100 * self.f1:.2f} on the dev set{bundled}"
        if not self.epoch:
            return f"{self.path}: the model before training, because no epoch was better on the dev set; {figures}"
        return f"{self.path}: the model after epoch {self.epoch}; {figures}"


def finetune_model(
    model: TrainedModel, data: FinetuneData, output: Path, options: FinetuneOptions
) -> FineTuned:
    """Fine-tunes a model, or resumes an interrupted run, and writes the model of the best epoch as a packed file.

    Args:
        model: The model to start from.
        data: The documents.
        output: The file to write.
        options: The options of fine-tuning.

    Raises:
        KeyboardInterrupt: After Ctrl-C, once everything that is needed to resume has been saved.
    """
    folder = run_folder(output)
    _check_run(folder, model, data, options)
    corpora = Corpora(data.train, data.dev, _reference(model.settings), compared=True)
    start = _packed(model, folder / "start.h5")
    experiment = finetune_experiment(start, folder, output.stem, options)
    try:
        outcome = fit(experiment, corpora=corpora)
    except KeyboardInterrupt:  # outside the training steps, such as while contextual vectors are computed
        print("stopped; run the same command again to resume", file=sys.stderr)
        raise
    if outcome.interrupted:
        print(f"stopped at step {outcome.state.step}; run the same command again to resume", file=sys.stderr)
        raise KeyboardInterrupt
    weights = start.encoder.dtype if start.encoder else PackOptions.encoder_weights
    pack_model(open_experiment(experiment), output, PackOptions(weights, about=_about(model, data.train)))
    shutil.rmtree(folder)
    return FineTuned.from_state(output, outcome.state, len(data.train))


def run_folder(output: Path) -> Path:
    """Returns the folder of an unfinished run."""
    return output.with_suffix(".finetune")


def finetune_experiment(start: TrainedModel, folder: Path, name: str, options: FinetuneOptions) -> Experiment:
    """Returns the settings of the run: those of the initial model, with a small learning rate that falls to 0."""
    return dataclasses.replace(
        start.settings,
        name=name,
        start_from=start.path,
        log_root=folder,
        optimizer="adam",
        learning_rate=options.learning_rate,
        schedule="linear",
        warm_up=WARM_UP,
        moving_average=0.0,
        max_epochs=options.epochs,
        patience=PATIENCE,
        seed=options.seed,
        eval_frequency=0,
        report_frequency=REPORT_FREQUENCY,
        checkpoint_frequency=CHECKPOINT_FREQUENCY,
    )


def _check_run(folder: Path, model: TrainedModel, data: FinetuneData, options: FinetuneOptions) -> None:
    """Creates the folder of the run; an existing folder must belong to the same run."""
    run: dict[str, Any] = {"model": sha256(model.path), "documents": data.fingerprint, **options._asdict()}
    record = folder / "run.json"
    if not record.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(record, run)
        return
    try:
        before = json.loads(record.read_text(encoding="utf-8"))
        different = [key.replace("_", " ") for key, value in run.items() if before.get(key) != value]
    except (ValueError, AttributeError):
        different = ["settings"]
    if different:
        raise CorefError(
            f"{folder}: has an unfinished run with different {' and '.join(different)}; delete this folder to"
            " start over, or choose another output"
        )


def _packed(model: TrainedModel, path: Path) -> TrainedModel:
    """Returns the model with its encoder frozen and in the same file, as in the output."""
    if not model.settings.context or model.checkpoint.encoder is not None:
        return model
    if not path.exists():
        pack_model(model, path, PackOptions(weights="float32"))
    return open_trained_model(path)


def _reference(settings: Experiment) -> Sequence[Document]:
    """Returns the bundled dev set if the model can read it: it is English and has no parse trees."""
    if settings.language != "en" or settings.mentions == "rules":
        return ()
    return list(read_documents(bundled_dev_set()))


def _about(model: TrainedModel, train: Sequence[Document]) -> dict[str, str]:
    """Returns the metadata of the output: that of the initial model, including its licence, and what was added."""
    before = model.checkpoint.state.get(ABOUT)
    about = {str(name): str(text) for name, text in before.items()} if isinstance(before, dict) else {}
    return about | {"fine_tuned_from": model.name, "fine_tuned_on": count(train).summary()}
