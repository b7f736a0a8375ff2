"""A minute of eight clients, with the memory of the server watched. Slow."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from http_client import Client

from coref_tf.inference.memory import format_size

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS, CLIENTS, SETTLED = 60, 8, 10


def resident_bytes(process: int) -> int:
    """How much memory a process has."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def put_under_load(folder: Path) -> tuple[dict, list[int]]:
    """What the clients of a server of the folder saw, and its memory after 10 seconds and at the end."""
    command = [sys.executable, "-m", "coref_tf", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().split(":")[2].split("/")[0]
            script = Path(__file__).with_name("load_clients.py")
            command = [sys.executable, str(script), port, str(SECONDS), str(CLIENTS)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as clients:
                assert clients.stdout.readline() == "begun\n"
                time.sleep(SETTLED)
                memory = [resident_bytes(server.pid)]
                summary = json.loads(clients.stdout.readline())
                memory.append(resident_bytes(server.pid))
            assert Client(int(port)).get("/healthz").content["requests"] == 0
        finally:
            server.terminate()
        assert server.wait() == 0
    return summary, memory


@pytest.mark.slow
def test_no_valid_request_fails_and_memory_stays_flat(small_export, capsys):
    summary, memory = put_under_load(small_export)
    with capsys.disabled():
        print(report(summary, memory))
    assert summary["failures"] == {}
    assert all(kind["requests"] > 100 for kind in summary["kinds"].values())
    assert memory[1] < 1.1 * memory[0]


def report(summary: dict, memory: list[int]) -> str:
    """The figures for people to read."""
    lines = [""]
    for kind, figures in summary["kinds"].items():
        latencies = ", ".join(f"p{name} {value:.0f}" for name, value in figures["milliseconds"].items())
        lines.append(f"{kind:10} {figures['requests']:6} requests, milliseconds: {latencies}")
    for failure, count in summary["failures"].items():
        lines.append(f"failed {count} times: {failure}")
    lines.append(f"memory: {format_size(memory[0])} after {SETTLED} s, {format_size(memory[1])} at the end")
    return "\n".join(lines)


if __name__ == "__main__":  # python tests/serving/test_serving_load.py DIR
    print(report(*put_under_load(Path(sys.argv[1]))))
