"""The benchmark of contextual models: its rows, the reasons for omissions, and the operations of an encoder."""

import dataclasses
import sys

import pytest
from small_encoder import small_encoder

from benchmarks import context, encoder, work
from coref_tf.config import load_experiment
from coref_tf.encoder.context_words import ContextWords
from coref_tf.encoder.encoder_config import EncoderConfig
from coref_tf.support.environment import ROOT


def made_up(mode, words, implementation, experiment, *changes):
    """Returns a row with round figures: 1,000 words a second, 2,000 in int8, half a second for the encoder alone."""
    row = {"mode": mode, "words": words, "implementation": implementation}
    faster = 2.0 if changes == ("context.products=int8",) else 1.0
    if mode == "train":
        return row | {"seconds": 0.8 if experiment == "best" else 1.0}
    if mode == "encoder":
        return row | {"seconds": 0.5 / faster, "gflops": 60.0, "matrix_product_gflops": 100.0, "share": 0.6}
    seconds = words / 1000 / faster
    return row | {
        "seconds": seconds,
        "words_per_second": words / seconds,
        "peak_rss_mb": 600.0,
        "rss_over_import_mb": 300.0,
    }


@pytest.fixture
def one_encoder(monkeypatch, tmp_path):
    """Only the first of the candidate encoders has a file."""
    there = small_encoder(tmp_path / "there.h5")
    missing = dataclasses.replace(there, encoder=tmp_path / "missing.h5")
    best = load_experiment("best", ROOT / "experiments.conf")

    def load(name, conf):
        return dataclasses.replace(best, context=there if name == "contextual" else missing)

    monkeypatch.setattr(context, "load_experiment", load)


def test_rows_and_ratios(one_encoder):
    def theirs(words, documents):
        row = {"words": words * documents, "documents": documents, "implementation": "fastcoref"}
        return row | {"seconds": 2 * words * documents / 1000, "peak_rss_mb": 1200.0}

    rows = list(context.run(made_up, theirs))
    alone = [row for row in rows if row["benchmark"] == "context: encoder alone"]
    assert {row["products"]: row["times_faster"] for row in alone} == {"float32": 1, "int8": 2, "bfloat16": 1}
    ours = [row for row in rows if row["benchmark"] == "context" and "products" in row]
    assert [(row["products"], row["words"]) for row in ours] == [
        ("float32", 2000),
        ("float32", 16000),
        ("int8", 2000),
        ("int8", 16000),
    ]
    (training,) = (row for row in rows if row["benchmark"] == "context: training, to best")
    assert (training["encoder"], training["share_of_speed"]) == ("minilm", 0.8)
    left_out = [row for row in rows if "left_out" in row]
    assert [row["encoder"] for row in left_out] == ["e5", "mpnet6", "mpnet"]
    assert left_out[0]["left_out"].endswith("missing.h5 is missing; run `make encoder ENCODER=e5`")
    ratios = [row for row in rows if row["benchmark"] == "context: to fastcoref"]
    assert {(row["products"], row["documents"]): row["times_faster"] for row in ratios} == {
        ("float32", 1): 2,
        ("float32", 40): 2,
        ("int8", 1): 4,
        ("int8", 40): 4,
    }
    assert {row["share_of_memory"] for row in ratios} == {0.5}


def test_training_reads_vectors_from_a_cache(monkeypatch, tmp_path):
    best = load_experiment("best", ROOT / "experiments.conf")
    sizes = {"lstm_size": 4, "ffnn_size": 5, "filter_size": 3}
    experiment = dataclasses.replace(best, context=small_encoder(tmp_path / "small.h5"), **sizes)
    run = work.training_step(experiment, "fast")(40)

    def encode(*_):
        raise AssertionError("the encoder was called")

    monkeypatch.setattr(ContextWords, "_encode", encode)
    assert run() > 0


def test_missing_fastcoref_is_explained(one_encoder, monkeypatch):
    monkeypatch.setenv(context.FASTCOREF_PYTHON, sys.executable)
    *_, row = context.run(made_up, context.measure_fastcoref)
    if "left_out" not in row:
        pytest.skip("fastcoref is installed here")
    assert "No module named" in row["left_out"] and "FASTCOREF_PYTHON" in row["left_out"]
    assert "\n" not in row["left_out"]


def test_operations_of_an_encoder():
    config = EncoderConfig("bert", 40, 12, 2, 3, 20, 32, cls_id=3, sep_id=4, unk_id=2)
    pieces = 7
    query_key_value, output, up_and_down = 12 * 36, 12 * 12, 2 * 12 * 20
    attention = 2 * pieces * 12  # for each piece: its scores and the weighted sum
    expected = 2 * 2 * pieces * (query_key_value + output + up_and_down + attention)
    assert encoder.operations(config, 2, pieces) == expected
