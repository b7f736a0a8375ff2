"""Fine-tuning of a tiny model: interruption, resuming, early stopping, packing and use."""

import contextlib
import io
import json
import os
import re
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from command import call
from tiny_model import write_documents, write_model, write_packed_model

import coref_tf
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.models.open_model import open_model
from coref_tf.support.errors import CorefError
from coref_tf.training import finetune as module
from coref_tf.training.callbacks import StepCounter, format_comparison
from coref_tf.training.finetune import FineTuned
from coref_tf.training.run_state import RunState

pytestmark = pytest.mark.usefixtures("eagerly")


def write_inputs(folder, context):
    """Writes a packed model, training documents, and a document that replaces the bundled dev set."""
    folder.mkdir()
    write_packed_model(folder / "tiny.h5", context=context)
    write_documents(folder / "docs.jsonlines", 5)
    write_documents(folder / "bundled.jsonlines", 1, "nw", seed=7)
    return folder


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Folders with these inputs, with and without an encoder, which is slow."""
    base = tmp_path_factory.mktemp("inputs")
    return {context: write_inputs(base / str(context), context) for context in (False, True)}


@pytest.fixture
def folder(request, inputs, tmp_path, monkeypatch):
    """A working directory with the inputs; the model has an encoder only if a test asks for one."""
    shutil.copytree(inputs[getattr(request, "param", False)], tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(module, "bundled_dev_set", lambda: tmp_path / "bundled.jsonlines")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def whole(inputs, tmp_path_factory):
    """The folder, result and output of an uninterrupted run of two epochs."""
    folder = shutil.copytree(inputs[True], tmp_path_factory.mktemp("whole"), dirs_exist_ok=True)
    printed = io.StringIO()
    tf.config.run_functions_eagerly(True)
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(printed):
        patched.setattr(module, "bundled_dev_set", lambda: folder / "bundled.jsonlines")
        patched.chdir(folder)
        tuned = tune()
    return folder, tuned, printed.getvalue()


def tune(output="mymodel.h5", **options):
    options = {"model": "tiny.h5", "epochs": 2, "learning_rate": 0.01} | options
    return coref_tf.finetune("docs.jsonlines", output=output, **options)


def test_fine_tuning_writes_one_complete_file(whole):
    folder, tuned, printed = whole
    assert {path.name for path in folder.iterdir()} == {
        "bundled.jsonlines", "docs.jsonlines", "encoder.h5", "mymodel.h5", "tiny.h5", "unpacked.h5"
    }  # fmt: skip
    assert printed.startswith(
        "fine-tuning small\ndev set: 1 document, 10 words, 2 clusters, held out with seed 0: "
    )
    assert "\ngenres unknown to small, which count as nw: whow\n" in printed and "\n\n" not in printed
    for when in ("before training", "epoch 1", "epoch 2"):
        pattern = rf"^{when}: F1 .* on the dev set(, the best so far)?; .* on the bundled dev set$"
        assert re.search(pattern, printed, re.MULTILINE)
    assert tuned.path.name == "mymodel.h5" and 0 <= tuned.epoch <= 2 and tuned.f1 >= tuned.f1_before

    model, start = open_model(folder / "mymodel.h5"), read_checkpoint(folder / "tiny.h5")
    state = model.checkpoint.state
    assert set(state["calibration"]) == {"temperature", "offset"} and state["dial"]
    assert "\nprobabilities fitted on 2 documents: " in printed  # that of the dev set and the bundled one
    assert state["about"] == {
        "licence": "CC0", "fine_tuned_from": "small", "fine_tuned_on": "4 documents, 40 words, 8 clusters"
    }  # fmt: skip
    assert model.name == "mymodel" and model.settings.max_mention_width == 4
    assert EncoderFile(folder / "mymodel.h5").identity == start.state["encoder"], "the encoder is frozen"
    same = [np.array_equal(value, start.variables[name]) for name, value in model.variables.items()]
    assert all(same) == (tuned.epoch == 0)
    assert str(folder) not in json.dumps(dict(model.checkpoint.settings))


def test_the_model_works_in_python_and_in_commands(whole, monkeypatch, capfd):
    monkeypatch.chdir(whole[0])
    text = "She said the council open."
    expected = str(coref_tf.load("mymodel.h5")(text))
    assert not call("predict", "--model", "mymodel.h5", "--text", text)
    assert capfd.readouterr().out.strip() == expected


def interrupt_at(monkeypatch, step):
    """Makes Ctrl-C arrive at the end of a step."""
    counted = StepCounter.on_train_batch_end

    def count(self, batch, logs=None):
        counted(self, batch, logs)
        if self.state.step == step:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(StepCounter, "on_train_batch_end", count)


@pytest.mark.parametrize("folder", [True], indirect=True)
def test_a_resumed_run_writes_the_same_file(whole, folder, monkeypatch, capsys):
    with monkeypatch.context() as patched:
        interrupt_at(patched, 3)
        with pytest.raises(KeyboardInterrupt):
            tune()
    assert "stopped at step 3; run the same command again to resume" in capsys.readouterr().err
    assert not (folder / "mymodel.h5").exists() and (folder / "mymodel.finetune").is_dir()
    tune()
    assert "resuming from step 3" in capsys.readouterr().out
    assert (folder / "mymodel.h5").read_bytes() == (whole[0] / "mymodel.h5").read_bytes()


def test_a_run_killed_before_packing_only_packs_when_resumed(folder, monkeypatch, capsys):
    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(module, "pack_model", killed)
        with pytest.raises(SystemExit):
            tune(epochs=1)
    capsys.readouterr()
    tuned = tune(epochs=1)
    assert "epoch" not in capsys.readouterr().out and tuned.path.exists()


def test_early_stopping_keeps_the_best_epoch(folder, monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 2)
    tuned = tune(epochs=50, learning_rate=1e-9)
    out, err = capsys.readouterr()
    assert "no better F1 in 2 evaluations; stopping training" in out
    assert "epoch 2: " in out and "epoch 3: " not in out
    assert tuned.epoch == 0 and tuned.f1 == tuned.f1_before and tuned.bundled_f1 == tuned.bundled_f1_before
    assert "warning: no epoch was better than small on the dev set" in err
    assert "the model before training" in str(tuned)
    start = read_checkpoint("tiny.h5").variables
    for name, value in read_checkpoint("mymodel.h5").variables.items():
        np.testing.assert_array_equal(value, start[name])


def test_the_best_of_several_epochs_is_kept(folder, monkeypatch, capsys):
    f1 = iter([0.2, 0.5, 0.4])
    record = RunState.record
    monkeypatch.setattr(RunState, "record", lambda self, _, reference: record(self, next(f1), reference))
    tuned = tune()
    assert (tuned.epoch, tuned.f1_before, tuned.f1) == (1, 0.2, 0.5)
    assert str(tuned).startswith("mymodel.h5: the model after epoch 1; F1 20.00 -> 50.00 on the dev set, ")
    assert open_model("mymodel.h5").checkpoint.state["run"]["step"] == 4
    printed = re.findall(r"(?:before training|epoch \d): F1 (.*?) on the dev", capsys.readouterr().out)
    assert printed == ["20.00", "50.00 (+30.00)", "40.00 (+20.00)"]


@pytest.fixture
def not_trained(monkeypatch):
    """Stops every run before its first step; returns a list of each run's experiment and corpora."""
    runs = []

    def stop(experiment, corpora):
        runs.append((experiment, corpora))
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "fit", stop)
    return runs


