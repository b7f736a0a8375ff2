"""Long-running steps: each runs once, is recorded and then skipped, and resumes if it was interrupted."""

import dataclasses
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coref_tf.support.environment import ROOT
from coref_tf.support.files import write_json

INTERRUPTED = 130  # the exit code of an interrupted command


@dataclasses.dataclass(frozen=True)
class Step:
    """One command, and the file that it writes.

    Args:
        name: The name of the step and of its files.
        command: The arguments of Python.
        needs: The steps that must precede it.
        result: The JSON file that the command writes, if it writes one.
        impossible: The reason why it cannot be done here; empty if it can.
    """

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    result: Path | None = None
    impossible: str = ""

    @property
    def command_line(self) -> str:
        """The command line, as a user would type it."""
        return shlex.join(["python", *self.command])

    @property
    def kind(self) -> str:
        """The kind of step, such as "train", "dev" or "figure3"; steps of one kind take about the same time."""
        return self.name.split("-")[0]


class Steps:
    """Runs steps, and records them in a folder: NAME.json contains the outcome of a step, NAME.log its output.

    Example:
        steps = Steps(Path("results/steps"))
        steps.run_all([Step("train-best", ("train.py", "best")), Step("dev-best", ...)])
        steps.failures     # {"dev-best": "..."}
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.failures: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def record(self, name: str) -> dict[str, Any] | None:
        """Returns the record of a step, or None."""
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def is_done(self, step: Step) -> bool:
        """Returns whether the step is recorded as done, with the same command."""
        record = self.record(step.name)
        return bool(record and record["done"] and record["command"] == step.command_line)

    def figures(self, name: str) -> Any:
        """Returns the result of a step that is done; None otherwise."""
        record = self.record(name)
        return record["figures"] if record and record["done"] else None

    def run_all(self, steps: Sequence[Step]) -> None:
        """Runs the steps that are not done, in order; if one fails, those that need it are skipped."""
        start = time.monotonic()
        done = [step for step in steps if self.is_done(step)]
        todo = [step for step in steps if step not in done and not step.impossible]
        for step in steps:
            if step.impossible:
                print(f"{step.name}: skipped, {step.impossible}", flush=True)
        print(f"{len(done)} of {len(steps)} steps already done, {len(todo)} to do", flush=True)
        for number, step in enumerate(todo, start=1):
            lacking = [need for need in step.needs if need in self.failures]
            if lacking:
                self.failures[step.name] = f"needs {lacking[0]}, which failed"
                print(f"{step.name}: skipped, {self.failures[step.name]}", flush=True)
                continue
            print(f"[{number}/{len(todo)}] {step.name} ...", flush=True)
            seconds = self._run(step)
            outcome = f"failed: {self.failures[step.name]}" if step.name in self.failures else "done"
            left = self._estimate(todo[number:], steps)
            ahead = f", {len(todo) - number} to go{left}" if number < len(todo) else ""
            elapsed = duration(time.monotonic() - start)
            print(f"    {outcome} in {duration(seconds)}; {elapsed} in total{ahead}", flush=True)

    def _run(self, step: Step) -> float:
        """Runs one step, and records its outcome; returns its time in seconds."""
        earlier = self.record(step.name)
        before = earlier if earlier and not earlier["done"] else {"seconds": 0.0, "processor_seconds": 0.0}
        start, processor_start = time.monotonic(), processor_seconds()
        record = {"command": step.command_line, "done": False, "figures": None}
        try:
            code = self._execute(step)
            if code == INTERRUPTED:
                raise KeyboardInterrupt
            if code:
                self.failures[step.name] = f"{self._last_line(step)} ({self._log(step)})"
            else:
                record["figures"] = read_result(step)
                record["done"] = True
        except (OSError, ValueError) as error:
            self.failures[step.name] = f"its result cannot be read: {error}"
        finally:
            seconds = time.monotonic() - start
            record["seconds"] = round(before["seconds"] + seconds, 3)
            used = before["processor_seconds"] + processor_seconds() - processor_start
            record["processor_seconds"] = round(used, 2)
            write_json(self.folder / f"{step.name}.json", record)
        return seconds

    def _execute(self, step: Step) -> int:
        """Runs the command, and returns its exit code; if interrupted, lets the command save its state first."""
        with self._log(step).open("a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [sys.executable, *step.command],
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},  # so that the log is up to date
            )
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.wait()  # Ctrl-C reaches the command as well
                raise
            except SystemExit:
                # Only this process received the signal, so it forwards it to the command.
                process.send_signal(signal.SIGINT)
                process.wait()
                raise

    def _estimate(self, todo: Sequence[Step], steps: Sequence[Step]) -> str:
        """Estimates the remaining time from steps of the same kind."""
        known: dict[str, list[float]] = {}
        for step in steps:
            record = self.record(step.name)
            if record and record["done"]:
                known.setdefault(step.kind, []).append(record["seconds"])
        means = {kind: sum(seconds) / len(seconds) for kind, seconds in known.items()}
        if any(step.kind == "train" and "train" not in means for step in todo):
            return ""  # the longest step by far, whose time is unknown
        other = min(means.values(), default=0.0)
        seconds = sum(means.get(step.kind, other) for step in todo)
        return f", about {duration(seconds)}" if seconds >= 1 else ""

    def _log(self, step: Step) -> Path:
        return self.folder / f"{step.name}.log"

    def _last_line(self, step: Step) -> str:
        lines = self._log(step).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1].removeprefix("error: ") if lines else "no output"


def read_result(step: Step) -> Any:
    """Reads the JSON file that the command wrote; returns None if it writes none."""
    return json.loads(step.result.read_text(encoding="utf-8")) if step.result else None


def processor_seconds() -> float:
    """Returns the processor time of all commands so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def duration(seconds: float) -> str:
    """Formats a duration.

    Example:
        duration(3725)      # "1 h 2 min"
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
