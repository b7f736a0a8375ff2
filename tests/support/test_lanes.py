"""Lanes: each Python has one of two sets of package versions, and TensorFlow uses Keras 2 in both."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import tensorflow as tf

from coref_tf.support import lanes
from coref_tf.support.errors import CorefError
from coref_tf.support.lanes import CARD, LANES, PYTHONS, TODAY, check_keras, choose_keras, lane_of, this_lane
from coref_tf.support.startup import without_chatter

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "coref_tf"


def test_every_python_has_one_lane():
    assert [lane_of(python) for python in PYTHONS] == [CARD, TODAY, TODAY, CARD]
    assert lane_of("3.9") is None and lane_of("3.14") is None
    assert all((ROOT / lane.constraints).is_file() for lane in LANES)
    assert tf.__version__.startswith(f"{this_lane().tensorflow}.")


def test_make_looks_for_the_same_pythons():
    script = (ROOT / "kernels" / "environment.sh").read_text(encoding="utf-8")
    assert re.search(r'^versions="(.*)"$', script, re.MULTILINE)[1].split() == [*PYTHONS]


def test_a_python_without_a_lane_is_an_error(monkeypatch):
    monkeypatch.setattr(lanes, "this_python", lambda: "3.14")
    with pytest.raises(CorefError, match=r"does not support Python 3\.14; expected one of 3\.11, 3\.13, "):
        this_lane()
    choose_keras()  # does nothing


@pytest.mark.parametrize(
    ("python", "before", "after"),
    [("3.13", None, "1"), ("3.12", "0", "0"), ("3.11", None, None), ("3.10", "1", None)],
)
def test_keras_is_chosen_before_tensorflow_is_imported(monkeypatch, python, before, after):
    monkeypatch.setattr(lanes, "this_python", lambda: python)
    if before is None:
        # Registers the variable with monkeypatch, which otherwise would not remove what is set below.
        monkeypatch.setenv("TF_USE_LEGACY_KERAS", "")
        monkeypatch.delenv("TF_USE_LEGACY_KERAS")
    else:
        monkeypatch.setenv("TF_USE_LEGACY_KERAS", before)
    choose_keras()  # has no effect after TensorFlow has been imported
    assert os.environ.get("TF_USE_LEGACY_KERAS") == before
    monkeypatch.delitem(sys.modules, "tensorflow")
    choose_keras()
    assert os.environ.get("TF_USE_LEGACY_KERAS") == after


@pytest.mark.parametrize(
    ("python", "remedy"),
    [
        ("3.13", r"import coref_tf before tensorflow, or set TF_USE_LEGACY_KERAS=1 before Python starts$"),
        ("3.11", r"run `.*python\S* -m pip install 'keras~=2\.15\.1'`$"),
    ],
)
def test_another_keras_is_refused(monkeypatch, python, remedy):
    monkeypatch.setattr(lanes, "this_python", lambda: python)
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(__version__="3.12.0"))
    keras = SimpleNamespace(Model=type("Model", (), {"__module__": "keras.src.models"}))
    imported = SimpleNamespace(__version__="2.15.1", keras=keras)
    with pytest.raises(
        CorefError, match=rf"imported with Keras 3\.12\.0, but coref_tf needs Keras 2; {remedy}"
    ):
        check_keras(imported)


@pytest.mark.skipif(this_lane() is CARD, reason="TensorFlow 2.15 has no other Keras than 2")
def test_importing_tensorflow_first_is_an_error_with_keras_3():
    """The error says to import coref_tf first, as happens in notebooks that have used TensorFlow."""
    code = "import tensorflow\ntry: import coref_tf.model\nexcept Exception as error: print(error)"
    environment = {name: value for name, value in os.environ.items() if name != "TF_USE_LEGACY_KERAS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert re.fullmatch(r"TensorFlow was imported with Keras 3.*; import coref_tf before .*\n", done.stdout)


def test_tensorflow_is_imported_quietly():
    """Importing TensorFlow after coref_tf prints nothing."""
    code = "import coref_tf, tensorflow; print(type(tensorflow.__loader__).__name__)"
    environment = {name: value for name, value in os.environ.items() if name != "TF_CPP_MIN_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("SourceFileLoader\n", "")


def test_only_known_chatter_is_suppressed(capfd):
    with pytest.raises(ImportError), without_chatter():
        os.write(
            2, b"WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
        )
        os.write(
            2, b"I0000 00:00:17.4 1061 cudart_stub.cc:31] Could not find cuda drivers\nE0000 a mistake\n"
        )
        raise ImportError
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "E0000 a mistake\nafter\n"


def test_deprecated_apis_are_used_in_one_place():
    """Only two modules may use experimental or legacy APIs, so that they can be replaced there."""
    allowed = {PACKAGE / "deprecated.py", PACKAGE / "support" / "lanes.py"}
    for path in {*PACKAGE.rglob("*.py")} - allowed:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bexperimental|optimizers\.legacy|LEGACY_KERAS|import (tf_)?keras", text), path
