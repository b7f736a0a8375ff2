"""Trains the model of an experiment, from the start or by resuming the last run."""

import contextlib
import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.evaluation.evaluate import evaluate
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.dataset import TrainingDocuments
from coref_tf.features.given_mentions import given_mentions
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.predictor import Predictor
from coref_tf.model import NOT_FINITE, CorefModel
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError
from coref_tf.support.locks import locked_folder
from coref_tf.training.calibrating import calibrate_best, needs_calibration
from coref_tf.training.callbacks import (
    EvaluateAndSave,
    Reporter,
    StepCounter,
    StopOnInterrupt,
    slow_callbacks_allowed,
)
from coref_tf.training.context import prepare_context
from coref_tf.training.corpora import Corpora
from coref_tf.training.optimizers import averaged_weights, compile_model
from coref_tf.training.providers import provider
from coref_tf.training.run_state import RunCheckpoints, RunState
from coref_tf.training.strategies import is_chief, make_dataset, no_writer


class TrainingOutcome(NamedTuple):
    """The result of a call of `fit`."""

    state: RunState
    interrupted: bool
    chief: bool  # whether this process is the chief, which reports


def fit(
    experiment: Experiment,
    max_steps: int | None = None,
    strategy: tf.distribute.Strategy | None = None,
    corpora: Corpora | None = None,
) -> TrainingOutcome:
    """Trains up to `max_epochs` epochs or `max_steps` steps, with early stopping on the dev set's average F1.

    At the end, the probabilities of the best model are calibrated on the dev set and the reference documents.

    Args:
        experiment: The settings.
        max_steps: The maximum number of steps.
        strategy: A strategy that trains on one document per replica at a time; by default, there is one replica.
        corpora: The documents; by default, those in the files that the experiment names.
    """
    custom_ops()  # fails early if the op library is missing or stale
    strategy = strategy or tf.distribute.get_strategy()
    # Only the chief writes; the other workers of a run may use the same folder.
    with locked_folder(experiment.log_dir) if is_chief(strategy) else contextlib.nullcontext():
        corpora = corpora or Corpora.from_experiment(experiment)
        outcome = _fit(experiment, max_steps, strategy, corpora)
        if outcome.chief and not outcome.interrupted and needs_calibration(experiment):
            calibrate_best(experiment, [*corpora.dev, *corpora.reference])
        return outcome


def _fit(
    experiment: Experiment, max_steps: int | None, strategy: tf.distribute.Strategy, corpora: Corpora
) -> TrainingOutcome:
    run = _prepare(experiment, strategy, corpora)
    state, steps_per_epoch = run.state, run.documents.steps_per_epoch
    last_step = min(max_steps or math.inf, experiment.max_epochs * steps_per_epoch)
    chief = is_chief(strategy)
    if state.step >= last_step or state.stale >= experiment.patience:
        return TrainingOutcome(state, False, chief)
    if state.step and chief:
        print(resumption_message(state, steps_per_epoch, run.checkpoints.differences), flush=True)
    interrupt = StopOnInterrupt()
    epoch = state.step // steps_per_epoch
    try:
        with slow_callbacks_allowed():
            run.model.fit(
                make_dataset(run.documents, state.step, strategy),
                steps_per_epoch=steps_per_epoch,
                # Keras epochs: a run that resumes in mid-epoch also ends in mid-epoch, which StepCounter handles.
                initial_epoch=epoch,
                epochs=epoch + math.ceil((last_step - state.step) / steps_per_epoch),
                callbacks=_callbacks(experiment, run, interrupt, last_step, strategy),
                verbose=0,
            )
    except tf.errors.InvalidArgumentError as error:
        if NOT_FINITE not in str(error):
            raise
        interrupt.on_train_end()
        keys = " and ".join(run.documents.keys(state.step))
        raise CorefError(
            f"step {state.step + 1:,}, document {keys}: {NOT_FINITE}; training stopped before the update, and the"
            f" checkpoints in {experiment.log_dir} are unchanged; check the document, or try a lower learning_rate"
        ) from None
    return TrainingOutcome(state, interrupt.interrupted, chief)


