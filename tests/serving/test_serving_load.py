"""A server under load: memory during a minute of abuse, and the latency of short requests beside long ones."""

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_client import Client
from running_server import until

from coref_tf.inference.memory import format_size

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS, CLIENTS = 60, 8
LONG_CLIENTS, MOST_SECONDS = 6, 10.0

# Enough for bodies that are arriving or waiting, two that are being parsed, and the clients' documents.
MOST_GROWTH = 1000 * 2**20


def resident_bytes(process: int) -> int:
    """The resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def script(name: str, *arguments: object) -> subprocess.Popen:
    """Starts one of the scripts in this folder and waits until it has begun."""
    command = [sys.executable, str(Path(__file__).with_name(name)), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests")}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


@contextlib.contextmanager
def serving(*arguments: object) -> Iterator[tuple[Client, int]]:
    """Runs `coref serve` on a free port; yields a client and the process id."""
    command = [sys.executable, "-m", "coref_tf", "serve", *map(str, arguments), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield Client(int(server.stdout.readline().rsplit(":")[-1]), timeout=300), server.pid
        finally:
            server.terminate()
        assert server.wait(60) == 0


@pytest.mark.slow
def test_a_minute_of_load_and_abuse(small_export, capsys):
    with serving(small_export) as (client, process):
        client.text("Ana said she was late.")
        memory = [resident_bytes(process)]
        # The load clients start first, because they record the expected answers before they begin.
        scripts = [
            script("load_clients.py", client.port, SECONDS, CLIENTS),
            script("abuse_clients.py", client.port, SECONDS),
        ]
        while any(each.poll() is None for each in scripts):
            memory.append(resident_bytes(process))
            time.sleep(0.25)
        summary, abuse = (json.loads(each.stdout.read()) for each in scripts)
        until(lambda: client.get("/healthz").content["requests"] == 0, seconds=120)
        assert client.text("Ana said she was late.").status == 200
    with capsys.disabled():
        print(report(summary, abuse, memory))
    assert summary["failures"] == {}
    assert summary["kinds"]["valid"]["requests"] > 100
    assert min(abuse["begun"].values()) > 0 and abuse["begun"]["silent"] >= 1100
    answered = {status for statuses in abuse["statuses"].values() for status in statuses}
    assert answered <= {"closed", "400", "413", "503", "504", "200"}
    assert max(memory) < memory[0] + MOST_GROWTH


@pytest.mark.slow
def test_short_requests_beside_long_ones_are_answered_quickly(capsys):
    """Beside six clients with documents of 5,000 words, every short request is answered within 10 seconds."""
    text = (ROOT / "docs" / "story.txt").read_text(encoding="utf-8")
    long = " ".join(itertools.islice(itertools.cycle(text.split()), 5_000))
    seconds, statuses = [], []
    with serving("english", "--timeout", 600) as (client, _):
        client.text("Ana said she was late.")
        until(lambda: client.text("Ana said she was late.").status == 200)
        threads = [
            threading.Thread(target=lambda: statuses.append(client.text(long).status))
            for _ in range(LONG_CLIENTS)
        ]
        for thread in threads:
            thread.start()
        until(lambda: client.get("/healthz").content["requests"] == LONG_CLIENTS)
        while any(thread.is_alive() for thread in threads):
            began = time.monotonic()
            assert client.text("Ana said she was late.").status == 200
            seconds.append(time.monotonic() - began)
            time.sleep(0.5)
    with capsys.disabled():
        mean = sum(seconds) / len(seconds)
        print(f"\n{len(seconds)} short requests: {max(seconds):.2f} s at most, {mean:.2f} s on average")
    assert statuses == [200] * LONG_CLIENTS
    assert len(seconds) > LONG_CLIENTS and max(seconds) < MOST_SECONDS


def report(summary: dict, abuse: dict, memory: list[int]) -> str:
    """The figures as readable text."""
    lines = [""]
    for kind, figures in summary["kinds"].items():
        latencies = ", ".join(f"p{name} {value:.0f}" for name, value in figures["milliseconds"].items())
        lines.append(f"{kind:10} {figures['requests']:6} requests, milliseconds: {latencies}")
    for failure, count in summary["failures"].items():
        lines.append(f"failed {count} times: {failure}")
    for kind, count in abuse["begun"].items():
        lines.append(f"{kind:16} {count:6} times: {abuse['statuses'].get(kind, {})}")
    first, most, last = (format_size(size) for size in (memory[0], max(memory), memory[-1]))
    lines.append(f"memory: {first} before, {most} at most, {last} at the end")
    return "\n".join(lines)
