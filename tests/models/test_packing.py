"""Packed models: one smaller file that predicts the same as the model and its encoder, and detects damage."""

import dataclasses
import os
import shutil
from collections import Counter
from pathlib import Path

import h5py
import numpy as np
import pytest
from random_documents import REFERENCE, small_experiment
from small_encoder import small_encoder

import coref_tf
from coref_tf import config
from coref_tf.commands.main import main
from coref_tf.documents import read_documents
from coref_tf.encoder.encoder_file import EncoderFile
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.models import checkpoint, packing
from coref_tf.models.building import build_model
from coref_tf.models.checkpoint import (
    Checkpoint,
    change_checkpoint,
    model_settings,
    read_checkpoint,
    write_checkpoint,
)
from coref_tf.models.open_model import open_trained_model
from coref_tf.models.packing import PackOptions, pack_model
from coref_tf.support.errors import CorefError

DIAL = {"thresholds": [0.0, 0.5], "precision": [0.7, 0.9], "recall": [0.8, 0.6]}


@pytest.fixture
def trained(tmp_path):
    """A checkpoint with random weights of a model with a fine-tuned encoder."""
    context = dataclasses.replace(small_encoder(tmp_path / "small.h5"), tuned_layers=1, layers=(1,))
    return write(tmp_path, context)


def write(folder, context):
    experiment = small_experiment(log_root=folder / "logs", context=context)
    characters = CharacterVocabulary.read(experiment.char_vocab_path)
    model = build_model(experiment, len(characters))
    generator = np.random.default_rng(0)
    for variable in model.own_variables:
        variable.assign(np.abs(generator.normal(scale=0.3, size=variable.shape)))
    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in model.own_variables}
    state = {"encoder": model.encoder_identity, "calibration": {"temperature": 1.5, "offset": 0.1}}
    state |= {"dial": DIAL, "singletons": 0.3}
    kept = Checkpoint(model_settings(experiment), list(characters.characters), variables, state)
    write_checkpoint(folder / "trained.h5", kept)
    return folder / "trained.h5"


def scores(path):
    """s_m and s(i, j) of a document by a model that is opened from the file alone."""
    opened = open_trained_model(path)
    assert opened.calibration.temperature == 1.5
    document = next(iter(read_documents(REFERENCE / "docs.jsonlines")))
    output = opened.build()(opened.tensorizer().tensorize(document))
    return output.candidate_mention_scores, output.antecedents.scores


def test_changing_the_state_of_a_packed_model_keeps_its_encoder(trained, tmp_path):
    packed = tmp_path / "packed.h5"
    pack_model(open_trained_model(trained), packed)
    before = scores(packed)
    whole = read_checkpoint(packed)
    change_checkpoint(packed, state={**whole.state, "singletons": 0.7})
    changed = read_checkpoint(packed)
    assert changed.encoder is not None and changed.state == {**whole.state, "singletons": 0.7}
    assert changed.variables.keys() == whole.variables.keys()
    for ours, theirs in zip(scores(packed), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        (PackOptions("float32", "float32"), 1e-3),  # a packed encoder is frozen, so its vectors are float16
        (PackOptions("int8", "float16", {"licence": "CC0"}), 0.05),
    ],
)
def test_a_packed_model_has_the_scores_of_the_unpacked_one(
    trained, tmp_path, options, tolerance, monkeypatch
):
    monkeypatch.setattr(packing, "SMALLEST", 50)
    expected = scores(trained)
    (tmp_path / "elsewhere").mkdir()
    packed = tmp_path / "elsewhere" / "packed.h5"
    summary = pack_model(open_trained_model(trained), packed, options)
    assert read_checkpoint(packed).state.items() >= {"dial": DIAL, "singletons": 0.3}.items()
    encoder = EncoderFile(packed)
    assert encoder.dtype == options.encoder_weights and encoder.config.num_layers == 1, (
        "unused layers are left out"
    )
    assert summary["encoder"] == sum(encoder.tensor(name).size for name in encoder.config.tensor_shapes())
    for path in (trained, tmp_path / "small.h5"):
        path.unlink()
    packed = packed.rename(tmp_path / "elsewhere" / "renamed.h5")
    for found, wanted in zip(scores(packed), expected, strict=True):
        finite = np.isfinite(wanted)
        np.testing.assert_allclose(
            found[finite], wanted[finite], atol=tolerance * np.abs(wanted[finite]).max()
        )
    again = read_checkpoint(packed)
    assert again.state["about"] == options.about
    assert {value.dtype.name for value in again.variables.values()} == {"float32", options.weights}
    assert str(tmp_path) not in str(again.settings), "the settings contain no paths of the training machine"


