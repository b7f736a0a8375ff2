"""How far a job of Spark's has come, in words."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from pyspark import Accumulator, SparkContext

_SECONDS = {True: 1.0, False: 30.0}  # between two lines, on a terminal and elsewhere


@contextlib.contextmanager
def watching(context: SparkContext, documents: int, words: int) -> Iterator[list[Accumulator]]:
    """While entered, says on stderr how much is done; gives what the tasks count it with.

    A task counts when it has ended; one that is run again may count twice, so that this is for watching alone.

    Args:
        context: of the job.
        documents: how many there are to do.
        words: how many these have.
    """
    counters = [context.accumulator(0), context.accumulator(0)]
    ended, terminal, began = threading.Event(), sys.stderr.isatty(), time.monotonic()

    def line() -> str:
        seconds = max(time.monotonic() - began, 1e-9)
        done = counters[1].value
        share = f"{counters[0].value:,} of {documents:,} documents, {done:,} of about {words:,} words"
        return f"{share}, {done / seconds:,.0f} words/s"

    def watch() -> None:
        while not ended.wait(_SECONDS[terminal]):
            print(
                f"\r{line()}" if terminal else line(),
                end="" if terminal else "\n",
                file=sys.stderr,
                flush=True,
            )

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield counters
    finally:
        ended.set()
        thread.join()
    print(f"\r{line()}" if terminal else line(), file=sys.stderr)
