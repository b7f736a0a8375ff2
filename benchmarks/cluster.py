"""Runs a standalone Spark cluster on this machine, with one process per node, from the jars that PySpark ships."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

HOST = "127.0.0.1"
_SECONDS = 120  # the timeout for all workers to register
_EXECUTOR = "CoarseGrainedExecutorBackend"


class Cluster(NamedTuple):
    """A running cluster.

    Args:
        url: The URL of the master.
        workers: The process IDs of the workers, which start the executors, which in turn start Python.
    """

    url: str
    workers: list[int]

    def properties(self) -> dict[str, str]:
        """Returns the properties of a session whose executors run this Python and this package."""
        return {
            "spark.pyspark.python": sys.executable,
            "spark.executorEnv.PYTHONPATH": str(ROOT),
            "spark.driver.host": HOST,
            "spark.driver.bindAddress": HOST,
            "spark.ui.enabled": "false",
            "spark.executor.memory": "1g",
        }

    def executors(self, worker: int) -> list[int]:
        """Returns the process ids of a worker's executors."""
        return [pid for pid in _children().get(self.workers[worker], []) if _EXECUTOR in _command(pid)]

    def python_peaks(self) -> list[int]:
        """Returns the peak memory of each Python process of the executors, in bytes."""
        children = _children()
        found, left = [], list(self.workers)
        while left:
            pid = left.pop()
            left += children.get(pid, [])
            if "pyspark.daemon" in _command(pid):
                found.append(pid)
        return [peak for peak in map(_peak, found) if peak]


@contextlib.contextmanager
def cluster(folder: Path, workers: int, pinned: bool = False) -> Iterator[Cluster]:
    """Runs a master and workers of one core each until the block ends.

    Args:
        folder: The folder for their files.
        workers: The number of workers.
        pinned: Whether to pin each worker, with all its child processes, to a core of its own.
    """
    import pyspark

    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port, page = _free_port(), _free_port()
    url = f"spark://{HOST}:{port}"
    master = ["deploy.master.Master", "--host", HOST, "--port", str(port), "--webui-port", str(page)]
    worker = ["deploy.worker.Worker", "--host", HOST, "--cores", "1", "--memory", "4g", "--webui-port", "0"]
    worker += ["--work-dir", str(folder / "work"), url]
    environment = os.environ | {"SPARK_LOCAL_IP": HOST, "SPARK_LOCAL_DIRS": str(folder / "local")}
    processes: list[subprocess.Popen] = []
    try:
        for number, (name, *options) in enumerate([master, *[worker] * workers]):
            with open(folder / f"{number}.log", "wb") as log:
                command = [str(spark_class), f"org.apache.spark.{name}", *options]
                process = subprocess.Popen(
                    command, stdout=log, stderr=log, env=environment, start_new_session=True
                )
            processes.append(process)
            if pinned and number:
                os.sched_setaffinity(process.pid, {sorted(os.sched_getaffinity(0))[number - 1]})
        _wait(f"http://{HOST}:{page}/json/", workers, processes, folder)
        yield Cluster(url, [process.pid for process in processes[1:]])
    finally:
        for process in processes:
            _end(process)


def _wait(page: str, workers: int, processes: list[subprocess.Popen], folder: Path) -> None:
    ends = time.monotonic() + _SECONDS
    while time.monotonic() < ends:
        for number, process in enumerate(processes):
            if process.poll() is not None:
                log = (folder / f"{number}.log").read_text(encoding="utf-8", errors="replace").splitlines()
                raise CorefError(f"a process of the cluster ended: {log[-1] if log else 'no output'}")
        with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(page, timeout=5) as answer:
            if json.load(answer)["aliveworkers"] == workers:
                return
        time.sleep(0.2)
    raise CorefError(
        f"the workers of the cluster did not register within {_SECONDS} seconds; see the logs in {folder}"
    )


def _end(process: subprocess.Popen) -> None:
    """Terminates a process and its children."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


def _children() -> dict[int, list[int]]:
    """Returns the child processes of each process."""
    found: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name of the program ends at the last bracket, and may contain anything.
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found.setdefault(parent, []).append(int(folder.name))
    return found


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _peak(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 2**10
    return 0
