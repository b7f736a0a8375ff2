"""Long-running steps: each runs once, is recorded and then skipped, and resumes if it was interrupted."""

import json
import os
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from coref_tf.support.files import write_json
from paper.commands import INTERRUPTED, Commands
from paper.machine import describe_machine
from paper.records import Records, Step


class Outcome(NamedTuple):
    """How a step ended."""

    seconds: float
    failure: str  # empty if it succeeded
    interrupted: bool = False


class Steps(Records):
    """Runs steps, and records them.

    Args:
        folder: The folder of the records.
        jobs: How many steps run at a time; several of them share the cores.

    Example:
        steps = Steps(Path("results/steps"))
        steps.run_all([Step("train-best", ("train.py", "best")), Step("dev-best", ...)])
        steps.failures     # {"dev-best": "..."}
    """

    def __init__(self, folder: Path, jobs: int = 1):
        super().__init__(folder)
        self.jobs = jobs
        self.failures: dict[str, str] = {}

    def run_all(self, steps: Sequence[Step]) -> None:
        """Runs the steps that are not done, in order; if one fails, those that need it are skipped.

        A step that is done runs again if its product is missing and another step needs it.
        """
        for step in steps:
            if step.impossible and not self.is_done(step):
                print(f"{step.name}: skipped, {step.impossible}", flush=True)
        threads = max(1, len(os.sched_getaffinity(0)) // self.jobs) if self.jobs > 1 else None
        commands, todo = Commands(threads), self._pending(steps)
        done = sum(map(self.is_done, steps))
        print(f"{done} of {len(steps)} steps already done, {len(todo)} to do", flush=True)
        with ThreadPoolExecutor(self.jobs) as threads_of_jobs:
            try:
                self._run_pending(steps, commands, threads_of_jobs)
            except KeyboardInterrupt:
                commands.stop(forward=False)  # Ctrl-C reaches the commands as well
                raise
            except SystemExit:
                commands.stop(forward=True)  # only this process received the signal
                raise

    def _run_pending(self, steps: Sequence[Step], commands: Commands, threads: ThreadPoolExecutor) -> None:
        begin, attempted = time.monotonic(), set[str]()
        running: dict[Future[Outcome], Step] = {}
        while True:
            pending = [step for step in self._pending(steps) if step.name not in attempted]
            for step in self._skip_hopeless(pending):
                attempted.add(step.name)
                pending.remove(step)
            unfinished = {step.name for step in (*pending, *running.values())}
            ready = [step for step in pending if not unfinished.intersection(step.needs)]
            for step in ready[: self.jobs - len(running)]:
                attempted.add(step.name)
                pending.remove(step)
                self._announce(step, len(attempted), len(attempted) + len(pending))
                running[threads.submit(self._run, step, commands)] = step
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                step, outcome = running.pop(future), future.result()
                if outcome.interrupted:
                    commands.stop(forward=True)
                    raise KeyboardInterrupt
                left = [each for each in self._pending(steps) if each.name not in attempted]
                self._report(step, outcome, [*left, *running.values()], steps, time.monotonic() - begin)

    def _pending(self, steps: Sequence[Step]) -> list[Step]:
        """Returns the steps to run: those that are not done, and those whose missing products they need."""
        wanted = {step.name for step in steps if not step.impossible and not self.is_done(step)}
        lost = {step.name for step in steps if step.is_lost}
        needed = {need for step in steps if step.name in wanted for need in step.needs}
        return [step for step in steps if step.name in wanted | (lost & needed)]

    def _skip_hopeless(self, pending: Iterable[Step]) -> list[Step]:
        """Marks steps that need a failed step as failed, and returns them."""
        hopeless = []
        for step in pending:
            lacking = [need for need in step.needs if need in self.failures]
            if lacking:
                self.failures[step.name] = f"needs {lacking[0]}, which failed"
                print(f"{step.name}: skipped, {self.failures[step.name]}", flush=True)
                hopeless.append(step)
        return hopeless

    def _announce(self, step: Step, number: int, total: int) -> None:
        if step.is_lost and self.is_done(step):
            print(f"{step.name}: runs again, because {step.product} is missing", flush=True)
        print(f"[{number}/{total}] {step.name} ...", flush=True)

    def _report(
        self, step: Step, outcome: Outcome, left: Sequence[Step], steps: Sequence[Step], elapsed: float
    ) -> None:
        """Prints how a step ended, and how many steps are left."""
        if outcome.failure:
            self.failures[step.name] = outcome.failure
        ended = f"failed: {outcome.failure}" if outcome.failure else "done"
        ahead = f", {len(left)} to go{self._estimate(left, steps)}" if left else ""
        print(
            f"    {step.name}: {ended} in {duration(outcome.seconds)}; {duration(elapsed)} in total{ahead}",
            flush=True,
        )

    def _run(self, step: Step, commands: Commands) -> Outcome:
        """Runs one step, and records its outcome."""
        earlier, begin = self._earlier(step), time.monotonic()
        record = {
            "command": self.command_line(step),
            "needs": self.fingerprints(step),
            "done": False,
            "result": self.relative(step.result) if step.result else None,
            "figures": None,
        }
        failure = ""
        usage = commands.run(step.command, self.log(step))
        if usage.code:
            failure = f"{self._last_line(step)} ({self.log(step)})"
        elif step.is_lost:
            failure = f"{step.product} is missing, although the command succeeded ({self.log(step)})"
        else:
            try:
                figures = read_figures(step)
                record |= {"done": True, "figures": None if step.result else figures}
            except (OSError, ValueError) as error:
                failure = f"its result cannot be read: {error}"
        seconds = time.monotonic() - begin
        record |= {
            "seconds": round(earlier["seconds"] + seconds, 3),
            "processor_seconds": round(earlier["processor_seconds"] + usage.processor_seconds, 2),
            "machine": describe_machine(),
            "jobs": self.jobs,
        }
        write_json(self.folder / f"{step.name}.json", record)
        return Outcome(seconds, failure, usage.code == INTERRUPTED)

    def _earlier(self, step: Step) -> dict[str, float]:
        """Returns the times of an earlier attempt that this one continues."""
        record = self.record(step.name)
        here = step.product is None or step.product.parent.is_dir()
        return (
            record if record and not record["done"] and here else {"seconds": 0.0, "processor_seconds": 0.0}
        )

    def _estimate(self, left: Sequence[Step], steps: Sequence[Step]) -> str:
        """Estimates the remaining time from steps of the same kind."""
        known: dict[str, list[float]] = {}
        for step in steps:
            record = self.record(step.name)
            if record and record["done"]:
                known.setdefault(step.kind, []).append(record["seconds"])
        means = {kind: sum(seconds) / len(seconds) for kind, seconds in known.items()}
        if any(step.kind == "train" and "train" not in means for step in left):
            return ""  # the longest step by far, whose time is unknown
        other = min(means.values(), default=0.0)
        seconds = sum(means.get(step.kind, other) for step in left) / self.jobs
        return f", about {duration(seconds)}" if seconds >= 1 else ""

    def _last_line(self, step: Step) -> str:
        lines = self.log(step).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1].removeprefix("error: ") if lines else "no output"


def read_figures(step: Step) -> object:
    """Returns the figures of a step whose command has succeeded: from its result, or as measured."""
    if step.result:
        return json.loads(step.result.read_text(encoding="utf-8"))
    return step.measure() if step.measure else None


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
