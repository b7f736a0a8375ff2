"""`make reproduce` from training to report with eighteen tiny models, which takes minutes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_records import rows
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
        cwd=ROOT, capture_output=True, text=True, timeout=3600,
    )  # fmt: skip


def assert_portable(folder):
    """Checks that no file except the logs contains an absolute path."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".log"]
    assert len(files) > 5
    for path in files:
        content = path.read_bytes()
        for place in (ROOT, folder, Path.home(), Path("/tmp"), Path(sys.prefix)):
            found = re.search(rb"[\s\"'=(`]" + re.escape(os.fsencode(place)) + rb"/", content)
            assert not found, f"{path}: {content[found.start() : found.end() + 80]!r}"


@pytest.mark.slow
def test_everything_with_tiny_models(tmp_path):
    write_tiny_experiments(tmp_path)
    first = reproduce(tmp_path, "--only", "section7,table4")
    assert first.returncode == 0, first.stdout + first.stderr
    assert "[3/3] table4 ..." in first.stdout
    whole = reproduce(tmp_path, "--jobs", "2")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert (
        "3 of 47 steps already done, 39 to do" in whole.stdout
        and "train-rules: skipped, the corpus has no parses" in whole.stdout
        and "train-contextual: skipped, " in whole.stdout
    )
    text = (tmp_path / "out" / "REPORT.md").read_text()
    assert "not run yet" not in text and "| failed |" not in text and "up to 2 ran at a time" in text
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {
        "figure3.csv", "figure3.png", "table4.html", "table4.json", "section7.json", "experiments.conf",
    }  # fmt: skip
    assert_portable(tmp_path / "out")
    trainings = {row[0]: row[1:] for row in rows(text, "Trainings")}
    documents = len((tmp_path / "docs.jsonlines").read_text().splitlines())
    assert trainings["best3"][:4] == ["3", "1", str(documents), str(documents)]
    differences = [
        row for title in ("Table 2", "Variants") for row in rows(text, title) if row[0][0] in "−λL"
    ]
    assert len(differences) == 10 and all(" to " in row[2] and " to " in row[4] for row in differences)
    assert not re.search(r"\| – \|", text.split("## Five seeds")[1].split("## Variants")[0])
    again = reproduce(tmp_path)
    assert again.returncode == 0 and " 0 to do" in again.stdout


@pytest.mark.slow
def test_a_copied_folder_resumes_and_missing_checkpoints_are_trained_again(tmp_path):
    """The folder with the results is copied without logs and checkpoints, as if it had been committed."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    write_tiny_experiments(here)
    assert reproduce(here, "--only", "section7,figure3").returncode == 0
    write_tiny_experiments(there)
    shutil.copytree(here / "out", there / "out", ignore=shutil.ignore_patterns("*.log"))
    again = reproduce(there, "--only", "section7,figure3")
    assert again.returncode == 0 and "3 of 3 steps already done, 0 to do" in again.stdout, again.stdout
    before = json.loads((there / "out" / "steps" / "train-best0.json").read_text())
    more = reproduce(there, "--only", "section7,figure3,table4")
    assert more.returncode == 0, more.stdout + more.stderr
    assert "3 of 4 steps already done, 2 to do" in more.stdout
    assert "train-best0: runs again, because" in more.stdout and "figure3 ..." not in more.stdout
    after = json.loads((there / "out" / "steps" / "train-best0.json").read_text())
    assert after["figures"] == before["figures"], (
        "the same seed gives the same run, so figure 3 is still right"
    )
    assert (there / "logs" / "best0" / "best.h5").exists()


def test_failed_steps_are_reported_at_the_end(tmp_path):
    """Without the vectors no model can be trained, but section 7's counts can be made."""
    conf = write_tiny_experiments(tmp_path)
    conf.write_text(conf.read_text().replace("glove.txt", "gone.txt").replace("turian.txt", "gone.txt"))
    failed = reproduce(tmp_path, "--only", "section7,figure3", "--jobs", "2")
    assert failed.returncode == 1
    assert "error: train-best0 failed: " in failed.stderr and "gone.txt" in failed.stderr
    assert "error: figure3 failed: needs train-best0, which failed" in failed.stderr
    text = (tmp_path / "out" / "REPORT.md").read_text()
    assert "| section7 | done |" in text and "- figure3: failed, needs train-best0, which failed." in text
    assert_portable(tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "table7"], "error: --only table7: no part table7; expected some of"),
        (["--jobs", "0"], "error: --jobs must be 1 or more. Received: 0"),
    ],
)
def test_wrong_options_are_one_line_errors(tmp_path, options, message):
    write_tiny_experiments(tmp_path)
    done = reproduce(tmp_path, *options)
    assert done.returncode == 1 and done.stderr.startswith(message) and done.stderr.count("\n") == 1