def test_an_unpacked_model_is_packed_first(folder, not_trained, capsys):
    write_model(folder / "unpacked.h5")
    with pytest.raises(KeyboardInterrupt):
        tune(model="unpacked.h5")
    assert capsys.readouterr().err.endswith("stopped; run the same command again to resume\n")
    [(experiment, _)] = not_trained
    assert experiment.start_from.name == "start.h5" and experiment.context.tuned_layers == 0
    assert EncoderFile(experiment.context.encoder).dtype == "int8"


def test_the_bundled_dev_set_is_used_for_english_models_only(folder, not_trained):
    write_packed_model(folder / "deutsch.h5", context=False, language="de")
    for model in ("tiny.h5", "deutsch.h5"):
        with pytest.raises(KeyboardInterrupt):
            tune(output=f"my-{model}", model=model)
    assert [len(corpora.reference) for _, corpora in not_trained] == [1, 0]
    state = RunState(history=[{"step": 0, "dev": 0.5}])
    assert "bundled" not in format_comparison(state, 0, better=True) + str(
        FineTuned.from_state(Path("mymodel.h5"), state, 4)
    )


def test_the_dev_set_alone_decides_which_epoch_is_the_best():
    state = RunState(history=[{"step": 0, "dev": 0.5, "reference": 0.7}])
    assert format_comparison(state, 0, better=True) == (
        "before training: F1 50.00 on the dev set, the best so far; 70.00 on the bundled dev set"
    )
    state.history.append({"step": 9, "dev": 0.6, "reference": 0.6})
    assert format_comparison(state, 1, better=True) == (
        "epoch 1: F1 60.00 (+10.00) on the dev set, the best so far; 60.00 (-10.00) on the bundled dev set"
    )
    assert format_comparison(state, 1, better=False) == (
        "epoch 1: F1 60.00 (+10.00) on the dev set; 60.00 (-10.00) on the bundled dev set"
    )


