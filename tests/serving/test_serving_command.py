"""`coref serve` as its users run it."""

import importlib.util
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from command import call
from http_client import Client
from running_server import until

from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.serving import served_folder

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def start():
    """Starts the command; whatever still runs at the end is ended."""
    processes = []

    def started(*arguments):
        command = [sys.executable, "-m", "coref_tf", "serve", *map(str, arguments)]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        processes.append(process)
        return process

    yield started
    for process in processes:
        process.kill()
        process.communicate()


def listening(process) -> Client:
    line = process.stdout.readline()
    address = r"http://127\.0\.0\.1:([0-9]+)/"
    match = re.fullmatch(rf"listening on {address}v1/models/coref(; the page is at {address})?\n", line)
    assert match, line + process.stderr.read()
    return Client(int(match[1]))


def test_from_the_start_to_the_end(folder, tiny_models, start):
    """A new version on the way; told to stop, it finishes what is under way and refuses what is new."""
    process = start(folder, "--port", 0, "--poll", 0.1, "--timeout", 2)
    client = listening(process)
    assert client.get("/healthz").content["version"] == 1
    shutil.copytree(tiny_models / "2", folder / "2")
    until(lambda: client.get("/healthz").content["version"] == 2)
    assert client.text("Ana").content["outputs"]["mention_scores"] == [0.2]

    answers = []
    slow = threading.Thread(target=lambda: answers.append(client.text("slow 1000000000")))
    slow.start()
    until(lambda: client.get("/healthz").content["requests"] == 1)
    process.send_signal(signal.SIGTERM)
    slow.join()
    assert answers[0].status == 504
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 0, stderr
    assert stdout == ""
    assert [line.split(",")[0] for line in stderr.splitlines()] == [
        "version 1 is served",
        "version 2 is served",
    ]
    with pytest.raises(ConnectionRefusedError):
        client.get("/healthz")


def test_a_second_of_grace(folder, start):
    """Longer than that nothing is waited for."""
    process = start(folder, "--port", 0, "--grace", 0.5, "--timeout", 300, "--no-page")
    client = listening(process)
    assert client.get("/").status == client.send("POST", "/resolve", b"{}").status == 404
    answers = []
    slow = threading.Thread(target=lambda: answers.append(client.text("slow 1000000000")))
    slow.start()
    until(lambda: client.get("/healthz").content["requests"] == 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    slow.join()
    assert (answers[0].status, answers[0].error) == (503, "the server is stopping")


def failure(capsys, *arguments) -> str:
    """The one line that the command prints before it fails."""
    code = call("serve", *arguments)
    captured = capsys.readouterr()
    assert code not in (0, None) and not captured.out
    *usage, line = captured.err.splitlines()
    assert not usage or usage[0].startswith("usage: coref serve")
    return line


def test_folders_without_a_model(tmp_path, folder, capsys):
    expected = "expected an export: folders named 1, 2, ... with a saved_model.pb each"
    missing, empty, other, file = (tmp_path / name for name in ("missing", "empty", "other", "file"))
    empty.mkdir()
    (other / "one").mkdir(parents=True)
    file.touch()
    neither = "neither an experiment nor a checkpoint or exported folder"
    assert failure(capsys, missing).startswith(f"error: {missing}: {neither}")
    assert failure(capsys, file, "--port", 0).startswith(f"error: {file}: ")
    assert failure(capsys, empty) == f"error: {empty} is empty; {expected}"
    assert failure(capsys, other) == f"error: {other} holds no version of a model; {expected}"
    assert failure(capsys, folder / "1").startswith(f"error: {folder / '1'} is itself a SavedModel;")


def test_a_model_that_can_not_be_loaded(folder, capsys):
    shutil.rmtree(folder / "1" / "variables")
    assert failure(capsys, folder, "--port", 0).startswith(f"error: {folder / '1'} can't be loaded: ")


def test_a_package_that_only_the_server_needs(folder, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    expected = "error: the server needs tornado; run `pip install coref_tf[serving]`"
    assert failure(capsys, folder) == expected


def test_connections_that_can_not_be(folder, capsys):
    line = failure(capsys, folder, "--parallel", 2, "--queue", 8, "--connections", 10)
    assert line == "error: --connections is 10; expected more than the 10 requests of --parallel and --queue"
    line = failure(capsys, folder, "--port", 0, "--connections", 10**9)
    assert (
        "1000000000 connections need 1000000256 open files, and " in line and "; pass --connections " in line
    )


def test_an_address_that_is_taken_or_not_ours(folder, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = failure(capsys, folder, "--port", port)
    assert line == (
        f"error: can't listen at 127.0.0.1, port {port}: Address already in use; pass another --port or --host"
    )
    assert "can't listen at nowhere.invalid" in failure(capsys, folder, "--host", "nowhere.invalid")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--port", "65536", "'65536'; expected a whole number from 0 to 65535"),
        ("--parallel", "0", "'0'; expected a whole number from 1 on"),
        ("--timeout", "nan", "'nan'; expected a number from 0.001 on"),
        ("--max-body", "much", "expected an amount of memory such as 2GB or 800MB. Received: 'much'"),
        ("--name", "a/b", "'a/b'; expected a name without"),
    ],
)
def test_options_that_make_no_sense(folder, capsys, option, value, message):
    assert f"argument {option}: {message}" in failure(capsys, folder, option, value)


def test_the_help_says_everything(capsys):
    assert call("serve", "--help") == 0
    text = capsys.readouterr().out
    options = {
        "port",
        "host",
        "name",
        "max-body",
        "max-words",
        "max-documents",
        "timeout",
        "read-timeout",
        "parallel",
        "queue",
        "connections",
        "poll",
        "grace",
    }
    assert set(re.findall(r"^  --([a-z-]+) ", text, re.MULTILINE)) == options | {"conf", "no-page"}
    assert text.count("(default:") == len(options)


def test_a_model_is_exported_for_as_long_as_it_is_loaded(small_experiment, folder, monkeypatch, capsys):
    checkpoint, asked = best_checkpoint_path(small_experiment), []

    def export(experiments, new, options, path):
        asked.append(([experiment.name for experiment in experiments], path))
        shutil.copytree(folder / "1", new / "1")

    monkeypatch.setattr(served_folder, "export", export)
    for model in (checkpoint, small_experiment):
        with served_folder.served_folder(model) as made:
            assert [path.name for path in made.iterdir()] == ["1"]
        assert not made.exists()
    assert asked == [(["small"], checkpoint), (["small"], None)]
    said = "small is no export: it is made one, for this server alone"
    assert capsys.readouterr().err.splitlines() == [said, said]
    with served_folder.served_folder(folder) as made:
        assert made == folder
    assert folder.exists() and len(asked) == 2


@pytest.mark.slow
def test_a_checkpoint_is_exported_for_the_server(small_experiment, start, monkeypatch, tmp_path):
    """Into a folder that is gone by the time it is served; what is typed into the page is resolved."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = start(best_checkpoint_path(small_experiment), "--port", 0)
    client = listening(process)
    answer = client.send("POST", "/resolve", b'{"text": "Ana said she was late."}')
    assert answer.status == 200 and answer.content["document"]["words"][0] == "Ana"
    assert not list(tmp_path.glob("coref-serve-*"))
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=20)
    first, second = stderr.splitlines()
    assert first == "small is no export: it is made one, for this server alone" and "version 1" in second
