"""The threads that compute answers, and who waits for them."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from coref_tf.serving.deadline import Deadline
from coref_tf.serving.limits import Limits
from coref_tf.serving.request_error import RequestError

Result = TypeVar("Result")

# Work that nobody waits for ends with the document it is at: a worker that takes longer than this is stuck.
STUCK_SECONDS = 15.0


class Workers:
    """A fixed number of threads, and places for a fixed number of requests.

    Work that nobody waits for any more ends soon, at the next look at its deadline, but not at once: its place stays
    taken until it ends, so that what is under way never exceeds the limits, whatever clients do.
    """

    def __init__(self, limits: Limits):
        self._limits = limits
        self._lock = threading.Lock()  # of the next three
        self._taken = 0
        self._bytes = 0
        self._running: set[Deadline] = set()
        self._tasks: set[asyncio.Task] = set()
        self._threads = ThreadPoolExecutor(limits.parallel, thread_name_prefix="predict")

    @contextlib.contextmanager
    def place(self, size: int) -> Iterator[None]:
        """A place for a request whose body, of so many bytes, is there; kept to the end of its computation.

        Every place has its share of the memory for bodies. Longer ones go on what is left of it.
        """
        if self.stuck() == self._limits.parallel:
            raise _try_again("every worker is stuck", 30)
        limits, share = self._limits, self._limits.kept_bytes // self._limits.places
        with self._lock:
            if self._taken >= limits.places:
                raise _try_again(f"{self._taken} requests are waiting already")
            if size > share and self._bytes + size > limits.kept_bytes:
                raise _try_again(f"{self._bytes:,} bytes are waiting already")
            self._taken += 1
            self._bytes += size
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1
                self._bytes -= size

    def taken(self) -> int:
        """How many requests are there."""
        return self._taken

    def stuck(self) -> int:
        """How many workers are at something that should have ended long ago."""
        with self._lock:
            return sum(deadline.overdue() > STUCK_SECONDS for deadline in self._running)

    async def run(self, work: Callable[[], Result], deadline: Deadline, held: contextlib.ExitStack) -> Result:
        """The result of `work`, done in a thread; to be awaited by a task of its own, which can be cancelled.

        Args:
            work: what to do; a TimeoutError of its own says that the time is over, too.
            deadline: until when its result is of use; work that has not begun by then never does.
            held: what the work needs, let go when it has ended.
        """
        try:
            future = self._threads.submit(self._noted, work, deadline)
        except RuntimeError:
            held.close()
            raise stopping() from None
        future.add_done_callback(lambda _: held.close())
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            # Where the time is over first, this also takes the work out of the queue.
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline.left())
        except TimeoutError:
            raise deadline.error() from None
        except asyncio.CancelledError:
            deadline.cancel()
            raise
        finally:
            self._tasks.discard(task)

    def stop(self) -> None:
        """Ends the waiting for whatever is under way, and takes what has not begun out of the queue."""
        for task in tuple(self._tasks):
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _noted(self, work: Callable[[], Result], deadline: Deadline) -> Result:
        """Does the work; a thread's work. Meanwhile the others can see how long it takes."""
        with self._lock:
            self._running.add(deadline)
        try:
            return work()
        finally:
            with self._lock:
                self._running.discard(deadline)


def stopping() -> RequestError:
    """What is told to those who can't be waited for."""
    return RequestError(503, "the server is stopping")


def _try_again(why: str, seconds: int = 1) -> RequestError:
    return RequestError(503, f"{why}; try again", {"Retry-After": str(seconds)})
