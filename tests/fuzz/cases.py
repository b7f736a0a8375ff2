"""The base of all fuzzers: runs cases in subprocesses, and fails if a case crashes its process or hangs.

Each fuzzer is a script that declares a `Fuzzer`:

    python tests/fuzz/NAME.py [--count N] [--seed N]     runs N cases, and prints the number of each outcome
    python tests/fuzz/NAME.py --only NUMBER [--seed N]   repeats one case in this process
"""

import argparse
import collections
import dataclasses
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# The time limit of a case on a busy machine; the first case of a process includes the import of TensorFlow.
SECONDS_PER_CASE, SECONDS_TO_BEGIN = 60, 300
# The limit on the address space of a process, so that a case that needs more fails without exhausting the machine.
MOST_BYTES = 16 * 2**30


class Case(NamedTuple):
    """A function to run, and a check of its result."""

    description: str
    run: Callable[[], Any]
    check: Callable[[Any], None]


@dataclasses.dataclass(frozen=True)
class Fuzzer:
    """Runs cases and counts their outcomes.

    Args:
        script: the script that a subprocess runs.
        make: returns the case for a number and a seed, deterministically. It is called only in the subprocess.
        refusals: the names of the errors that a case may raise instead of returning a valid result.
        per_process: the number of cases for each process, large enough to amortise its start.
    """

    script: str
    make: Callable[[int, int], Case]
    refusals: tuple[str, ...]
    per_process: int = 400

    def fuzz(self, count: int, seed: int) -> dict[str, int]:
        """Runs `count` cases.

        Returns:
            The number of cases, of valid results and of each kind of error.

        Raises:
            AssertionError: a case crashed its process, hung, raised another error or gave a wrong result.
        """
        counts = collections.Counter(cases=0, valid=0, **dict.fromkeys(self.refusals, 0))
        for first in range(0, count, self.per_process):
            numbers = range(first, min(first + self.per_process, count))
            for number, what, outcome in self._run(numbers, seed):
                self._count(counts, number, seed, what, outcome)
        return dict(counts)

    def fuzz_here(self, count: int, seed: int) -> dict[str, int]:
        """Runs cases in this process, if they are known not to crash it."""
        counts = collections.Counter(cases=0, valid=0, **dict.fromkeys(self.refusals, 0))
        for number in range(count):
            case = self.make(number, seed)
            self._count(counts, number, seed, case.description, _outcome(case))
        return dict(counts)

    def _count(self, counts: collections.Counter, number: int, seed: int, what: str, outcome: str) -> None:
        kind, _, message = outcome.partition(": ")
        again = f"python {os.path.relpath(self.script, ROOT)} --only {number} --seed {seed}"
        assert kind in ("valid", *self.refusals), f"`{again}`: {what}: {kind}: {message}"
        counts["cases"] += 1
        counts[kind] += 1

    def _run(self, numbers: range, seed: int) -> Iterator[tuple[int, str, str]]:
        """Yields the number, description and outcome of each case, which a subprocess runs."""
        command = [
            sys.executable,
            self.script,
            "--worker",
            f"{numbers.start}-{numbers.stop}",
            "--seed",
            str(seed),
        ]
        environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": "2"}
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        lines: queue.Queue[str | None] = queue.Queue()
        complaints: collections.deque[str] = collections.deque(maxlen=20)
        readers = [
            threading.Thread(target=lambda: [*map(lines.put, process.stdout), lines.put(None)]),
            threading.Thread(target=lambda: complaints.extend(process.stderr)),
        ]
        for reader in readers:
            reader.start()
        limit = SECONDS_TO_BEGIN
        try:
            for number in numbers:
                where = f"case {number} of seed {seed}"
                what = _next(lines, process, limit, f"{where}, while it was generated")
                outcome = _next(lines, process, SECONDS_PER_CASE, f"{where}, {what}")
                yield number, what, outcome
                limit = SECONDS_PER_CASE
        except _EndedError as ended:
            raise AssertionError(f"{ended}\n{''.join(complaints)}") from None
        finally:
            process.kill()
            process.wait()
            for reader in readers:
                reader.join()

    def main(self) -> None:
        """Runs the command line."""
        parser = argparse.ArgumentParser()
        parser.add_argument("--count", type=int, default=500)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--only", type=int, metavar="NUMBER")
        parser.add_argument("--worker", help=argparse.SUPPRESS)
        arguments = parser.parse_args()
        if arguments.only is not None:
            self._work(range(arguments.only, arguments.only + 1), arguments.seed)
        elif arguments.worker:
            self._work(range(*map(int, arguments.worker.split("-"))), arguments.seed)
        else:
            print(self.fuzz(arguments.count, arguments.seed))

    def _work(self, numbers: range, seed: int) -> None:
        """Runs cases; prints a line with the description of each before it runs, and then one with its outcome."""
        import resource

        sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "fuzz")]
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in numbers:
            case = self.make(number, seed)
            print(_one_line(case.description), flush=True)
            print(_one_line(_outcome(case)), flush=True)


class _EndedError(Exception):
    """A process has ended or hangs."""


def _next(lines: queue.Queue, process: subprocess.Popen, seconds: float, where: str) -> str:
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        raise _EndedError(f"{where}: no result after {seconds} s") from None
    if line is not None:
        return line.rstrip("\n")
    code = process.wait()
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    raise _EndedError(f"{where}: crashed its process, {how}")


def _outcome(case: Case) -> str:
    try:
        result = case.run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        case.check(result)
    except Exception as error:
        return f"a wrong result: {type(error).__name__}: {error}"
    return "valid"


def _one_line(text: str) -> str:
    return " ".join(text.encode("ascii", "backslashreplace").decode().split())[:2000]
