"""An exported folder: its layout, its README, and programs that use it without this project."""

import dataclasses
import errno
import fcntl
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest
import tensorflow as tf
from command import call
from export_cases import (
    ROOT,
    TEXT,
    as_request,
    check_c_mentions,
    check_result,
    random_document,
    readme_program,
    run_c_program,
    train,
)
from tensorflow_serving.apis.prediction_log_pb2 import PredictionLog

from coref_tf.documents import Document
from coref_tf.documents.pronouns import HE, SHE, pronoun_classes
from coref_tf.documents.text import document_from_text
from coref_tf.export import writing
from coref_tf.export.building import ExportOptions, build_serving_module
from coref_tf.export.warmup import EXAMPLES
from coref_tf.export.writing import check_portable, custom_ops_of, export
from coref_tf.inference.predictor import Predictor
from coref_tf.models.calibration import AS_THEY_ARE
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError


def tensors(signature, inputs):
    """Returns the inputs of a request as tensors of the signature's types."""
    specs = signature.structured_input_signature[1]
    return {name: tf.constant(value, specs[name].dtype) for name, value in inputs.items()}


def test_layout(exports):
    for flavour, version in exports.items():
        assert version.name == "1"
        assert sorted(path.name for path in version.parent.iterdir()) == ["1", "README.md"]
        assert {"saved_model.pb", "assets", "assets.extra", "variables"} <= {
            p.name for p in version.iterdir()
        }
        extra = {path.name for path in (version / "assets.extra").iterdir()}
        assert {"tf_serving_warmup_requests", "coref_tf.json"} <= extra
        assert ("coref_ops.so" in extra) == (flavour == "fast")
        settings = json.loads((version / "assets.extra" / "coref_tf.json").read_text())
        assert settings["experiments"][0]["lstm_size"] == 6
        assert settings["options"]["portable"] == (flavour == "portable")


def test_only_the_portable_flavour_is_portable(exports):
    check_portable(exports["portable"])
    assert "Coref>ExtractSpans" in custom_ops_of(exports["fast"])
    with pytest.raises(CorefError, match="the portable model has the ops Coref>ExtractSpans, "):
        check_portable(exports["fast"])


@pytest.fixture
def quick_save(exports, monkeypatch):
    """Copies an earlier export instead of building and saving a module."""

    def save(module, path, *_):
        shutil.copytree(exports["portable"], path, ignore=lambda *_: ["assets.extra"])

    module = types.SimpleNamespace(signatures={}, calibration=AS_THEY_ARE)
    monkeypatch.setattr(writing, "build_serving_module", lambda *_: module)
    monkeypatch.setattr(tf.saved_model, "save", save)


def test_a_second_export_takes_the_next_number(experiment, tmp_path, quick_save):
    (tmp_path / "7").mkdir()
    (tmp_path / "8x").touch()
    assert export([open_experiment(experiment)], tmp_path, ExportOptions(portable=True)) == tmp_path / "8"
    assert export([open_experiment(experiment)], tmp_path, ExportOptions(portable=True)) == tmp_path / "9"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["7", "8", "8x", "9", "README.md"]
    assert "Version 9 is the experiment small." in (tmp_path / "README.md").read_text()


def test_a_concurrent_export_may_take_the_number_first(experiment, tmp_path, quick_save, monkeypatch):
    rename, taken = os.rename, []

    def rename_as_the_second(source, target):
        if not taken:
            taken.append(target)
            raise OSError(errno.ENOTEMPTY, "taken", str(target))
        rename(source, target)

    monkeypatch.setattr(os, "rename", rename_as_the_second)
    assert export([open_experiment(experiment)], tmp_path, ExportOptions(portable=True)) == tmp_path / "2"
    assert taken == [tmp_path / "1"]


def test_a_failed_export_leaves_no_files(experiment, tmp_path, quick_save, monkeypatch):
    """This holds whether saving fails or a later step does."""
    with monkeypatch.context() as patch:
        patch.setattr(writing, "write_warmup", fail)
        with pytest.raises(OSError, match="disk full"):
            export([open_experiment(experiment)], tmp_path, ExportOptions(portable=True))
    monkeypatch.setattr(tf.saved_model, "save", fail)
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(OSError, match="disk full"):
            export([open_experiment(experiment)], folder, ExportOptions(portable=True))
    assert not list(tmp_path.iterdir())


def fail(*_):
    raise OSError("disk full")


