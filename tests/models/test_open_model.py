"""A checkpoint contains its settings, so a model is used as it was trained."""

import dataclasses
import re
from pathlib import Path

import pytest

from coref_tf.config import MODEL_KEYS, load_experiment
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.open_model import open_trained_model
from coref_tf.models.trained_model import describe_models
from coref_tf.support.errors import CorefError

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "tests" / "fixtures" / "reference" / "experiments.conf"


def train(log_root: Path, *changes: str):
    """Writes the checkpoint, without variables, of `coref train small log_root=... key=value ...`."""
    experiment = load_experiment("small", CONF, [f"log_root={log_root}", *changes])
    write_checkpoint(best_checkpoint_path(experiment), Checkpoint(model_settings(experiment), ["a"], {}))
    return experiment


def test_a_model_keeps_the_settings_it_was_trained_with(tmp_path):
    trained = train(tmp_path, "lstm_size=100", "mention_ratio=0.3", "genres=[nw, wb]", "max_antecedents=9")
    model = open_trained_model("small", [f"log_root={tmp_path}"], CONF)
    assert model.settings == trained and describe_models([model]) == "experiment small"


def test_a_checkpoint_needs_no_experiment(tmp_path):
    trained = train(tmp_path, "lstm_size=100", "default_genre=wb")
    path = (tmp_path / "small" / "best.h5").rename(tmp_path / "model.h5")
    model = open_trained_model(path)
    assert model.settings == trained
    assert describe_models([model], "dev.conll") == "model small, corpus dev.conll"
    assert describe_models([model, model]) == "ensemble of small small"


def test_an_unknown_model_is_a_one_line_error():
    with pytest.raises(
        CorefError, match=r"^no model smal \(did you mean small\?\); bundled models: .*english"
    ):
        open_trained_model("smal", (), CONF)
    for path in ("mymodel.h5", "logs/mymodel"):
        with pytest.raises(CorefError, match=rf"^{path}: no such file; expected a checkpoint, "):
            open_trained_model(path, (), CONF)


def test_corpora_and_folders_come_from_the_experiments_file(tmp_path):
    train(tmp_path, "train_path=old.conll", "max_epochs=3")
    changes = [f"log_root={tmp_path}", "eval_path=new.conll"]
    assert open_trained_model("small", changes, CONF).settings == load_experiment("small", CONF, changes)


def test_compatible_changes_override_the_checkpoint(tmp_path):
    train(tmp_path, "mention_ratio=0.3")
    changes = [f"log_root={tmp_path}", "mention_ratio=0.5", "lstm_size=6"]
    assert open_trained_model("small", changes, CONF).settings.mention_ratio == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("lstm_size=7", "was trained with lstm_size = 100. Received: 7; omit lstm_size"),
        ("genres=[nw]", 'Received: ["nw"]; omit genres'),
        ("embeddings=[]", "Received: []; omit embeddings"),
        ("lstm_sise=7", "unknown key lstm_sise (did you mean lstm_size?)"),
    ],
)
def test_changes_that_contradict_the_checkpoint_are_refused(tmp_path, change, message):
    train(tmp_path, "lstm_size=100")
    with pytest.raises(CorefError, match=re.escape(message)):
        open_trained_model("small", [f"log_root={tmp_path}", change], CONF)


def write_older_checkpoint(experiment, path):
    """Writes a checkpoint of an older version, without all settings."""
    settings = {key: value for key, value in model_settings(experiment).items() if key in MODEL_KEYS}
    del settings["mentions"]
    settings["embeddings"] = [vectors.size for vectors in experiment.embeddings]
    write_checkpoint(path, Checkpoint(settings, ["a"], {}))


def test_settings_missing_from_older_checkpoints_come_from_the_file(tmp_path):
    experiment = load_experiment("small", CONF, [f"log_root={tmp_path}"])
    write_older_checkpoint(dataclasses.replace(experiment, lstm_size=100), best_checkpoint_path(experiment))
    assert open_trained_model("small", [f"log_root={tmp_path}"], CONF).settings == dataclasses.replace(
        experiment, lstm_size=100
    )
    with pytest.raises(CorefError, match=r"an older checkpoint, .* name its experiment, too"):
        open_trained_model(best_checkpoint_path(experiment))
    with pytest.raises(CorefError, match=r"trained with embeddings = \[12, 6\]. Received"):
        open_trained_model("small", [f"log_root={tmp_path}", "embeddings=[]"], CONF)


def test_moved_vectors_are_found_beside_the_checkpoint_or_the_error_names_them(tmp_path):
    vectors = tmp_path / "there" / "glove.txt"
    vectors.parent.mkdir()
    vectors.write_text("x 1 2 3\n")
    train(tmp_path, f"embeddings=[{{ path = {vectors}, size = 3 }}]")
    path = tmp_path / "small" / "best.h5"
    assert open_trained_model(path).settings.embeddings[0].path == vectors
    vectors.rename(path.parent / "glove.txt")
    assert open_trained_model(path).settings.embeddings[0].path == path.parent / "glove.txt"
    (path.parent / "glove.txt").unlink()
    with pytest.raises(CorefError, match=f"was trained with {vectors}, which does not exist; put it there"):
        open_trained_model(path)


def test_paths_of_bundled_data_are_stored_relative_to_the_package(tmp_path):
    kept = model_settings(load_experiment("best", ROOT / "experiments.conf"))
    assert [vectors["path"] for vectors in kept["embeddings"]] == [
        "data/vectors/cased_300d.h5",
        "data/vectors/glove_6B_50d.h5",
    ]
    best = load_experiment("best", ROOT / "experiments.conf", [f"log_root={tmp_path}"])
    write_checkpoint(best_checkpoint_path(best), Checkpoint(model_settings(best), ["a"], {}))
    assert open_trained_model(best_checkpoint_path(best)).settings == best
