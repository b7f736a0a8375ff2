"""A minute of eight clients, with abuse and a broken export beside them and the server's memory watched. Slow."""

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from http_client import Client
from running_server import until
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from coref_tf.inference.memory import format_size

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS, CLIENTS = 60, 8
BROKEN_AFTER, GOOD_AFTER = 15, 30

# Bodies that arrive and wait, two that are parsed, and the documents of the clients.
MOST_GROWTH = 1000 * 2**20


def resident_bytes(process: int) -> int:
    """How much memory a process has."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024


def export_again(folder: Path) -> None:
    """Version 2 has an input of no type, version 3 is as version 1; a thread's work."""
    time.sleep(BROKEN_AFTER)
    shutil.copytree(folder / "1", folder / ".new")
    path = folder / ".new" / "saved_model.pb"
    saved_model = SavedModel.FromString(path.read_bytes())
    saved_model.meta_graphs[0].signature_def["text"].inputs["text"].dtype = 0
    path.write_bytes(saved_model.SerializeToString())
    (folder / ".new").rename(folder / "2")
    time.sleep(GOOD_AFTER - BROKEN_AFTER)
    shutil.copytree(folder / "1", folder / ".new")
    (folder / ".new").rename(folder / "3")


def script(name: str, *arguments: object) -> subprocess.Popen:
    """One of the scripts here, once it has begun."""
    command = [sys.executable, str(Path(__file__).with_name(name)), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    return process


def put_under_load(folder: Path) -> tuple[dict, dict, list[int]]:
    """What the clients of a server of the folder saw, what the others did, and its memory all along."""
    command = [sys.executable, "-m", "coref_tf", "serve", str(folder), "--port", "0", "--poll", "0.5"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = server.stdout.readline().split(":")[2].split("/")[0]
            client = Client(int(port))
            client.text("Ana said she was late.")
            memory = [resident_bytes(server.pid)]
            # First the clients, who ask for the right answers before they begin.
            scripts = [
                script("load_clients.py", port, SECONDS, CLIENTS),
                script("abuse_clients.py", port, SECONDS),
            ]
            threading.Thread(target=export_again, args=[folder]).start()
            while any(process.poll() is None for process in scripts):
                memory.append(resident_bytes(server.pid))
                time.sleep(0.25)
            summary, abuse = (json.loads(process.stdout.read()) for process in scripts)
            check_health(client)
        finally:
            server.terminate()
        assert server.wait(60) == 0
    return summary, abuse, memory


def check_health(client: Client) -> None:
    """The service is well: nothing is left over, and the good version answers."""
    until(lambda: client.get("/healthz").content["requests"] == 0, seconds=120)
    until(lambda: client.get("/healthz").content["version"] == 3, seconds=300)  # however busy the machine is
    content = client.get("/healthz").content
    assert (content["status"], content["stuck"]) == ("ok", 0)
    status = client.get("/v1/models/coref").content["model_version_status"]
    assert [version["state"] for version in status] == ["AVAILABLE", "END", "END"]
    assert client.text("Ana said she was late.").status == 200


@pytest.mark.slow
def test_a_minute_of_load_and_abuse(small_export, tmp_path, capsys):
    shutil.copytree(small_export, tmp_path / "models")
    summary, abuse, memory = put_under_load(tmp_path / "models")
    with capsys.disabled():
        print(report(summary, abuse, memory))
    assert summary["failures"] == {}
    assert summary["kinds"]["valid"]["requests"] > 100
    assert min(abuse["begun"].values()) > 0 and abuse["begun"]["silent"] >= 1100
    answered = {status for statuses in abuse["statuses"].values() for status in statuses}
    assert answered <= {"closed", "400", "408", "413", "503", "504", "200"}
    assert max(memory) < memory[0] + MOST_GROWTH


def report(summary: dict, abuse: dict, memory: list[int]) -> str:
    """The figures for people to read."""
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
