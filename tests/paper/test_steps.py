"""Steps run once, are skipped afterwards and resume after an interruption; a failure doesn't stop the others."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coref_tf.support.files import write_json
from paper.records import Step
from paper.steps import Steps, duration

ROOT = Path(__file__).resolve().parents[2]


def write_command(path, value, counter=None):
    """A command that writes a value as JSON to a path and appends to `counter` each time it runs."""
    count = f"open({str(counter)!r}, 'a').write('x');" if counter else ""
    return "-c", f"import json, sys; {count} json.dump({value!r}, open(sys.argv[1], 'w'))", str(path)


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


def test_a_copy_of_the_folder_elsewhere_is_complete(tmp_path):
    """Records have paths relative to the folder, so finished steps are skipped after it was moved."""
    here, there = tmp_path / "here", tmp_path / "there" / "deeper"
    counter = tmp_path / "counter"

    def step(folder):
        result = folder / "scores" / "one.json"
        result.parent.mkdir(parents=True, exist_ok=True)
        return Step("one", write_command(result, {"f1": 0.5}, counter), result=result)

    Steps(here / "steps").run_all([step(here)])
    assert counter.read_text() == "x"
    record = json.loads((here / "steps" / "one.json").read_text())
    assert record["command"].endswith(" scores/one.json") and record["result"] == "scores/one.json"
    shutil.copytree(here, there)
    steps = Steps(there / "steps")
    steps.run_all([step(there)])
    assert counter.read_text() == "x" and steps.figures("one") == {"f1": 0.5}
    (there / "scores" / "one.json").unlink()
    steps.run_all([step(there)])
    assert counter.read_text() == "xx", "a step whose result is missing runs again"


def test_a_record_names_the_machine(tmp_path):
    steps = Steps(tmp_path / "steps", jobs=2)
    steps.run_all([Step("one", ("-c", "pass"))])
    record = steps.record("one")
    assert "TensorFlow" in record["machine"] and record["jobs"] == 2


def trained(folder, checkpoint, name="a", f1=0.5):
    """A training that writes a checkpoint, logs that it ran, and has this F1."""
    code = f"open({str(folder / 'ran')!r}, 'a').write('train-{name} '); open({str(checkpoint)!r}, 'w').write('weights')"
    return Step(f"train-{name}", ("-c", code), product=checkpoint, measure=lambda: {"best_f1": f1})


def reading(folder, checkpoints, name):
    """A step that reads checkpoints, and logs that it ran."""
    paths = [str(path) for path in checkpoints.values()]
    code = f"[open(path) for path in {paths!r}]; open({str(folder / 'ran')!r}, 'a').write('{name} ')"
    return Step(name, ("-c", code), needs=tuple(f"train-{key}" for key in checkpoints))


def ran(folder):
    """The steps that ran since the last call."""
    names = (folder / "ran").read_text().split() if (folder / "ran").exists() else []
    (folder / "ran").unlink(missing_ok=True)
    return names


def test_a_missing_checkpoint_is_trained_again_if_a_step_needs_it(tmp_path, capsys):
    checkpoints = {name: tmp_path / f"{name}.h5" for name in "ab"}
    trainings = [trained(tmp_path, path, name) for name, path in checkpoints.items()]
    first = [*trainings, reading(tmp_path, {"a": checkpoints["a"]}, "dev-a")]
    Steps(tmp_path / "steps").run_all(first)
    assert ran(tmp_path) == ["train-a", "train-b", "dev-a"]
    for path in checkpoints.values():
        path.unlink()
    Steps(tmp_path / "steps").run_all(first)
    assert ran(tmp_path) == [], "no step needs the checkpoints"
    figure = reading(tmp_path, {"a": checkpoints["a"]}, "figure3")
    capsys.readouterr()
    Steps(tmp_path / "steps").run_all([*first, figure])
    assert ran(tmp_path) == ["train-a", "figure3"], "dev-a does not run again, because the F1 is the same"
    out = capsys.readouterr().out
    assert "3 of 4 steps already done, 2 to do" in out
    assert f"train-a: runs again, because {checkpoints['a']} is missing" in out
    ensemble = reading(tmp_path, checkpoints, "dev-ensemble")
    Steps(tmp_path / "steps").run_all([*first, figure, ensemble])
    assert ran(tmp_path) == ["train-b", "dev-ensemble"]


def test_steps_that_need_a_changed_step_run_again(tmp_path):
    checkpoints = {name: tmp_path / f"{name}.h5" for name in "ab"}
    others = [trained(tmp_path, checkpoints["b"], "b"), reading(tmp_path, {"a": checkpoints["a"]}, "dev-a")]
    others += [reading(tmp_path, checkpoints, "dev-ensemble")]
    Steps(tmp_path / "steps").run_all([trained(tmp_path, checkpoints["a"]), *others])
    assert ran(tmp_path) == ["train-a", "train-b", "dev-a", "dev-ensemble"]
    for path in checkpoints.values():
        path.unlink()
    figure = reading(tmp_path, {"a": checkpoints["a"]}, "figure3")
    Steps(tmp_path / "steps").run_all([trained(tmp_path, checkpoints["a"], f1=0.6), *others, figure])
    assert ran(tmp_path) == ["train-a", "train-b", "dev-a", "dev-ensemble", "figure3"]


def test_a_training_without_a_checkpoint_fails(tmp_path):
    steps = Steps(tmp_path / "steps")
    steps.run_all([Step("train-a", ("-c", "pass"), product=tmp_path / "best.h5")])
    assert steps.failures["train-a"].startswith(f"{tmp_path / 'best.h5'} is missing")


# Waits until another command has started, and writes its own times and how many threads TensorFlow may use.
MEETING_COMMAND = """
import json, os, pathlib, time
start = time.time()
pathlib.Path({path!r} + ".started").touch()
while {other!r} and not os.path.exists({other!r} + ".started") and time.time() < start + 60:
    time.sleep(0.05)
