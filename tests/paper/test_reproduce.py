"""`make reproduce` from training to report with thirteen tiny models, which takes minutes."""

import subprocess
import sys
from pathlib import Path

import pytest
from tiny_experiments import write_tiny_experiments

ROOT = Path(__file__).resolve().parents[2]


def reproduce(folder, *options):
    command = [
        sys.executable,
        "-m",
        "paper",
        "reproduce",
        "--conf",
        folder / "experiments.conf",
    ]
    return subprocess.run(
        [*map(str, command), "--out", str(folder / "out"), *options],
        cwd=ROOT, capture_output=True, text=True, timeout=1800,
    )  # fmt: skip


@pytest.mark.slow
def test_everything_with_tiny_models(tmp_path):
    write_tiny_experiments(tmp_path)
    first = reproduce(tmp_path, "--only", "section7,table4")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "[3/3] table4 ..." in first.stdout
    whole = reproduce(tmp_path)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert (
        "3 of 29 steps already done" in whole.stdout
        and "train-rules: skipped, the corpus has no parses" in whole.stdout
    )
    text = (tmp_path / "out" / "REPORT.md").read_text()
    assert "not run yet" not in text and "| failed |" not in text
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "figure3.csv", "figure3.png", "table4.html", "table4.json", "section7.json", "experiments.conf",
    }  # fmt: skip
    again = reproduce(tmp_path)
    assert again.returncode == 0 and " 0 to do" in again.stdout


def test_failed_steps_are_reported_at_the_end(tmp_path):
    """Without the vectors no model can be trained, but section 7's counts can be made."""
    conf = write_tiny_experiments(tmp_path)
    conf.write_text(conf.read_text().replace("glove.txt", "gone.txt").replace("turian.txt", "gone.txt"))
    failed = reproduce(tmp_path, "--only", "section7,figure3")
    assert failed.returncode == 1
    assert "error: train-best0 failed: " in failed.stderr and "gone.txt" in failed.stderr
    assert "error: figure3 failed: needs train-best0, which failed" in failed.stderr
    text = (tmp_path / "out" / "REPORT.md").read_text()
    assert "| section7 | done |" in text and "- figure3: failed, needs train-best0, which failed." in text


def test_an_unknown_part_is_a_one_line_error(tmp_path):
    write_tiny_experiments(tmp_path)
    done = reproduce(tmp_path, "--only", "table7")
    assert done.returncode == 1 and done.stderr.startswith(
        "error: --only table7: no part table7; expected some of"
    )
