"""Checkpoints of a run: restoring, damage, full disks and other settings; and overfitting tiny documents."""

import dataclasses
import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from random_documents import REFERENCE, small_experiment

from coref_tf.config import Experiment
from coref_tf.documents import open_writer, read_documents
from coref_tf.evaluation.evaluate import evaluate
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.inference.predictor import Predictor
from coref_tf.model import CorefModel
from coref_tf.models.building import build_model
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError
from coref_tf.support.locks import locked_folder
from coref_tf.training.fit import fit, known_characters, resumption_message
from coref_tf.training.optimizers import averaged_weights, compile_model
from coref_tf.training.run_state import RunCheckpoints, RunState

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def experiment(tmp_path) -> Experiment:
    return small_experiment(log_root=tmp_path)


def checkpoints_of(experiment: Experiment) -> RunCheckpoints:
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = build_model(experiment, len(characters))
    compile_model(model, last_step=100)
    return RunCheckpoints(experiment, characters, model)


def test_variables_optimizer_and_state_are_restored(experiment):
    run = checkpoints_of(experiment)
    generator = np.random.default_rng(0)
    for variable in run.model.optimizer.variables:
        if variable.dtype.is_floating:
            variable.assign(generator.normal(size=variable.shape))
    run.model.optimizer.iterations.assign(17)
    run.save(RunState(step=17, best_f1=0.5, best_step=9, stale=2))
    again = checkpoints_of(experiment)
    assert again.restore() == RunState(step=17, best_f1=0.5, best_step=9, stale=2)
    pairs = [*zip(run.model.variables, again.model.variables, strict=True)]
    pairs += [*zip(run.model.optimizer.variables, again.model.optimizer.variables, strict=True)]
    for ours, theirs in pairs:
        np.testing.assert_array_equal(ours, theirs)