class _Run(NamedTuple):
    """A run that is ready to train, from the start or after it was restored."""

    model: CorefModel  # compiled, with restored weights
    tensorizer: Tensorizer
    documents: TrainingDocuments
    corpora: Corpora
    checkpoints: RunCheckpoints
    state: RunState


def _prepare(experiment: Experiment, strategy: tf.distribute.Strategy, corpora: Corpora) -> _Run:
    """Builds the model, and restores the last checkpoint of the run if there is one."""
    replicas = strategy.num_replicas_in_sync
    tf.keras.utils.set_random_seed(experiment.seed)
    characters = known_characters(experiment)
    tensorizer = Tensorizer.from_experiment(experiment, characters)
    evaluated = [*corpora.dev, *corpora.reference]
    for document in [*corpora.train, *evaluated]:
        given_mentions(document, experiment.mentions)  # fails early if a document has no parse
    documents = TrainingDocuments(
        corpora.train, tensorizer, experiment.max_training_sentences, experiment.seed, replicas
    )
    if not documents.steps_per_epoch:
        raise CorefError(
            f"{experiment.train_path[0]}: {len(corpora.train)} documents; expected one per replica, {replicas}"
        )
    with strategy.scope():
        model = build_model(experiment, len(characters))
        compile_model(model, experiment.max_epochs * documents.steps_per_epoch)
    checkpoints = RunCheckpoints(experiment, characters, model, replicas)
    state = checkpoints.restore()
    # The model that the run starts from already contains the statistics of contextual vectors.
    new = not (state.step or experiment.start_from)
    prepare_context(experiment, model, tensorizer, corpora.train, evaluated, new)
    return _Run(model, tensorizer, documents, corpora, checkpoints, state)


def _callbacks(
    experiment: Experiment,
    run: _Run,
    interrupt: StopOnInterrupt,
    last_step: float,
    strategy: tf.distribute.Strategy,
) -> list[tf.keras.callbacks.Callback]:
    """Returns the callbacks; StepCounter comes first because the others use its count."""
    chief = is_chief(strategy)
    interactive = sys.stdout.isatty() and chief
    writer = tf.summary.create_file_writer(str(experiment.log_dir / "tensorboard")) if chief else no_writer()
    predictor = Predictor(run.model, run.tensorizer)
    replicas = strategy.num_replicas_in_sync
    dev, reference = run.corpora.dev, run.corpora.reference
    return [
        StepCounter(run.state, last_step),
        Reporter(run.state, replicas, experiment.report_frequency, writer, plain=chief and not interactive),
        *([provider().progress_bar()] if interactive else []),
        interrupt,
        EvaluateAndSave(
            run.state,
            run.checkpoints if chief else None,
            lambda: evaluate(predictor, dev),
            (lambda: evaluate(predictor, reference)) if reference else None,
            run.corpora.compared,
            lambda: averaged_weights(run.model),
            run.documents.steps_per_epoch,
            experiment.eval_frequency,
            experiment.checkpoint_frequency,
            experiment.patience,
            writer,
        ),
    ]


def known_characters(experiment: Experiment) -> CharacterVocabulary:
    """Returns the character vocabulary; that of the model that the run starts from, if there is one."""
    if experiment.start_from:
        return CharacterVocabulary(read_checkpoint(experiment.start_from).characters)
    return CharacterVocabulary.read(experiment.char_vocab_path)


def resumption_message(state: RunState, steps_per_epoch: int, differences: Sequence[str]) -> str:
    """Formats the message for a resumed run: the step, and the settings that have changed."""
    line = f"resuming from step {state.step:,}, epoch {state.step / steps_per_epoch:.4g}"
    if state.best_f1 >= 0:
        line += f"; best F1 {100 * state.best_f1:.1f} at step {state.best_step:,}"
    return "\n".join([line, *(f"changed setting: {difference}" for difference in differences)])
