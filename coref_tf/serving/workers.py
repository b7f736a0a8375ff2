"""The threads that compute answers, and who waits for them."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from coref_tf.serving.limits import Deadline, Limits
from coref_tf.serving.request_error import RequestError

Result = TypeVar("Result")


class Workers:
    """A fixed number of threads, and places for a fixed number of requests.

    A computation can't always be stopped when its time is over: its place stays taken until it ends, so that what
    is under way never exceeds the limits, whatever clients do.
    """

    def __init__(self, limits: Limits):
        self._places = limits.parallel + limits.queue
        self._taken = 0
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(limits.parallel, thread_name_prefix="predict")

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """A place for a request, from its arrival to the end of its computation."""
        with self._lock:
            if self._taken >= self._places:
                raise RequestError(
                    503, f"{self._taken} requests are waiting already; try again", {"Retry-After": "1"}
                )
            self._taken += 1
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1

    def taken(self) -> int:
        """How many requests are there."""
        return self._taken

    async def run(self, work: Callable[[], Result], deadline: Deadline, held: contextlib.ExitStack) -> Result:
        """The result of `work`, done in a thread.

        Args:
            work: what to do; a TimeoutError of its own says that the time is over, too.
            deadline: until when its result is of use; work that has not begun by then never does.
            held: what the work needs, let go when it has ended.
        """
        try:
            future = self._threads.submit(work)
        except RuntimeError:
            held.close()
            raise _stopping() from None
        future.add_done_callback(lambda _: held.close())
        try:
            # Where the time is over first, this also takes the work out of the queue.
            return await asyncio.wait_for(asyncio.wrap_future(future), deadline.left())
        except TimeoutError:
            raise deadline.error() from None
        except asyncio.CancelledError:  # by uvicorn, once the time for stopping is over
            raise _stopping() from None

    def close(self) -> None:
        """Takes what has not begun out of the queue."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _stopping() -> RequestError:
    return RequestError(503, "the server is stopping")