def test_a_packed_model_is_loaded_by_its_path_and_refused_if_damaged(trained, tmp_path, capsys):
    packed = tmp_path / "packed.h5"
    assert main(["pack", "--checkpoint", str(trained), str(packed), "--about", "licence=CC0"]) in (0, None)
    assert "weights in float16, an encoder of" in capsys.readouterr().out
    assert coref_tf.load(packed)("Ana said she was late.") is not None
    content = bytearray(packed.read_bytes())
    content[content.index(b"coref_tf encoder 1") + 5] ^= 1
    packed.write_bytes(content)
    with pytest.raises(CorefError, match=r"packed\.h5: damaged or truncated"):
        coref_tf.load(packed)


def test_packing_can_change_settings_that_variables_do_not_depend_on(trained, tmp_path):
    packed = tmp_path / "packed.h5"
    pack_model(open_trained_model(trained), packed, PackOptions(changes=["max_antecedents=3"]))
    settings = open_trained_model(packed).settings
    assert settings.max_antecedents == 3 != open_trained_model(trained).settings.max_antecedents
    changed = open_trained_model(packed, ["context.products=bfloat16"]).settings.context
    assert changed == dataclasses.replace(settings.context, products="bfloat16")
    pack_model(open_trained_model(trained), packed, PackOptions(changes=["context.products=bfloat16"]))
    assert open_trained_model(packed).settings.context == changed
    with pytest.raises(CorefError, match="was trained with lstm_size"):
        pack_model(open_trained_model(trained), packed, PackOptions(changes=["lstm_size=3"]))


def test_a_bundled_model_is_used_unless_one_was_trained_here(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("coref_tf.models.open_model.bundled_models", lambda: {"small": trained})
    conf, changes = REFERENCE / "experiments.conf", [f"log_root={tmp_path / 'runs'}"]
    model = open_trained_model("small", changes, conf)
    assert model.settings.context and model.path == trained
    own = tmp_path / "runs" / "small" / "best.h5"
    own.parent.mkdir(parents=True)
    own.write_bytes(trained.read_bytes())
    assert open_trained_model("small", changes, conf).path == own


def test_an_encoder_that_the_model_was_not_trained_with_is_refused(trained, tmp_path):
    small_encoder(tmp_path / "small.h5", seed=1)
    with pytest.raises(
        CorefError, match=r"trained\.h5: was trained with a different encoder than .*small\.h5"
    ):
        pack_model(open_trained_model(trained), tmp_path / "packed.h5")
    assert not (tmp_path / "packed.h5").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["out.h5"], "expected a trained experiment before it"),
        (["a", "b", "out.h5"], "expected EXPERIMENT OUT.h5"),
        (["best", "out.txt"], "ends in .h5"),
        (["best", "out.h5", "--about", "licence"], "--about must be NAME=TEXT"),
    ],
)
def test_wrong_arguments_are_one_line_errors(words, message):
    with pytest.raises(CorefError, match=message):
        main(["pack", *words])


@pytest.fixture
def bundled(trained, tmp_path, monkeypatch):
    """A packed model bundled as `english`, which the experiments in the working directory don't define."""
    resources = tmp_path / "resources"
    packed = resources / "data" / "models" / "english.h5"
    pack_model(open_trained_model(trained), packed)
    monkeypatch.setattr("coref_tf.support.resources.resources_folder", lambda: resources)
    here = tmp_path / "here"
    shutil.copytree(REFERENCE, here)
    (here / "story.txt").write_text("Ana said she was late.\n")
    monkeypatch.chdir(here)
    return packed


def test_bundled_models_are_available_beside_experiments_of_a_folder(bundled, capfd):
    printed = []
    for words in ([], ["english"], ["--model", str(bundled)], ["--checkpoint", str(bundled)]):
        assert main(["predict", *words, "story.txt"]) in (0, None)
        printed.append(capfd.readouterr().out)
    assert "she" in printed[0] and len(set(printed)) == 1
    result = coref_tf.load()(Path("story.txt").read_text())
    assert str(result).replace("text:", "story:", 1) == printed[0].rstrip("\n")
    assert open_trained_model("english").settings == open_trained_model(bundled).settings


def test_a_command_reads_the_model_and_the_experiments_once(bundled, monkeypatch):
    counts = Counter()

    def count(module, name, is_model):
        function = getattr(module, name)

        def counted(source, *arguments, **options):
            counts[name] += is_model(source)
            return function(source, *arguments, **options)

        monkeypatch.setattr(module, name, counted)

    def is_bundled(source):
        return isinstance(source, str | os.PathLike) and Path(source) == bundled

    count(Path, "read_bytes", is_bundled)
    count(h5py, "File", is_bundled)
    count(checkpoint.hashlib, "sha256", lambda content: len(content) > bundled.stat().st_size / 2)
    count(config, "read_hocon", lambda path: True)
    assert main(["predict", "story.txt"]) in (0, None)
    assert counts == {"read_bytes": 1, "File": 0, "sha256": 1, "read_hocon": 1}
