"""train.py as a user runs it: killed, interrupted, resumed, on damaged checkpoints and on several workers."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import call
from random_documents import REFERENCE

from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.support.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["small", "--conf", str(REFERENCE / "experiments.conf"), "report_frequency=1", "eval_frequency=10"]


def start(log_root, *options, env=None):
    command = [sys.executable, "train.py", *SMALL, f"log_root={log_root}", *options]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | (env or {}),
    )


def train(log_root, *options):
    process = start(log_root, *options)
    output, _ = process.communicate(timeout=300)
    return process.returncode, output


def losses(output):
    """Returns the printed losses by step."""
    return {
        int(step): float(loss)
        for step, loss in re.findall(r"^step (\d+): loss ([\d.]+)", output, re.MULTILINE)
    }


def read_until(process, step):
    """Returns the output of the process up to the line of that step."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith(f"step {step}:"):
            break
    return "".join(lines)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    code, output = train(folder, "--max-steps", "40", "checkpoint_frequency=3")
    assert code == 0, output
    return folder, output


def test_a_run_ends_in_a_best_model_and_a_table(uninterrupted):
    folder, output = uninterrupted
    assert sorted(losses(output)) == list(range(1, 41))
    assert len(re.findall(r"dev average F1", output)) == 4
    assert "best model: step" in output and "Avg." in output and "mention recall" in output
    assert {file.name for file in (folder / "small").iterdir()} == {
        "best.h5",
        "latest.h5",
        "previous.h5",
        "tensorboard",
    }
    assert "experiment small, corpus" in output


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_killed_run_resumes_with_the_same_losses(uninterrupted, times, tmp_path):
    moments = sorted(random.Random(times).sample(range(4, 39), times))
    together = {}
    for moment in moments:
        process = start(tmp_path, "--max-steps", "40", "checkpoint_frequency=3")
        output = read_until(process, moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert max(losses(output)) >= moment, output
        together |= losses(output)
    code, output = train(tmp_path, "--max-steps", "40", "checkpoint_frequency=3")
    assert code == 0, output
    assert min(losses(output)) > moments[-1] - 4, "the run did not resume from the last checkpoint"
    together |= losses(output)
    whole = losses(uninterrupted[1])
    assert together.keys() == whole.keys()
    np.testing.assert_allclose([together[step] for step in whole], [whole[step] for step in whole], rtol=1e-4)
    best = [re.search(r"best model: step (\d+)", text)[1] for text in (output, uninterrupted[1])]
    assert best[0] == best[1]


def test_an_interrupted_run_saves_a_checkpoint_and_says_how_to_resume(tmp_path):
    process = start(tmp_path, "--max-steps", "400", "checkpoint_frequency=100", "eval_frequency=100")
    read_until(process, 5)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert process.returncode == 130, rest
    stopped = re.search(r"stopped at step (\d+); `(python train.py small .*)` resumes from there", rest)
    assert stopped and "Traceback" not in rest
    # The same command resumes from this checkpoint, as it does after a kill.
    assert read_checkpoint(tmp_path / "small" / "latest.h5").state["run"]["step"] == int(stopped[1]) >= 5


def test_a_finished_run_is_not_trained_again(uninterrupted, capsys):
    folder, before = uninterrupted
    assert not call("train", *SMALL, f"log_root={folder}", "--max-steps", 40, "checkpoint_frequency=3")
    output = capsys.readouterr().out
    assert "best model" in output and not losses(output)
    assert re.search(r"best model: step (\d+)", output)[1] == re.search(r"best model: step (\d+)", before)[1]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


MIRRORED = """
import sys
import tensorflow as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
from coref_tf.commands.main import run
from coref_tf.training import strategies
strategies.make_strategy = lambda name: tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
run("train")
"""


@pytest.mark.slow
def test_two_workers_have_the_losses_of_one_process_with_both_documents(tmp_path):
    options = ["--max-steps", "20", "eval_frequency=20", f"train_path={tmp_path / 'docs.jsonlines'}"]
    records = (REFERENCE / "docs.jsonlines").read_text().splitlines()[:3]
    (tmp_path / "docs.jsonlines").write_text("\n".join([*records, records[0]]) + "\n")
    one = subprocess.run(
        [sys.executable, "-c", MIRRORED, *SMALL, f"log_root={tmp_path / 'one'}", *options],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert one.returncode == 0, one.stderr
    workers = [f"127.0.0.1:{port}" for port in free_ports(2)]
    processes = [
        start(
            tmp_path / "two", "--strategy", "multi_worker", *options,
            env={"TF_CONFIG": json.dumps({"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}})},
        )
        for index in range(2)
    ]  # fmt: skip
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    whole, chief = losses(one.stdout), losses(outputs[0])
    assert len(whole) == len(chief) == 20 and not losses(outputs[1])
    np.testing.assert_allclose(list(chief.values()), list(whole.values()), rtol=1e-4)


def test_a_missing_package_is_reported_first(monkeypatch, capsys):
    monkeypatch.setitem(EXTRAS, "train", ("nosuch",))
    assert call("train", "nosuch") == 1
    assert capsys.readouterr().err == "error: training needs the package nosuch; run `make`\n"
    assert call("finetune", "nosuch") == 1
    assert capsys.readouterr() == ("", "error: fine-tuning needs the package nosuch; run `make`\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["lstm_sise=3"], "unknown key lstm_sise (did you mean lstm_size?)"),
        (["lstm_size"], "'lstm_size' is not a setting; expected key=value"),
        (["train_path=none.jsonlines"], "none.jsonlines"),
        (["--strategy", "multi_worker"], "TF_CONFIG must list the machines to train on"),
    ],
)
def test_errors_are_one_line(tmp_path, options, message, capsys):
    assert call("train", *SMALL, f"log_root={tmp_path}", *options) == 1
    out, err = capsys.readouterr()
    errors = [line for line in (out + err).splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and message in errors[0], err
    assert "Traceback" not in out + err