threads = [os.environ.get("TF_NUM_INTRAOP_THREADS"), os.environ.get("TF_NUM_INTEROP_THREADS")]
json.dump([start, time.time(), threads], open({path!r}, "w"))
"""


def meeting_step(folder, name, other="", needs=()):
    paths = {"path": str(folder / name), "other": other and str(folder / other)}
    return Step(name, ("-c", MEETING_COMMAND.format(**paths)), needs, folder / name)


def test_two_steps_run_at_a_time_after_those_that_they_need(tmp_path):
    steps = Steps(tmp_path / "steps", jobs=2)
    started = time.time()
    steps.run_all(
        [
            meeting_step(tmp_path, "train-a", "train-b"),
            meeting_step(tmp_path, "dev-a", needs=("train-a",)),
            meeting_step(tmp_path, "train-b", "train-a"),
            meeting_step(tmp_path, "train-c"),
            meeting_step(tmp_path, "dev-b", needs=("train-b", "train-c")),
        ]
    )
    assert not steps.failures
    times = {name: steps.figures(name) for name in ("train-a", "dev-a", "train-b", "train-c", "dev-b")}
    assert max(end for _, end, _ in times.values()) < started + 60, "train-a and train-b ran at the same time"
    for name, (start, _, _) in times.items():
        others = [other for key, other in times.items() if key != name]
        assert sum(other[0] <= start < other[1] for other in others) <= 1, "at most two run at a time"
    assert times["dev-a"][0] >= times["train-a"][1]
    assert times["dev-b"][0] >= max(times["train-b"][1], times["train-c"][1])
    threads = str(max(1, len(os.sched_getaffinity(0)) // 2))
    assert times["train-a"][2] == [threads, threads], "the cores are shared"


def test_the_processor_time_excludes_other_commands(tmp_path):
    busy = "import time\nwhile time.process_time() < 2: pass"
    steps = Steps(tmp_path / "steps", jobs=2)
    steps.run_all([Step("train-a", ("-c", busy)), Step("train-b", ("-c", "import time; time.sleep(2)"))])
    assert steps.record("train-a")["processor_seconds"] >= 2 > steps.record("train-b")["processor_seconds"]


def test_with_one_job_tensorflow_chooses_its_threads(tmp_path, monkeypatch):
    monkeypatch.delenv("TF_NUM_INTRAOP_THREADS")
    monkeypatch.delenv("TF_NUM_INTEROP_THREADS")
    steps = Steps(tmp_path / "steps")
    steps.run_all([meeting_step(tmp_path, "one")])
    assert steps.figures("one")[2] == [None, None]


SLEEPER = """
import signal, sys, time
def stop(*_):
    open({saved!r}, 'a').write('saved ')
    sys.exit(130)
for number in {signals}:
    signal.signal(number, stop)
open({started!r}, 'w').write('')
time.sleep(60)
"""

RUNNER = """
import sys, signal
from pathlib import Path
from paper.records import Step
from paper.steps import Steps
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
steps = [Step(name, ("-c", code)) for name, code in {codes!r}.items()]
Steps(Path({folder!r}), jobs=len(steps)).run_all(steps)
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_commands_can_save_and_their_time_counts(tmp_path, number, jobs):
    folder, names = tmp_path / "steps", ["train-x", "train-y"][:jobs]
    saved = {name: tmp_path / f"{name}.saved" for name in names}
    started = {name: tmp_path / f"{name}.started" for name in names}
    signals = [int(number)]  # in the background, SIGINT is ignored
    codes = {
        name: SLEEPER.format(saved=str(saved[name]), started=str(started[name]), signals=signals)
        for name in names
    }
    runner = RUNNER.format(folder=str(folder), codes=codes)
    process = subprocess.Popen(
        [sys.executable, "-c", runner], cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not all(path.exists() for path in started.values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # to the whole group, as a terminal does
    else:
        process.send_signal(number)
    assert process.wait(timeout=60) != 0
    assert [path.read_text() for path in saved.values()] == ["saved "] * jobs
    for name in names:
        record = json.loads((folder / f"{name}.json").read_text())
        assert not record["done"] and record["seconds"] > 0
        # The step resumes, and its times add up.
        resumed = Steps(folder)
        resumed.run_all([Step(name, ("-c", "import time; time.sleep(0.5)"))])
        assert resumed.record(name)["done"] and resumed.record(name)["seconds"] > record["seconds"]


def test_the_time_of_an_earlier_attempt_counts_if_its_checkpoints_are_here(tmp_path):
    checkpoint = tmp_path / "logs" / "a" / "best.h5"
    step = Step("train-a", ("-c", "import sys; sys.exit(1)"), product=checkpoint)
    steps = Steps(tmp_path / "steps")
    steps.run_all([step])
    for continued in (False, True):
        write_json(tmp_path / "steps" / "train-a.json", steps.record("train-a") | {"seconds": 1e6})
        Steps(tmp_path / "steps").run_all([step])
        assert (steps.record("train-a")["seconds"] > 1e6) == continued
        checkpoint.parent.mkdir(
            parents=True, exist_ok=True
        )  # as if the attempt had been made on this machine


def test_durations_are_readable():
    assert [duration(seconds) for seconds in (0.4, 59.6, 61, 3725)] == [
        "0 s",
        "1 min 0 s",
        "1 min 1 s",
        "1 h 2 min",
    ]