def test_the_next_export_removes_the_files_of_a_killed_one(experiment, tmp_path, quick_save):
    killed, at_work = tmp_path / ".export-killed", tmp_path / ".export-at_work"
    for folder in (killed, at_work):
        (folder / "model").mkdir(parents=True)
    descriptor = os.open(at_work, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    export([open_experiment(experiment)], tmp_path, ExportOptions(portable=True))
    os.close(descriptor)
    assert not killed.exists() and (at_work / "model").exists()


def test_warmup_requests_are_those_of_tensorflow_serving(exports, loaded):
    path = exports["portable"] / "assets.extra" / "tf_serving_warmup_requests"
    logs = [PredictionLog.FromString(record.numpy()) for record in tf.data.TFRecordDataset(str(path))]
    assert [log.predict_log.request.model_spec.signature_name for log in logs] == list(EXAMPLES)
    for log in logs:
        assert log.WhichOneof("log_type") == "predict_log"
        request = log.predict_log.request
        assert request.model_spec.name == "coref"
        signature = loaded["portable"][request.model_spec.signature_name]
        inputs = {name: tf.constant(tf.make_ndarray(tensor)) for name, tensor in request.inputs.items()}
        assert {name: tensor.dtype for name, tensor in inputs.items()} == {
            name: spec.dtype for name, spec in signature.structured_input_signature[1].items()
        }
        assert set(signature(**inputs)) == set(signature.structured_outputs)


def test_the_requests_in_the_readme_work(exports, loaded):
    guide = (exports["portable"].parent / "README.md").read_text()
    bodies = [json.loads(line) for line in guide.splitlines() if line.startswith('    {"signature_name"')]
    assert [body["signature_name"] for body in bodies] == ["text", "serving_default", "batch", "text_dial"]
    for body in bodies:
        signature = loaded["portable"][body["signature_name"]]
        assert len(signature(**tensors(signature, body["inputs"]))["mention_starts"].shape) == 1
    for name in EXAMPLES:
        for output in loaded["portable"][name].structured_outputs:
            assert f"| out `{output}` |" in guide


@pytest.mark.parametrize("flavour", ["fast", "portable"])
def test_the_python_program_in_the_readme_runs_without_coref_tf(exports, flavour):
    folder = exports[flavour].parent
    code = f"{readme_program(folder)}\nprint('coref_ops' in open('/proc/self/maps').read())"
    command = [sys.executable, "-I", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    *mentions, with_ops = done.stdout.splitlines()
    assert with_ops == str(flavour == "fast")
    assert mentions and all(re.fullmatch(r"\d+ \S.*", mention) for mention in mentions)


def test_a_c_program_resolves_texts(exports, predictor, tmp_path):
    texts = [
        TEXT,
        "",
        "Ana’s harbour — she said it — met. It did.\n\nThe\ncouncil met\tit, the harbour council 😀.",
    ]
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text)
    found = run_c_program(exports["portable"], [tmp_path / str(number) for number in range(len(texts))])
    for text, mentions in zip(texts, found, strict=True):
        check_c_mentions(mentions, predictor.predict(document_from_text(text, "x"), details=True))


def test_an_ensemble(experiment, tmp_path):
    """Two models with different weights and vectors are exported as one."""
    other = train(tmp_path, "other", seed=1, embeddings=experiment.embeddings[:1], lstm_size=5)
    module = build_serving_module(
        [open_experiment(experiment), open_experiment(other)], tmp_path, ExportOptions()
    )
    assert len(list(tmp_path.glob("words_*.txt"))) == 2
    predictor = Predictor.from_models([open_experiment(experiment), open_experiment(other)])
    generator = np.random.default_rng(0)
    for _ in range(5):
        document = random_document(generator)
        result = module.serving_default(**as_request(document))
        check_result(result, predictor.predict(document, details=True))


def test_an_export_with_consistent_clusters(experiment, tmp_path):
    """The graph excludes the same antecedents as the Predictor, which finds the pronouns in a Document."""
    consistent = dataclasses.replace(experiment, consistent_clusters=True)
    module = build_serving_module([open_experiment(consistent)], tmp_path, ExportOptions())
    predictor = Predictor.from_models([open_experiment(consistent)])
    free = Predictor.from_models([open_experiment(experiment)])
    generator = np.random.default_rng(0)
    pronouns = ["he", "She", "HIS", "her", "I", "you", "my"]
    words, differ = [*2 * pronouns, "Bo", "Ana", "Roy", ",", "."], 0
    for _ in range(16):
        sentences = [generator.choice(words, 12).tolist() for _ in range(3)]
        speakers = [[speaker] * 12 for speaker in generator.choice(["-", "Ana Roy", "Bo_Roy"], 3)]
        document = Document("nw/x", sentences, speakers)
        found = predictor.predict(document, details=True)
        check_result(module.serving_default(**as_request(document)), found)
        for cluster in found.clusters:
            genders = {pronoun_classes(document)[start] for start, end in cluster if start == end} & {HE, SHE}
            assert len(genders) < 2
        differ += found.clusters != free.predict(document).clusters
    assert differ > 3


def test_errors_are_one_line(experiment, tmp_path, monkeypatch, capsys):
    conf = str(ROOT / "tests" / "fixtures" / "reference" / "experiments.conf")
    (tmp_path / "file").touch()
    cases = [
        (["small"], "expected a model and a folder", 1),
        (["smal", tmp_path / "model"], "(did you mean small?)", 1),
        (["small", tmp_path / "model"], "best.h5: no such checkpoint", 1),
        (["small", tmp_path / "file"], "file: is a file; expected a folder", 1),
        (
            ["small", tmp_path / "model", "--vocabulary", "0"],
            "expected a positive number of words, or all",
            2,
        ),
    ]
    for arguments, message, code in cases:
        assert call("export", *arguments, "--conf", conf) == code
        assert message in capsys.readouterr().err.splitlines()[-1]
    assert not list(tmp_path.glob("model/*"))


def test_a_full_disk_gives_one_line_and_leaves_no_files(experiment, tmp_path):
    """A limit of 2,000 bytes for each file has the effect of a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises((CorefError, OSError)) as caught:
            export([open_experiment(experiment)], tmp_path / "full", ExportOptions())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(caught.value) and not any(tmp_path.iterdir())


def test_a_folder_that_is_not_utf_8_is_refused(tmp_path):
    with pytest.raises(CorefError, match="is not UTF-8"):
        export([], tmp_path / os.fsdecode(b"\xff"), ExportOptions())
