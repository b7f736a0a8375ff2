"""Each lane reads what the other has written: checkpoints, interrupted trainings and portable exports.

tests/fixtures/lanes contains a training of each lane with its expected results, and every lane reads both. If
COREF_OTHER_LANE is a checkout that was made with a Python of the other lane, the current state of both is compared,
exports included. `make second-lane` does so.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from export_cases import readme_program
from lane_work import WHOLE, make, read

from coref_tf.support.lanes import LANES, this_lane

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "fixtures" / "lanes"
OTHER = os.environ.get("COREF_OTHER_LANE", "")

pytestmark = pytest.mark.filterwarnings(
    "ignore:Even though the `tf.config.experimental_run_functions_eagerly`"
)


needs_other = pytest.mark.skipif(
    not OTHER, reason="COREF_OTHER_LANE names no checkout made with a Python of the other lane"
)


def assert_close(value, expected, tolerance, where=""):
    """Asserts that nested figures are equal within a tolerance."""
    if isinstance(expected, dict):
        assert value.keys() == expected.keys(), where
        for key in expected:
            assert_close(value[key], expected[key], tolerance, f"{where}/{key}")
    elif isinstance(expected, list) and any(isinstance(each, list | dict) for each in expected):
        assert len(value) == len(expected), where
        for number, each in enumerate(expected):
            assert_close(value[number], each, tolerance, f"{where}/{number}")
    else:
        value, expected = np.array(value, np.float64), np.array(expected, np.float64)
        np.testing.assert_allclose(value, expected, atol=tolerance, rtol=0, err_msg=where)


def assert_same(value, expected):
    """Asserts that clusters are equal, scores are equal within 1e-5, and the training has resumed in the same way."""
    value = json.loads(json.dumps(value))
    assert value["clusters"] == expected["clusters"]
    assert value["step"] == expected["step"] == WHOLE
    assert value["best"] == pytest.approx(expected["best"])
    assert_close(value["details"], expected["details"], 1e-5)
    # After three steps of 0.01: Adam turns the rounding error of a zero gradient into a fraction of a step.
    assert_close(value["variables"], expected["variables"], 5e-4)


@pytest.mark.parametrize("lane", [lane.tensorflow for lane in LANES])
def test_fixtures_of_both_lanes_are_read(lane, tmp_path):
    shutil.copytree(FIXTURES / lane / "small", tmp_path / "small")
    with gzip.open(FIXTURES / lane / "read.json.gz", "rt", encoding="utf-8") as file:
        assert_same(read(tmp_path), json.load(file))


@needs_other
def test_each_lane_reads_what_the_other_writes(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    make(here)
    run_there("make", there)
    answers = {name: read_there(tmp_path / name) for name in ("here", "there")}
    assert_same(read(here), answers["here"])
    assert_same(read(there), answers["there"])
    for folder in (here / "export", there / "export"):
        ours, theirs = (run_readme_program(python, folder) for python in (sys.executable, python_there()))
        assert ours == theirs and ours.strip(), folder


def python_there() -> str:
    return str(Path(OTHER) / ".venv" / "bin" / "python")


def run_there(*words) -> None:
    command = [python_there(), str(Path(OTHER) / "tests" / "lane_work.py"), *map(str, words)]
    done = subprocess.run(command, cwd=OTHER, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def read_there(folder: Path) -> dict:
    out = folder.with_suffix(".json")
    run_there("read", folder, out)
    return json.loads(out.read_text(encoding="utf-8"))


def run_readme_program(python: str, folder: Path) -> str:
    """Runs the program in the export's README, which needs TensorFlow only."""
    command = [python, "-I", "-c", readme_program(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_other
def test_the_library_of_the_other_lane_is_refused():
    """This Python refuses the library in the other lane's checkout."""
    code = "from coref_tf.ops.library import custom_ops\ntry: custom_ops()\nexcept ValueError as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=OTHER,
        env=os.environ | {"PYTHONPATH": OTHER},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"but this is TensorFlow {this_lane().tensorflow}." in done.stdout, done.stderr
    assert "; run `make" in done.stdout and done.stdout.count("\n") == 1
