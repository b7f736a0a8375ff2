"""The threads that compute answers, and the queue in front of them."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from coref_tf.serving.limits import Deadline, Limits, RequestError

# Requests of at most this many words are short: each takes about a second, even during a long one.
SHORT_WORDS = 1_000


class _Job(NamedTuple):
    work: Callable[[], bytes | RequestError]
    future: "Future[bytes | RequestError]"
    words: int


class Workers:
    """Threads that compute answers, in an order that lets short requests overtake long ones.

    `parallel` threads take the request that has waited longest, so that no request starves. One more thread takes only
    short requests, shortest first, so that it is never blocked by a long one. Long requests may fill only part of the
    queue. A request keeps its place until its work has ended, even if its client has disconnected, so that the running
    work never exceeds the limits.
    """

    def __init__(self, limits: Limits):
        self._limits = limits
        self._changed = threading.Condition()  # guards everything below
        self._waiting: list[_Job] = []  # oldest first
        self._jobs: list[_Job] = []  # waiting or running
        for choose in [_oldest] * limits.parallel + [_shortest]:
            threading.Thread(target=self._run_jobs, args=[choose], name="worker", daemon=True).start()

    @property
    def requests(self) -> int:
        """The number of waiting and running requests."""
        return len(self._jobs)

    async def run(
        self, work: Callable[[], bytes | RequestError], words: int, deadline: Deadline
    ) -> bytes | RequestError:
        """Returns the result of `work`, computed in a thread; if the caller is cancelled, the work ends soon.

        Its `words` determine its priority. Work that has not started by its deadline is never started.
        """
        future = asyncio.wrap_future(self._submit(work, words))
        try:
            # On a timeout, this also cancels the future, which removes the job from the queue.
            return await asyncio.wait_for(future, deadline.seconds_left())
        except asyncio.TimeoutError:
            raise deadline.error() from None
        except asyncio.CancelledError:
            deadline.cancel()
            raise

    def _submit(self, work: Callable[[], bytes | RequestError], words: int) -> "Future[bytes | RequestError]":
        job = _Job(work, Future(), words)
        with self._changed:
            self._check_room(words)
            self._jobs.append(job)
            self._waiting.append(job)
            self._changed.notify_all()
        job.future.add_done_callback(lambda _: self._leave(job))
        return job.future

    def _check_room(self, words: int) -> None:
        """Raises an error if there is no place for a request."""
        requests, long = len(self._jobs), sum(job.words > SHORT_WORDS for job in self._jobs)
        if requests >= self._limits.places:
            raise RequestError(503, f"{requests} requests are already waiting; try again", try_again=True)
        if words > SHORT_WORDS and long >= self._limits.long_places:
            raise RequestError(503, f"{long} long requests are already waiting; try again", try_again=True)

    def _leave(self, job: _Job) -> None:
        """Removes a job that has ended, or that was cancelled before it started."""
        with self._changed:
            self._jobs = [other for other in self._jobs if other is not job]
            self._waiting = [other for other in self._waiting if other is not job]

    def _run_jobs(self, choose: Callable[[Sequence[_Job]], _Job | None]) -> None:
        while True:
            with self._changed:
                while (job := choose(self._waiting)) is None:
                    self._changed.wait()
                self._waiting = [other for other in self._waiting if other is not job]
            _run_job(job)
            del job  # it holds a request body


def _oldest(waiting: Sequence[_Job]) -> _Job | None:
    return waiting[0] if waiting else None


def _shortest(waiting: Sequence[_Job]) -> _Job | None:
    short = (job for job in waiting if job.words <= SHORT_WORDS)
    return min(short, key=lambda job: job.words, default=None)


def _run_job(job: _Job) -> None:
    if not job.future.set_running_or_notify_cancel():
        return
    try:
        job.future.set_result(job.work())
    except BaseException as error:  # the request fails, but the thread continues
        job.future.set_exception(error)
