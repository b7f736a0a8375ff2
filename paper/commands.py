"""Runs Python commands, several at a time, and stops them so that they can save their state."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from coref_tf.support.environment import ROOT

INTERRUPTED = 130  # the exit code of an interrupted command


class Usage(NamedTuple):
    """The exit code of a command, and the processor time that it used."""

    code: int
    processor_seconds: float


class Commands:
    """Runs commands in the checkout; `run` may be called from several threads.

    Args:
        threads: The number of threads that TensorFlow may use in a command; None leaves it to TensorFlow.
    """

    def __init__(self, threads: int | None = None):
        self.environment = os.environ | {"PYTHONUNBUFFERED": "1"}  # so that logs are up to date
        if threads is not None:
            names = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
            self.environment |= dict.fromkeys(names, str(threads))
        self._lock = threading.Lock()
        self._stopped = False
        self._running: set[int] = set()  # process ids

    def run(self, arguments: Sequence[str], log: Path) -> Usage:
        """Runs Python with these arguments, and appends its output to a file."""
        with log.open("a", encoding="utf-8") as output:
            with self._lock:  # so that no command starts after the others have been stopped
                if self._stopped:
                    return Usage(INTERRUPTED, 0.0)
                process = subprocess.Popen(
                    [sys.executable, *arguments],
                    cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, env=self.environment,
                )  # fmt: skip
                self._running.add(process.pid)
            # Unlike Popen.wait, this returns the processor time of this command alone.
            _, status, usage = os.wait4(process.pid, 0)
            with self._lock:
                self._running.discard(process.pid)
            process.returncode = os.waitstatus_to_exitcode(status)
        return Usage(process.returncode, usage.ru_utime + usage.ru_stime)

    def stop(self, forward: bool) -> None:
        """Starts no more commands; with `forward`, also stops the running ones so that they save their state.

        Commands treat SIGTERM like Ctrl-C. SIGINT would not stop them in a background job of a shell, which ignores it.
        """
        with self._lock:
            self._stopped = True
            for process in self._running if forward else ():
                os.kill(process, signal.SIGTERM)
