"""Checkpoints round-trip, and are refused if damaged or trained with other settings."""

import dataclasses
import json

import numpy as np
import pytest
from random_documents import small_experiment

from coref_tf.config import MODEL_KEYS, Experiment
from coref_tf.models.checkpoint import Checkpoint, model_settings, read_checkpoint, write_checkpoint
from coref_tf.models.open_model import open_model
from coref_tf.models.saved_settings import check_settings
from coref_tf.support.errors import CorefError


@pytest.fixture
def checkpoint():
    variables = {"a/kernel": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float32(1.5)}
    return Checkpoint(model_settings(small_experiment()), ["a", "\u2028", "😀"], variables, {"step": 3})


def test_round_trip(checkpoint, tmp_path):
    path = tmp_path / "logs" / "best.h5"
    write_checkpoint(path, checkpoint)
    again = read_checkpoint(path)
    assert again.settings == checkpoint.settings
    assert again.characters == checkpoint.characters
    assert again.state == {"step": 3}
    assert again.variables.keys() == checkpoint.variables.keys()
    for name, value in checkpoint.variables.items():
        np.testing.assert_array_equal(again.variables[name], value)
    assert [file.name for file in path.parent.iterdir()] == ["best.h5"]


def test_damaged_files_are_one_line_errors(checkpoint, tmp_path):
    path = tmp_path / "best.h5"
    write_checkpoint(path, checkpoint)
    whole = path.read_bytes()
    generator = np.random.default_rng(0)
    damaged = [whole[: int(generator.integers(len(whole)))] for _ in range(30)]
    for _ in range(60):
        place = int(generator.integers(len(whole)))
        damaged.append(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for content in [*damaged, b"", b"something else"]:
        path.write_bytes(content)
        with pytest.raises(CorefError, match=r"damaged|not a coref_tf checkpoint") as error:
            read_checkpoint(path)
        assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mention_ratio": 1e9}, "mention_ratio must be at most max_mention_width"),
        ({"mention_ratio": "much"}, "mention_ratio must be a number"),
        ({"context": {"encoder": 5, "layers": [1]}}, "context"),
        ({"embeddings": None}, "embeddings"),
        ({"embeddings": 7}, "embeddings"),
        ({"genres": {"nw": 1}}, "genres"),
    ],
)
def test_invalid_settings_are_one_line_errors(checkpoint, tmp_path, settings, message):
    path = tmp_path / "best.h5"
    write_checkpoint(path, dataclasses.replace(checkpoint, settings={**checkpoint.settings, **settings}))
    with pytest.raises(CorefError, match=message) as error:
        open_model(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 500


def test_a_missing_checkpoint_says_what_to_do(tmp_path):
    with pytest.raises(CorefError, match="no such checkpoint; train"):
        read_checkpoint(tmp_path / "best.h5")


def test_the_error_for_another_model_names_the_setting_that_differs(checkpoint):
    check_settings(checkpoint, small_experiment(mention_ratio=0.3), "best.h5")
    for key, value in {"lstm_size": 7, "use_features": False, "genres": ("nw",), "embeddings": ()}.items():
        with pytest.raises(CorefError, match=f"was trained with {key} ="):
            check_settings(checkpoint, small_experiment(**{key: value}), "best.h5")


def test_settings_missing_from_an_older_checkpoint_are_those_of_the_paper(checkpoint):
    older = {
        key: value for key, value in checkpoint.settings.items() if key not in ("mentions", "pair_features")
    }
    older = dataclasses.replace(checkpoint, settings=older)
    check_settings(older, small_experiment(), "best.h5")
    more = small_experiment(pair_features=("speaker", "genre", "distance", "sentence_distance"))
    with pytest.raises(
        CorefError, match=r'was trained with pair_features = ."speaker", "genre", "distance".'
    ):
        check_settings(older, more, "best.h5")


def test_model_keys_are_the_settings_that_variables_depend_on():
    assert set(MODEL_KEYS) == {
        "genres", "char_embedding_size", "filter_widths", "filter_size", "lstm_size", "ffnn_size", "ffnn_depth",
        "head_ffnn_depth", "feature_size", "model_heads", "use_features", "use_metadata", "max_mention_width",
        "antecedents", "coref_depth", "mentions", "pair_features",
    }  # fmt: skip
    kept = model_settings(small_experiment())
    assert set(kept) == {field.name for field in dataclasses.fields(Experiment)}
    assert json.loads(json.dumps(kept)) == kept
