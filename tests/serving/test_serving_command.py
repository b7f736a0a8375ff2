"""`coref serve`, run as a process."""

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
from raw_client import connections, read_all, text_request
from running_server import until

from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.support.extras import EXTRAS

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def start():
    """A function that starts the command; processes that still run at the end of the test are killed."""
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


def wait_for_client(process) -> Client:
    line = process.stdout.readline()
    match = re.fullmatch(r"serving on http://127\.0\.0\.1:([0-9]+)\n", line)
    assert match, line + process.stderr.read()
    return Client(int(match[1]))


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_server_finishes_running_requests(small_experiment, start, stop, tmp_path):
    """Serves a checkpoint; after a signal, the server answers the running request and accepts no new ones."""
    (tmp_path / "a.txt").write_text("Ana left.\n")
    options = ["--port", 0, "--allowed-host", "coref.example", "--annotate", tmp_path]
    process = start(best_checkpoint_path(small_experiment), *options)
    client = wait_for_client(process)
    assert process.stdout.readline() == f"annotation page: http://127.0.0.1:{client.port}/annotate\n"
    answer = client.resolve(text="Ana said she was late.")
    assert answer.status == 200 and answer.content["document"]["words"][0] == "Ana"
    assert client.send("GET", "/healthz", Host="coref.example").status == 200
    assert client.send("GET", "/healthz", Host="other.example").status == 421

    answers = []
    body = {"signature_name": "text", "instances": ["Ana said she was late. " * 20] * 20}
    asking = threading.Thread(target=lambda: answers.append(client.predict(**body)))
    asking.start()
    until(lambda: client.get("/healthz").content["requests"] == 1)
    process.send_signal(stop)
    asking.join()
    assert answers[0].status == 200 and len(answers[0].content["predictions"]) == 20
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (0, "")
    path = best_checkpoint_path(small_experiment)
    name = small_experiment.name
    assert stderr.splitlines() == [
        f"[1/4] opening {path} ...",
        "[2/4] importing TensorFlow ...",
        f"[3/4] building {name} ...",
        f"[4/4] trying {name} on a sentence ...",
    ]
    with pytest.raises(ConnectionRefusedError):
        client.get("/healthz")


def test_without_grace_the_server_stops_at_once(small_export, start):
    """Serves an export without the page; after a signal, the server doesn't wait for the running request."""
    process = start(small_export, "--port", 0, "--grace", 0, "--no-page")
    client = wait_for_client(process)
    assert client.get("/").status == client.send("POST", "/resolve", b"{}").status == 404
    with connections(client.port, 1, text_request(*["Ana said she was late. " * 20] * 140)) as (line,):
        until(lambda: client.get("/healthz").content["requests"] == 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        assert read_all(line) == b""


def failure(capsys, *arguments) -> str:
    """Runs the command, which must fail, and returns its one-line error."""
    code = call("serve", *arguments)
    captured = capsys.readouterr()
    assert code not in (0, None) and not captured.out
    *before, line = captured.err.splitlines()
    assert not before or before[0].startswith("[1/4] opening ")
    return line


def test_paths_without_a_model_are_one_line_errors(tmp_path, capsys):
    expected = "expected an export: folders named 1, 2, ... with a saved_model.pb each"
    missing, empty, other, file = (tmp_path / name for name in ("missing", "empty", "other", "file"))
    empty.mkdir()
    (other / "one").mkdir(parents=True)
    file.touch()
    assert failure(capsys, missing).startswith(f"error: {missing}: no such file")
    assert failure(capsys, file, "--port", 0).startswith(f"error: {file}: ")
    assert failure(capsys, empty) == f"error: {empty} is empty; {expected}"
    assert failure(capsys, other) == f"error: {other} contains no model versions; {expected}"


def test_a_damaged_export_is_a_one_line_error(small_export, tmp_path, start):
    shutil.copytree(small_export, tmp_path / "export")
    shutil.rmtree(tmp_path / "export" / "1" / "variables")
    stdout, stderr = start(tmp_path / "export", "--port", 0).communicate(timeout=120)
    assert stdout == "" and stderr.splitlines()[-1].startswith(
        f"error: {tmp_path / 'export' / '1'} can't be loaded: "
    )


def test_a_missing_package_is_a_one_line_error(monkeypatch, capsys):
    monkeypatch.setitem(EXTRAS, "serving", ("nosuch",))
    monkeypatch.setattr("coref_tf.support.extras.is_checkout", lambda: False)
    expected = "error: `coref serve` needs the package nosuch; run `pip install 'coref_tf[serving]'`"
    assert failure(capsys) == expected


def test_an_unavailable_address_is_a_one_line_error(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = failure(capsys, "--port", port)
    assert line == (
        f"error: cannot listen on 127.0.0.1, port {port}: Address already in use; choose another --port or --host"
    )
    assert "cannot listen on nowhere.invalid" in failure(capsys, "--host", "nowhere.invalid")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--port", "65536", "'65536'; expected an integer from 0 to 65535"),
        ("--parallel", "0", "'0'; expected an integer of at least 1"),
        ("--queue", "301", "'301'; expected an integer from 0 to 300"),
        ("--timeout", "nan", "'nan'; expected a number of at least 0.001"),
        ("--max-body", "much", "expected an amount of memory such as 2GB or 800MB. Received: 'much'"),
        ("--name", "a/b", "'a/b'; expected a name without"),
    ],
)
def test_invalid_options_are_one_line_errors(capsys, option, value, message):
    assert f"argument {option}: {message}" in failure(capsys, option, value)


def test_the_help_lists_all_options_with_defaults(capsys):
    assert call("serve", "--help") == 0
    text = capsys.readouterr().out
    options = {
        "port",
        "host",
        "name",
        "max-body",
        "max-words",
        "timeout",
        "read-timeout",
        "parallel",
        "queue",
        "grace",
    }
    assert set(re.findall(r"^  --([a-z-]+) ", text, re.MULTILINE)) == options | {
        "conf",
        "no-page",
        "annotate",
        "allowed-host",
        "verbose",
    }
    assert text.count("(default:") == len(options) + 2  # the options, the model and --conf


def test_a_folder_without_texts_to_annotate_is_a_one_line_error(tmp_path, capsys):
    missing = tmp_path / "missing"
    expected = f"error: {missing}: no such folder; expected one with texts to annotate"
    assert failure(capsys, "--annotate", missing) == expected
    assert "contains no texts; expected files such as" in failure(capsys, "--annotate", tmp_path)