def test_an_unfinished_run_with_other_settings_is_refused(folder, not_trained):
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            tune()
    with pytest.raises(
        CorefError,
        match=r"mymodel\.finetune: has an unfinished run with different documents and seed; delete",
    ):
        tune(seed=1)
    with pytest.raises(CorefError, match="with different learning rate; delete this folder to start over"):
        tune(learning_rate=0.02)
    (folder / "mymodel.finetune" / "run.json").write_text("x")
    with pytest.raises(CorefError, match="with different settings; "):
        tune()


def test_the_command(folder, capsys):
    words = ["docs.jsonlines", "--from", "tiny.h5", "--epochs", 1, "-o", "out.h5"]
    assert not call("finetune", *words)
    assert capsys.readouterr().out.splitlines()[-1].startswith("out.h5: the model ")
    assert call("finetune", *words) == 1
    assert capsys.readouterr().err == "error: out.h5: already exists; delete it, or choose another output\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["docs.jsonlines", "-o", "out.txt"], "expected an output whose name ends in .h5"),
        (["docs.jsonlines", "-o", "nowhere/out.h5"], "there is no folder"),
        (["docs.jsonlines", "-o", "-"], "is not a file; expected a file name"),
        (["docs.jsonlines", "--epochs", "0"], "epochs must be a positive integer. Received: 0"),
        (["docs.jsonlines", "--learning-rate", "nan"], "learning_rate must be a positive number"),
        (["docs.jsonlines", "--seed", "-1"], "seed must be a non-negative integer. Received: -1"),
        (["docs.jsonlines", "--from", "englisch"], "(did you mean english?)"),
        (
            ["docs.jsonlines", "--from", "export"],
            "export: an export; expected a trained experiment, a bundled",
        ),
        (["docs.jsonlines", "--from", "docs.jsonlines"], "not a coref_tf checkpoint"),
        (["raw.txt"], "the training data has no gold clusters in 1 document"),
        (["docs.jsonlines", "--dev", "raw.txt"], "the dev set has no gold clusters in 1 document"),
        (["few.jsonlines"], "the training data has only 4 documents with clusters; expected at least 5"),
        (["nowhere.jsonlines"], "nowhere.jsonlines: no such file"),
    ],
)
def test_wrong_arguments_are_one_line_errors(folder, words, message, capsys):
    (folder / "raw.txt").write_text("Nobody has annotated this.\n")
    write_documents(folder / "few.jsonlines", 4)
    (folder / "export" / "1").mkdir(parents=True)
    (folder / "export" / "1" / "saved_model.pb").touch()
    assert call("finetune", *([] if "--from" in words else ["--from", "tiny.h5"]), *words) == 1
    out, err = capsys.readouterr()
    assert err.startswith("error: ") and err.count("\n") == 1 and message in err and not out
    assert not (folder / "mymodel.finetune").exists()
