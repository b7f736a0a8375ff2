"""Trains an experiment's model, from the start or from where the last run stopped."""

import contextlib
import math
import sys
from collections.abc import Sequence
from typing import NamedTuple

import tensorflow as tf

from coref_tf.config import Experiment
from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.evaluate import evaluate
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.dataset import TrainingDocuments
from coref_tf.features.given_mentions import given_mentions
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.predictor import Predictor
from coref_tf.model import NOT_FINITE
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.ops.library import custom_ops
from coref_tf.support.errors import CorefError
from coref_tf.support.locks import locked_folder
from coref_tf.training.calibrating import calibrate_best, needs_calibration
from coref_tf.training.callbacks import EvaluateAndSave, Reporter, StepCounter, StopOnInterrupt
from coref_tf.training.context import prepare_context
from coref_tf.training.optimizers import averaged_weights, compile_model
from coref_tf.training.providers import provider
from coref_tf.training.run_state import RunCheckpoints, RunState


class Outcome(NamedTuple):
    """How a call of `fit` ended."""

    state: RunState
    interrupted: bool
    chief: bool  # whether this process is the one that reports


def fit(
    experiment: Experiment, max_steps: int | None = None, strategy: tf.distribute.Strategy | None = None
) -> Outcome:
    """Trains up to `max_epochs` epochs or `max_steps` steps, with early stopping on the dev set's average F1.

    In the end the best model's probabilities are fitted on the dev set.

    Args:
        experiment: the settings.
        max_steps: stops there at the latest.
        strategy: trains on one document per replica at a time; when left out, on one.
    """
    custom_ops()  # says at once when the op library is missing or stale
    strategy = strategy or tf.distribute.get_strategy()
    # The chief alone writes; the other workers of a run may have the same folder.
    with locked_folder(experiment.log_dir) if is_chief(strategy) else contextlib.nullcontext():
        outcome = _fit(experiment, max_steps, strategy)
        if outcome.chief and not outcome.interrupted and needs_calibration(experiment):
            calibrate_best(experiment, read_corpus(experiment.eval_path))
        return outcome


def _fit(experiment: Experiment, max_steps: int | None, strategy: tf.distribute.Strategy) -> Outcome:
    replicas = strategy.num_replicas_in_sync
    tf.keras.utils.set_random_seed(experiment.seed)
    train, dev = read_corpus(*experiment.train_path), read_corpus(experiment.eval_path)
    characters = known_characters(experiment)
    tensorizer = Tensorizer.of(experiment, characters)
    for document in [*train, *dev]:
        given_mentions(document, experiment.mentions)  # says at once when a document has no parse
    documents = TrainingDocuments(
        train, tensorizer, experiment.max_training_sentences, experiment.seed, replicas
    )
    if not documents.steps_per_epoch:
        raise CorefError(
            f"{experiment.train_path[0]}: {len(train)} documents; expected one per replica, {replicas}"
        )
    steps = experiment.max_epochs * documents.steps_per_epoch
    with strategy.scope():
        model = build_model(experiment, len(characters))
        compile_model(model, steps)
    checkpoints = RunCheckpoints(experiment, characters, model, replicas)
    state = checkpoints.restore()
    # A model that it starts from has learned already what is usual for contextual vectors.
    prepare_context(experiment, model, tensorizer, train, dev, new=not (state.step or experiment.start_from))

    last_step = min(max_steps or math.inf, steps)
    chief = is_chief(strategy)
    if state.step >= last_step or state.stale >= experiment.patience:
        return Outcome(state, False, chief)

    if state.step and chief:
        print(going_on(state, documents.steps_per_epoch, checkpoints.differences), flush=True)
    predictor = Predictor(model, tensorizer)
    writer = tf.summary.create_file_writer(str(experiment.log_dir / "tensorboard")) if chief else no_writer()
    interactive = sys.stdout.isatty() and chief
    interrupt = StopOnInterrupt()
    callbacks = [
        StepCounter(state, last_step),
        Reporter(state, replicas, experiment.report_frequency, writer, plain=chief and not interactive),
        *([provider().progress_bar()] if interactive else []),
        interrupt,
        EvaluateAndSave(
            state,
            checkpoints if chief else None,
            lambda: evaluate(predictor, dev),
            lambda: averaged_weights(model),
            documents.steps_per_epoch,
            experiment.eval_frequency,
            experiment.checkpoint_frequency,
            experiment.patience,
            writer,
        ),
    ]
    epoch = state.step // documents.steps_per_epoch
    try:
        model.fit(
            make_dataset(documents, state.step, strategy),
            steps_per_epoch=documents.steps_per_epoch,
            # Keras's epochs: a run that goes on in the middle of one ends in the middle of one, as StepCounter knows.
            initial_epoch=epoch,
            epochs=epoch + math.ceil((last_step - state.step) / documents.steps_per_epoch),
            callbacks=callbacks,
            verbose=0,
        )
    except tf.errors.InvalidArgumentError as error:
        if NOT_FINITE not in str(error):
            raise
        interrupt.on_train_end()
        raise CorefError(
            f"step {state.step + 1:,}, document {' and '.join(documents.keys(state.step))}: {NOT_FINITE}; training ends"
            f" before it learns from it, and the checkpoints in {experiment.log_dir} stay as they are; look at the"
            " document, or try a lower learning_rate"
        ) from None
    return Outcome(state, interrupt.interrupted, chief)


def known_characters(experiment: Experiment) -> CharacterVocabulary:
    """The characters that the model tells apart: those of the model that it starts from, if there is one."""
    if experiment.start_from:
        return CharacterVocabulary(read_checkpoint(experiment.start_from).characters)
    return CharacterVocabulary.read(experiment.char_vocab_path)


def going_on(state: RunState, steps_per_epoch: int, differences: Sequence[str]) -> str:
    """What is said of a run that goes on: from where, and which settings are others than before."""
    line = f"going on from step {state.step:,}, epoch {state.step / steps_per_epoch:.4g}"
    if state.best_f1 >= 0:
        line += f"; best F1 {100 * state.best_f1:.1f} at step {state.best_step:,}"
    return "\n".join([line, *(f"other than before: {difference}" for difference in differences)])


def read_corpus(*paths) -> list[Document]:
    """The documents of some files that have words."""
    documents = [document for path in paths for document in read_documents(path) if document.num_words]
    if not documents:
        raise CorefError(f"{paths[0]}: holds no document with words; expected some to train on")
    return documents


def make_dataset(
    documents: TrainingDocuments, step: int, strategy: tf.distribute.Strategy
) -> tf.data.Dataset:
    """The training input from a step on. Of n replicas, each reads every n-th document."""
    if strategy.num_replicas_in_sync == 1:
        return documents.dataset(step)
    return strategy.distribute_datasets_from_function(
        lambda context: documents.dataset(step).shard(context.num_input_pipelines, context.input_pipeline_id)
    )


def is_chief(strategy: tf.distribute.Strategy) -> bool:
    """Whether this process writes checkpoints and reports; true unless it is another worker of several."""
    resolver = strategy.cluster_resolver
    return resolver is None or resolver.task_type in (None, "chief") or resolver.task_id == 0


def no_writer() -> tf.summary.SummaryWriter:
    """A summary writer that writes nothing."""
    return tf.summary.create_noop_writer()
