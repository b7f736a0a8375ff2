"""Fitting a bias for links: the expected F1 equals that of the model with the bias, and the command can store it."""

import json

import numpy as np
import pytest
from command import call, import_reference

from coref_tf.documents import read_documents
from coref_tf.evaluation import balance
from coref_tf.evaluation.balance import BalanceFit
from coref_tf.evaluation.evaluate import evaluate
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import change_checkpoint, read_checkpoint
from coref_tf.models.open_model import open_trained_model
from coref_tf.support.resources import bundled_models
from coref_tf.training.calibrating import shifted


@pytest.fixture
def folder(tmp_path):
    """The authors' small model, which links little, and documents with many links."""
    import_reference(tmp_path)
    return tmp_path


def test_fitted_f1_equals_that_of_the_model_with_the_bias(folder, monkeypatch):
    path = folder / "logs" / "small" / "best.h5"
    model, documents = open_trained_model(path), list(read_documents(folder / "docs.jsonlines"))
    predictor = Predictor.from_models([model])
    variables = {v.name.removesuffix(":0"): v for v in predictor.model.own_variables}
    [name] = [k for k, v in shifted({k: v.numpy() for k, v in variables.items()}, model.settings, 1.0).items()
              if not np.array_equal(v, variables[k].numpy())]  # fmt: skip
    shifts = (-0.3, 0.0, 0.02, 0.1, 0.4, 1.5)
    monkeypatch.setattr(balance, "SHIFTS", shifts)
    fit = BalanceFit()
    for prediction in predictor.predict_all(documents, details=True):
        fit.add(prediction)
    found = fit.result()
    before, f1 = variables[name].numpy(), {}
    for shift in shifts:
        variables[name].assign(before + shift)
        f1[shift] = evaluate(predictor, documents).scores.average_f1
    assert len(set(f1.values())) > 2  # the bias makes a difference
    assert found.average_f1 == max(f1.values()) == f1[found.shift] and found.average_f1_before == f1[0.0]


def test_the_command_fits_and_stores_the_bias(folder, capsys):
    conf, corpus = ("--conf", folder / "experiments.conf"), folder / "docs.jsonlines"
    path = folder / "logs" / "small" / "best.h5"
    fit = "analyse", "balance", *conf, "small", corpus
    change_checkpoint(path, state={"calibration": {"temperature": 9.0, "offset": 1.0}, "kept": 1})
    before = path.read_bytes()
    assert not call(*fit)
    first = capsys.readouterr().out
    assert "the checkpoint was not changed; --keep" in first and path.read_bytes() == before
    assert not call(*fit, "--keep") and f"stored in {path}" in capsys.readouterr().out
    assert not call(*fit)
    again = capsys.readouterr().out
    best = first.split("the highest average F1 is ")[1].split(",")[0]
    assert (
        f"without this shift, the average F1 is {best}\n" in again
        and "with +0.0 added to every link score" in again
    )
    # The calibration of the old scores is removed, and these few documents are not enough to fit a new one.
    assert read_checkpoint(path).state == {"kept": 1}
    assert not call("evaluate", "small", *conf, "--data", corpus, "--json", folder / "f1.json")
    assert f"{100 * json.loads((folder / 'f1.json').read_text())['average_f1']:.1f}" == best


def test_bundled_models_are_not_changed(folder, capsys):
    path = bundled_models()["english"]
    before = path.stat().st_mtime_ns  # reading changes only the time of access
    for kind in ("balance", "singletons"):
        assert call("analyse", kind, "english", folder / "docs.jsonlines", "--keep") == 1
        assert "is a bundled model and must not be changed; copy it" in capsys.readouterr().err
    assert path.stat().st_mtime_ns == before


def test_second_order_scores_are_refused(folder, capsys):
    conf = "--conf", folder / "experiments.conf"
    assert call("analyse", "balance", *conf, "small", folder / "docs.jsonlines", "coref_depth=2") == 1
    assert "coref_depth" in capsys.readouterr().err
