"""The benchmark of contextual models: its rows, what is left out and why, and what counts as an encoder's speed."""

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
    """A row with easy figures: 1,000 words a second, of which the encoder takes a quarter of the time; in bfloat16
    half of that."""
    row = {"mode": mode, "words": words, "implementation": implementation}
    if mode == "train":
        return row | {"seconds": 0.8 if experiment == "best" else 1.0}
    if mode == "encoder":
        seconds = 0.25 if changes == ("context.products=bfloat16",) else 0.5
        return row | {"seconds": seconds, "gflops": 60.0, "matrix_product_gflops": 100.0, "share": 0.6}
    return row | {
        "seconds": 2.0,
        "words_per_second": 1000.0,
        "peak_rss_mb": 600.0,
        "rss_over_import_mb": 300.0,
    }


@pytest.fixture
def one_encoder(monkeypatch, tmp_path):
    """Of the candidates' files, the first alone is there."""
    there = small_encoder(tmp_path / "there.h5")
    missing = dataclasses.replace(there, encoder=tmp_path / "missing.h5")
    best = load_experiment("best", ROOT / "experiments.conf")

    def load(name, conf):
        return dataclasses.replace(best, context=there if name == "contextual" else missing)

    monkeypatch.setattr(context, "load_experiment", load)


def test_rows_and_ratios(one_encoder):
    theirs = {"words": context.WORDS, "implementation": "fastcoref", "seconds": 4.0, "peak_rss_mb": 1200.0}
    row, alone, rounded, training, left_out, *_, other, ratio = context.run(made_up, lambda words: theirs)
    assert (row["encoder"], row["words_per_second"], row["peak_rss_mb"]) == ("minilm", 1000, 600)
    assert (alone["share_of_time"], alone["share"]) == (0.25, 0.6)
    assert (rounded["encoder"], rounded["times_faster"]) == ("minilm", 2.0)
    assert (training["encoder"], training["share_of_speed"]) == ("minilm", 0.8)
    assert left_out["encoder"] == "e5"
    assert left_out["left_out"].endswith("missing.h5 is missing; `make encoder ENCODER=e5` makes it")
    assert other["implementation"] == "fastcoref"
    assert (ratio["encoder"], ratio["times_faster"], ratio["share_of_memory"]) == ("minilm", 2.0, 0.5)


def test_training_reads_vectors_from_a_cache(monkeypatch, tmp_path):
    best = load_experiment("best", ROOT / "experiments.conf")
    sizes = {"lstm_size": 4, "ffnn_size": 5, "filter_size": 3}
    experiment = dataclasses.replace(best, context=small_encoder(tmp_path / "small.h5"), **sizes)
    run = work.training_step(experiment, "fast")(40)

    def encode(*_):
        raise AssertionError("the encoder was called")

    monkeypatch.setattr(ContextWords, "_encode", encode)
    assert run() > 0


def test_why_there_is_no_row_of_fastcoref(one_encoder, monkeypatch):
    monkeypatch.setenv(context.FASTCOREF_PYTHON, sys.executable)
    *_, row = context.run(made_up, context.measure_fastcoref)
    if "left_out" not in row:
        pytest.skip("fastcoref is installed here")
    assert "No module named" in row["left_out"] and "FASTCOREF_PYTHON" in row["left_out"]
    assert "\n" not in row["left_out"]


def test_what_counts_as_the_speed_of_an_encoder():
    config = EncoderConfig("bert", 40, 12, 2, 3, 20, 32, cls_id=3, sep_id=4, unk_id=2)
    pieces = 7
    query_key_value, output, up_and_down = 12 * 36, 12 * 12, 2 * 12 * 20
    attention = 2 * pieces * 12  # for each piece: its scores, and the sum that they weigh
    expected = 2 * 2 * pieces * (query_key_value + output + up_and_down + attention)
    assert encoder.operations(config, 2, pieces) == expected
