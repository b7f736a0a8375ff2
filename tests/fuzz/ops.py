"""Hostile calls of every raw op and binding, in a process of their own: a signal or a hang there fails the caller.

    python tests/fuzz/ops.py [COUNT] [SEED]

`fuzz` makes them; a failure names the call's number, with which `python tests/fuzz/ops.py --only NUMBER SEED`
makes that one alone.
"""

import collections
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# How many seconds a call may take; the first of a process waits for TensorFlow.
SECONDS_PER_CALL, SECONDS_TO_BEGIN = 60, 300
# How many calls a process makes: enough to make its start worth while.
CALLS_PER_PROCESS = 400
# How much memory a process may reserve, so that a call that wants all of it fails instead of the machine.
MOST_BYTES = 16 * 2**30

# What a call may come to, besides a valid result.
REFUSALS = ("InvalidArgumentError", "ValueError", "TypeError")


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Makes `count` hostile calls.

    Returns:
        How many calls there were, how many had a valid result, and how many each kind of error.

    Raises:
        AssertionError: a call ended its process, hung, raised something else or gave a wrong result.
    """
    counts = collections.Counter(calls=0, valid=0, **dict.fromkeys(REFUSALS, 0))
    for first in range(0, count, CALLS_PER_PROCESS):
        for number, what, outcome in _run(range(first, min(first + CALLS_PER_PROCESS, count)), seed):
            kind, _, message = outcome.partition(": ")
            assert kind in ("valid", *REFUSALS), f"call {number} of seed {seed}, {what}: {kind}: {message}"
            counts["calls"] += 1
            counts[kind] += 1
    return dict(counts)


def _run(numbers: range, seed: int) -> Iterator[tuple[int, str, str]]:
    """The number, description and outcome of each of some calls, made by a process."""
    command = [sys.executable, __file__, "--worker", str(numbers.start), str(numbers.stop), str(seed)]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": "2"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    lines: queue.Queue[str | None] = queue.Queue()
    complaints: list[str] = []
    readers = [
        threading.Thread(target=lambda: [*map(lines.put, process.stdout), lines.put(None)]),
        threading.Thread(target=lambda: complaints.extend(process.stderr)),
    ]
    for reader in readers:
        reader.start()
    limit = SECONDS_TO_BEGIN
    try:
        for number in numbers:
            where = f"call {number} of seed {seed}"
            what = _next(lines, process, limit, f"{where}, while it was made up")
            outcome = _next(lines, process, SECONDS_PER_CALL, f"{where}, {what}")
            yield number, what, outcome
            limit = SECONDS_PER_CALL
    except _EndedError as ended:
        raise AssertionError(f"{ended}\n{''.join(complaints[-20:])}") from None
    finally:
        process.kill()
        process.wait()
        for reader in readers:
            reader.join()


class _EndedError(Exception):
    """A process is gone, or does nothing any more."""


def _next(lines: queue.Queue, process: subprocess.Popen, seconds: float, where: str) -> str:
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        raise _EndedError(f"{where}: hangs for {seconds} s") from None
    if line is not None:
        return line.rstrip("\n")
    code = process.wait()
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    raise _EndedError(f"{where}: ended its process, {how}")


def _work(numbers: range, seed: int) -> None:
    """Makes calls; prints what each is before it is made, and then what came of it, a line each."""
    import resource

    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "fuzz")]
    import op_calls

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        call = op_calls.hostile_call(number, seed)
        print(_one_line(call.description), flush=True)
        print(_one_line(_outcome(call)), flush=True)


def _outcome(call: Any) -> str:
    try:
        result = call.run()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        call.check(result)
    except Exception as error:
        return f"a wrong result: {type(error).__name__}: {error}"
    return "valid"


def _one_line(text: str) -> str:
    return " ".join(text.encode("ascii", "backslashreplace").decode().split())[:2000]


def main(arguments: list[str]) -> None:
    """The command."""
    if arguments[:1] == ["--worker"]:
        first, last, seed = map(int, arguments[1:])
        return _work(range(first, last), seed)
    if arguments[:1] == ["--only"]:
        number, seed = map(int, [*arguments[1:], "0"][:2])
        return _work(range(number, number + 1), seed)
    count, seed = map(int, [*arguments, "500", "0"][: max(len(arguments), 2)]) if arguments else (500, 0)
    print(fuzz(count, seed))


if __name__ == "__main__":
    main(sys.argv[1:])
