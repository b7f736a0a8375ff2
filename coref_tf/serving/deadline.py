"""How long a request's work is of use to anybody."""

import time

from coref_tf.serving.request_error import RequestError


class Deadline:
    """When a request's time is over: after some seconds, or as soon as nobody waits for the answer."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._cancelled = False

    def left(self) -> float:
        """How many seconds there are; a RequestError where there is none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def cancel(self) -> None:
        """Nobody waits any more: the work ends where it next looks at its deadline. Any thread may say so."""
        self._end = min(self._end, time.monotonic())
        self._cancelled = True

    def overdue(self) -> float:
        """For how many seconds the time has been over; negative while it isn't."""
        return time.monotonic() - self._end

    def error(self) -> RequestError:
        """What the sender is told."""
        if self._cancelled:
            return RequestError(499, "nobody waits for the answer")
        return RequestError(504, f"the answer would have taken more than {self.seconds:g} seconds")
