"""Calibration after training: the best checkpoint gains a temperature and an offset, and nothing else changes."""

import dataclasses
import errno
import json
import os

import numpy as np
import pytest
import tensorflow as tf
from random_documents import REFERENCE, small_experiment

from coref_tf.documents import read_documents
from coref_tf.evaluation.calibration.decisions import Decisions
from coref_tf.evaluation.calibration.fit import fit as fit_calibration
from coref_tf.evaluation.calibration.link_curve import count_gold_links, link_curve
from coref_tf.inference.predictor import Predictor
from coref_tf.models.calibration import Calibration
from coref_tf.models.checkpoint import (
    Checkpoint,
    best_checkpoint_path,
    model_settings,
    read_checkpoint,
    write_checkpoint,
)
from coref_tf.models.dial import Dial
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError
from coref_tf.training import fit as fit_module
from coref_tf.training.calibrating import calibrate_best, needs_calibration
from coref_tf.training.fit import fit


@pytest.fixture(scope="module", autouse=True)
def eagerly():
    """Runs without graphs, whose tracing is slow."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


pytestmark = pytest.mark.filterwarnings(
    "ignore:Even though the `tf.config.experimental_run_functions_eagerly`"
)


def corpus(folder):
    """Two short documents whose words are all gold mentions, so that some are kept, whatever the model learns."""
    path = folder / "docs.jsonlines"
    lines = [json.loads(line) for line in (REFERENCE / "docs.jsonlines").read_text().splitlines()[:2]]
    for line in lines:
        count = sum(map(len, line["sentences"]))
        line["clusters"] = [[[n, n] for n in range(first, count, 2)] for first in (0, 1)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """An experiment after 2 training steps."""
    folder = tmp_path_factory.mktemp("calibrated")
    data = corpus(folder)
    experiment = small_experiment(
        log_root=folder, train_path=(data,), eval_path=data, eval_frequency=2, mention_ratio=1.0
    )
    fit(experiment, max_steps=2)
    return experiment


def weights(path):
    return read_checkpoint(path).variables


def test_the_best_model_is_calibrated_on_the_dev_set(trained):
    path = best_checkpoint_path(trained)
    predictor = Predictor.from_models([open_experiment(trained)])
    predictions = predictor.predict_all(read_documents(trained.eval_path), details=True)
    decisions = Decisions.joined([Decisions.from_prediction(each) for each in predictions])
    expected = fit_calibration(decisions)
    found = Calibration.from_state(read_checkpoint(path).state, path)
    links = count_gold_links(read_documents(trained.eval_path))
    assert Dial.from_state(read_checkpoint(path).state, path) == link_curve(decisions, found, links)
    assert found == pytest.approx(expected) and found != Calibration()
    assert not needs_calibration(trained)
    assert read_checkpoint(path).state["run"]["step"] == 2


def test_calibration_does_not_change_the_run(trained, tmp_path, monkeypatch):
    """A run that is calibrated after 2 steps and resumed to 4 has the weights of an uncalibrated run of 4 steps."""
    fit(trained, max_steps=4)
    monkeypatch.setattr(fit_module, "needs_calibration", lambda experiment: False)
    other = dataclasses.replace(trained, log_root=tmp_path)
    fit(other, max_steps=4)
    for name in ("latest.h5", "best.h5"):
        ours, theirs = weights(trained.log_dir / name), weights(other.log_dir / name)
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            np.testing.assert_array_equal(value, theirs[key])
    assert needs_calibration(other) and not needs_calibration(trained)


@pytest.mark.parametrize("without", [("dial",), ("calibration", "dial")])
def test_a_finished_run_of_an_older_version_is_calibrated(trained, without):
    path = best_checkpoint_path(trained)
    whole = read_checkpoint(path)
    older = dataclasses.replace(whole, state={k: v for k, v in whole.state.items() if k not in without})
    write_checkpoint(path, older)
    assert needs_calibration(trained)
    fit(trained, max_steps=1)
    assert read_checkpoint(path).state == whole.state


def test_a_full_disk_leaves_the_best_checkpoint_unchanged(trained, monkeypatch):
    path = best_checkpoint_path(trained)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        calibrate_best(trained, list(read_documents(trained.eval_path)))
    assert path.read_bytes() == before


def test_documents_without_clusters_give_a_one_line_warning(trained, capsys):
    path = best_checkpoint_path(trained)
    before = path.read_bytes()
    calibrate_best(trained, [d.with_clusters([]) for d in read_documents(trained.eval_path)])
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"warning: {path}: its probabilities are not calibrated: ")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "kept",
    [
        3,
        [],
        {},
        {"temperature": 1.0},
        {"temperature": 0.0, "offset": 0.0},
        {"temperature": -1.0, "offset": 0.0},
        {"temperature": float("nan"), "offset": 0.0},
        {"temperature": 1.0, "offset": float("inf")},
        {"temperature": True, "offset": 0.0},
        {"temperature": "1", "offset": 0.0},
    ],
)
def test_an_invalid_calibration_is_refused(tmp_path, kept):
    path = tmp_path / "best.h5"
    write_checkpoint(path, Checkpoint(model_settings(small_experiment()), ["a"], {}, {"calibration": kept}))
    with pytest.raises(CorefError, match=r"best.h5: its calibration is .*; expected a temperature above 0"):
        Calibration.from_state(read_checkpoint(path).state, path)


def test_the_mean_calibration_of_an_ensemble():
    assert Calibration.mean([Calibration(2.0, 0.5)]) == Calibration(2.0, 0.5)
    assert Calibration.mean([Calibration(1.0, 1.0), Calibration(0.5, -2.0)]) == pytest.approx((1 / 1.5, -0.5))
    # With equal temperatures, log probabilities are averaged and normalised.
    generator = np.random.default_rng(0)
    scores, offsets = generator.normal(size=[3, 4, 5]), [0.3, -0.2, 0.7]
    fits = [Calibration(1.7, offset) for offset in offsets]
    logs = np.mean([np.log(c.probabilities(s)) for c, s in zip(fits, scores, strict=True)], axis=0)
    expected = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Calibration.mean(fits).probabilities(scores.mean(axis=0)), expected)
