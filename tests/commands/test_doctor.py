"""`coref doctor` as a user runs it."""

import re

import pytest
from command import call

from coref_tf.commands import doctor
from coref_tf.support import libraries
from coref_tf.support.lanes import this_lane, this_python


def lines_of(capsys, code):
    lines = capsys.readouterr().out.splitlines()
    assert all(line.split()[0] in {"ok", "note", "error"} for line in lines)
    assert code == int(any(line.startswith("error") for line in lines))
    return lines


def test_one_line_for_each_check(capsys):
    lines = lines_of(capsys, call("doctor"))
    for what in (
        "coref_tf ", f"Python {this_python()}", f"lane: {this_lane()}", "packages: tensorflow 2.",
        "coref serve: tornado", "coref spark: ",
        "op library: _coref_ops.so", "processor: ", "GPU: ", "experiments: ", "vectors: ", "corpus of best: ",
        "models: ", "memory: ", "disk: ",
    ):  # fmt: skip
        assert any(what in line for line in lines), what


def test_unsupported_python(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "lane_of", lambda python: None)
    lines = lines_of(capsys, call("doctor"))
    assert any(
        line.startswith("error  Python 3.") and line.endswith("; expected Python 3.11, 3.13, 3.12, 3.10")
        for line in lines
    )


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        (
            "LEAST_DISK",
            2**60,
            "error  disk: .* GB free; expected 1073741824.0 GB or more: free disk space for .*",
        ),
        ("PACKAGES", ("numpy", "nosuch"), "error  packages: missing nosuch; run `make`"),
        ("EXTRAS", {"plots": ("nosuch",)}, "note   figures: missing nosuch; run `make`"),
        (
            "VECTOR_SETS",
            {"AVX9": ("avx9",)},
            "note   processor: .* kernels use no vector instructions; .*slower than with AVX2",
        ),
        ("bundled_models", lambda: {"english": "x"}, "ok     models: trained: .*; bundled: english"),
    ],
)
def test_problems_come_with_their_fix(capsys, monkeypatch, name, value, line):
    monkeypatch.setattr(doctor, name, value)
    lines = lines_of(capsys, call("doctor"))
    assert any(re.fullmatch(line, found) for found in lines), lines


def test_missing_library(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(libraries, "NATIVE_LIBRARY", tmp_path / "_native.so")
    libraries.algorithms.cache_clear()
    try:
        lines = lines_of(capsys, call("doctor"))
    finally:
        libraries.algorithms.cache_clear()
    assert any(
        line.startswith(f"error  {tmp_path}/_native.so is missing") and "; run `make" in line
        for line in lines
    )


def test_missing_experiments_file(capsys, tmp_path):
    lines = lines_of(capsys, call("doctor", "--conf", tmp_path / "no.conf"))
    assert any(line.startswith("error") and "no such file" in line for line in lines)