def test_a_run_can_start_from_the_weights_of_another(experiment, tmp_path):
    other = checkpoints_of(experiment)
    other.save_best(RunState(step=17, best_f1=0.5, best_step=17))
    start = experiment.log_dir / "best.h5"
    mine = dataclasses.replace(experiment, name="mine", seed=5, start_from=start)
    run = checkpoints_of(mine)
    assert run.restore() == RunState(), "the state is that of a new run"
    for ours, theirs in zip(run.model.variables, other.model.variables, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    run.model.variables[0].assign(tf.zeros_like(run.model.variables[0]))
    run.save(RunState(step=1))
    again = checkpoints_of(mine)
    assert again.restore().step == 1 and not np.any(again.model.variables[0]), (
        "the run resumes from its own checkpoint"
    )
    with pytest.raises(CorefError, match="was trained with lstm_size = "):
        checkpoints_of(dataclasses.replace(mine, name="wider", lstm_size=7)).restore()


def test_averages_start_from_the_initial_weights_of_a_run(experiment):
    other = checkpoints_of(experiment)
    other.save_best(RunState())
    start = experiment.log_dir / "best.h5"
    run = checkpoints_of(
        dataclasses.replace(experiment, name="mine", seed=5, start_from=start, moving_average=0.9)
    )
    run.restore()
    for variable in run.model.trainable_variables:
        variable.assign(tf.zeros_like(variable))
    with averaged_weights(run.model):
        for ours, theirs in zip(run.model.trainable_variables, other.model.trainable_variables, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_run_uses_the_characters_of_the_model_it_starts_from(experiment, tmp_path):
    checkpoints_of(experiment).save_best(RunState())
    start = experiment.log_dir / "best.h5"
    nowhere = tmp_path / "nowhere.txt"
    mine = dataclasses.replace(experiment, name="mine", char_vocab_path=nowhere, start_from=start)
    expected = CharacterVocabulary.read(experiment.char_vocab_path).characters
    assert known_characters(mine).characters == expected


def test_a_damaged_checkpoint_is_replaced_by_the_previous_one(experiment, capsys):
    run = checkpoints_of(experiment)
    run.save(RunState(step=1))
    run.save(RunState(step=2))
    content = run.latest.read_bytes()
    for damaged in (content[:-100], b"", content[:5000] + b"x" + content[5001:]):
        run.latest.write_bytes(damaged)
        assert checkpoints_of(experiment).restore().step == 1
        warnings = capsys.readouterr().err.strip().splitlines()
        assert len(warnings) == 1 and warnings[0].startswith(f"warning: {run.latest}: ")
    run.previous.write_bytes(b"")
    with pytest.raises(CorefError, match="no earlier checkpoint is intact; delete"):
        checkpoints_of(experiment).restore()


def test_a_full_disk_loses_nothing(experiment, monkeypatch):
    run = checkpoints_of(experiment)
    run.save(RunState(step=1))
    run.save(RunState(step=2, best_f1=0.3))
    run.save_best(RunState(step=2, best_f1=0.3))
    before = {file: file.read_bytes() for file in experiment.log_dir.iterdir()}

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        run.save(RunState(step=3))
    with pytest.raises(OSError, match="No space left"):
        run.save_best(RunState(step=3, best_f1=0.4))
    assert {file: file.read_bytes() for file in experiment.log_dir.iterdir()} == before


@pytest.mark.parametrize(
    ("key", "value"), [("lstm_size", 7), ("seed", 1), ("optimizer", "sgd"), ("max_training_sentences", 3)]
)
def test_an_incompatible_setting_is_named(experiment, key, value):
    checkpoints_of(experiment).save(RunState(step=1))
    with pytest.raises(CorefError, match=f"was trained with {key} = "):
        checkpoints_of(dataclasses.replace(experiment, **{key: value})).restore()


def test_a_worse_model_never_replaces_the_best():
    state = RunState()
    outcomes = []
    for step, f1 in enumerate([0.2, 0.5, 0.4, 0.5, 0.6]):
        state.step = step
        outcomes.append(state.record(f1))
    assert outcomes == [True, True, False, False, True]
    assert (state.best_f1, state.best_step, state.stale) == (0.6, 4, 0)


NEW_PROCESS = """
import dataclasses, json, sys
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
from random_documents import REFERENCE, small_experiment
from coref_tf.documents import open_writer, read_documents
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
predictor = Predictor.from_models([open_experiment(small_experiment(**{changes!r}, log_root=Path({logs!r})))])
print(json.dumps([predictor.predict(d, details=True).details() for d in read_documents(REFERENCE / "docs.jsonlines")]))
"""


@pytest.mark.parametrize("moving_average", [pytest.param(0.0, marks=pytest.mark.slow), 0.9])
def test_a_model_overfits_tiny_documents_and_is_saved(tmp_path, moving_average):
    changes = {
        "lstm_size": 20,
        "ffnn_size": 20,
        "filter_size": 8,
        "learning_rate": 0.005,
        "mention_ratio": 1.5,
    }
    changes |= {"dropout_rate": 0.1, "lexical_dropout_rate": 0.2, "moving_average": moving_average}
    changes |= {"eval_frequency": 60, "patience": 150, "max_antecedents": 50}
    two, first, second = (tmp_path / name for name in ("two.jsonlines", "first.jsonlines", "second.conll"))
    lines = (REFERENCE / "docs.jsonlines").read_text().splitlines(keepends=True)[:2]
    two.write_text("".join(lines))
    first.write_text(lines[0])
    with open_writer(second, "conll") as write:
        write(list(read_documents(two))[1])
    # The training data is a list of files in different formats.
    experiment = small_experiment(**changes, train_path=(first, second), eval_path=two, log_root=tmp_path)
    outcome = fit(experiment, max_steps=180)
    assert outcome.state.best_f1 == 1.0
    predictor = Predictor.from_models([open_experiment(experiment)])
    assert evaluate(predictor, read_documents(two)).scores.average_f1 == 1.0

    script = NEW_PROCESS.format(
        root=str(ROOT), tests=str(ROOT / "tests"), changes=changes, logs=str(tmp_path)
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    documents = list(read_documents(REFERENCE / "docs.jsonlines"))
    ours = [predictor.predict(document, details=True).details() for document in documents]
    assert json.loads(done.stdout) == json.loads(json.dumps(ours))

    graph = predictor.predict(documents[0], details=True).output
    eager = predictor.model(predictor.tensorizer.tensorize(documents[0]))
    np.testing.assert_allclose(eager.antecedents.scores, graph.antecedents.scores, atol=1e-5)
    np.testing.assert_array_equal(eager.top_span_starts, graph.top_span_starts)


def test_patience_ends_a_run(eagerly, tmp_path):
    experiment = small_experiment(log_root=tmp_path, learning_rate=1e-9, eval_frequency=1, patience=3)
    outcome = fit(experiment)
    assert outcome.state.step == outcome.state.best_step + 3
    assert outcome.state.stale == 3


def test_changed_settings_of_a_resumed_run_are_reported(experiment):
    checkpoints_of(experiment).save(RunState(step=2200, best_f1=0.593, best_step=1980))
    again = checkpoints_of(dataclasses.replace(experiment, learning_rate=0.5, log_root=experiment.log_root))
    state = again.restore()
    assert resumption_message(state, 110, again.differences).splitlines() == [
        "resuming from step 2,200, epoch 20; best F1 59.3 at step 1,980",
        "changed setting: learning_rate = 0.5, was 0.001",
    ]


def test_weights_that_are_not_finite_are_never_saved(experiment):
    run = checkpoints_of(experiment)
    run.save(RunState(step=1))
    before = run.latest.read_bytes()
    run.model.variables[0].assign(tf.fill(run.model.variables[0].shape, float("nan")))
    for save in (run.save, run.save_best):
        with pytest.raises(CorefError, match="step 2: variable character_cnn/embeddings is no longer finite"):
            save(RunState(step=2))
    assert run.latest.read_bytes() == before and len(list(experiment.log_dir.iterdir())) == 1


def test_a_loss_that_is_not_finite_ends_training_without_an_update(eagerly, tmp_path, capsys, monkeypatch):
    experiment = small_experiment(log_root=tmp_path, checkpoint_frequency=1, eval_frequency=2)
    fit(experiment, max_steps=2)
    before = {path.name: path.read_bytes() for path in experiment.log_dir.glob("*.h5")}
    monkeypatch.setattr(CorefModel, "loss_of", lambda *_: tf.reduce_sum(_[0].variables[0]) * float("nan"))
    with pytest.raises(CorefError) as error:
        fit(experiment, max_steps=4)
    assert re.match(r"step 3, document \S+/\S+: the loss or its gradients are not finite", str(error.value))
    assert {path.name: path.read_bytes() for path in experiment.log_dir.glob("*.h5")} == before
    assert "resuming from step 2, epoch " in capsys.readouterr().out


def test_a_second_run_in_the_same_folder_is_refused(experiment):
    with locked_folder(experiment.log_dir), pytest.raises(CorefError) as error:
        fit(experiment, max_steps=1)
    assert re.search(
        rf"{experiment.log_dir}: another run is using this folder \(process {os.getpid()} since 2",
        str(error.value),
    )
