"""Steps run once, are skipped afterwards and resume after an interruption; a failure doesn't stop the others."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paper.steps import Step, Steps, duration

ROOT = Path(__file__).resolve().parents[2]


def write_command(path, value, counter=None):
    """A command that writes a value as JSON and appends to `counter` each time it runs."""
    count = f"open({str(counter)!r}, 'a').write('x');" if counter else ""
    return "-c", f"import json; {count} json.dump({value!r}, open({str(path)!r}, 'w'))"


def test_a_finished_step_runs_again_only_if_its_command_changes(tmp_path, capsys):
    counter, result = tmp_path / "counter", tmp_path / "result.json"
    step = Step("one", write_command(result, {"f1": 0.5}, counter), result=result)
    steps = Steps(tmp_path / "steps")
    steps.run_all([step])
    assert steps.figures("one") == {"f1": 0.5} and steps.record("one")["seconds"] > 0
    assert steps.record("one")["processor_seconds"] > 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "0 of 1 steps already done, 1 to do",
        "[1/1] one ...",
    ]
    Steps(tmp_path / "steps").run_all([step])
    assert counter.read_text() == "x"
    assert capsys.readouterr().out == "1 of 1 steps already done, 0 to do\n"
    changed = Step("one", write_command(result, {"f1": 0.6}, counter), result=result)
    Steps(tmp_path / "steps").run_all([changed])
    assert counter.read_text() == "xx" and steps.figures("one") == {"f1": 0.6}


def test_the_remaining_time_is_estimated_from_similar_steps(tmp_path, capsys):
    sleeping = "-c", "import time; time.sleep(1.2)"
    Steps(tmp_path / "steps").run_all([Step(f"train-{number}", sleeping) for number in range(3)])
    lines = capsys.readouterr().out.splitlines()
    estimates = [line.split(" to go")[1] for line in lines if " to go" in line]
    assert len(estimates) == 2 and all(estimate.startswith(", about ") for estimate in estimates)


def test_a_failure_is_reported_and_other_steps_run(tmp_path, capsys):
    broken = "-c", "import sys; print('error: no such thing'); sys.exit(1)"
    silent = tmp_path / "never.json"
    steps = Steps(tmp_path / "steps")
    steps.run_all(
        [
            Step("train-a", broken),
            Step("dev-a", ("-c", "raise SystemExit('not to be run')"), needs=("train-a",)),
            Step("dev-b", ("-c", "pass"), result=silent),
            Step("dev-c", ("-c", "pass")),
            Step("dev-d", ("-c", "pass"), impossible="there is no moon"),
        ]
    )
    assert set(steps.failures) == {"train-a", "dev-a", "dev-b"}
    assert steps.failures["train-a"] == f"no such thing ({tmp_path / 'steps' / 'train-a.log'})"
    assert steps.failures["dev-a"] == "needs train-a, which failed"
    assert "never.json" in steps.failures["dev-b"]
    assert steps.record("dev-c")["done"] and not steps.record("train-a")["done"]
    assert steps.record("dev-d") is None
    out = capsys.readouterr().out
    assert "dev-d: skipped, there is no moon" in out and "failed: no such thing" in out


SLEEPER = """
import signal, sys, time
def stop(*_):
    open({saved!r}, 'a').write('saved ')
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
open({started!r}, 'w').write('')
time.sleep(60)
"""

RUNNER = """
import sys, signal
from pathlib import Path
from paper.steps import Step, Steps
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
Steps(Path({folder!r})).run_all([Step("train-x", ("-c", {code!r}))])
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_can_save_and_its_time_counts(tmp_path, number):
    folder, saved, started = tmp_path / "steps", tmp_path / "saved", tmp_path / "started"
    code = SLEEPER.format(saved=str(saved), started=str(started))
    runner = RUNNER.format(folder=str(folder), code=code)
    process = subprocess.Popen(
        [sys.executable, "-c", runner], cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not started.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # to the whole group, as a terminal does
    else:
        process.send_signal(number)
    assert process.wait(timeout=60) != 0
    assert saved.read_text() == "saved "
    record = json.loads((folder / "train-x.json").read_text())
    assert not record["done"] and record["seconds"] > 0
    # The step resumes, and its times add up.
    resumed = Steps(folder)
    resumed.run_all([Step("train-x", ("-c", "import time; time.sleep(0.5)"))])
    assert resumed.record("train-x")["done"] and resumed.record("train-x")["seconds"] > record["seconds"]


def test_durations_are_readable():
    assert [duration(seconds) for seconds in (0.4, 59.6, 61, 3725)] == [
        "0 s",
        "1 min 0 s",
        "1 min 1 s",
        "1 h 2 min",
    ]
