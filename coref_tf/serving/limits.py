"""What a request may cost, how long its answer is of use, and how it is refused."""

import time
from typing import NamedTuple

from tornado.web import HTTPError

# Error messages quote the request, which may be long.
_LONGEST = 500

MAX_FILE = 20 * 2**20  # bytes of a file whose text is asked for
MAX_FILES = 2  # that arrive or are read at the same time


class Limits(NamedTuple):
    """What one request may cost, and how many requests the server holds."""

    max_body: int = 2**20  # bytes
    max_words: int = 20_000  # of all documents; each counts as 20 at least
    timeout: float = 120.0  # seconds from a complete request to its answer
    read_timeout: float = 30.0  # seconds for the header, and then for the body
    parallel: int = (
        1  # requests of any length computed at the same time; one more worker takes short ones only
    )
    queue: int = 64  # requests waiting

    @property
    def places(self) -> int:
        """The number of requests that are computed or waiting."""
        return self.parallel + self.queue

    @property
    def connections(self) -> int:
        """The number of connections open at the same time."""
        return max(512, 2 * self.places)

    @property
    def long_places(self) -> int:
        """How many of the places long requests may take; the others are reserved for short requests."""
        return self.parallel + self.queue // 2


class RequestError(HTTPError):
    """A refused request: an HTTP status and one line for the sender, which Tornado doesn't log."""

    def __init__(self, status: int, message: str, try_again: bool = False):
        super().__init__(status)
        self.message = message if len(message) <= _LONGEST else message[: _LONGEST - 3] + "..."
        self.try_again = try_again  # whether the same request may be answered in a second

    def __str__(self) -> str:
        return self.message

    def without_traceback(self) -> "RequestError":
        """A copy that keeps no frames alive, and so nothing that was parsed from the body."""
        return RequestError(self.status_code, self.message, self.try_again)


class Deadline:
    """When the work for a request stops being of use: after some seconds, or once the client has left."""

    def __init__(self, seconds: float):
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def seconds_left(self) -> float:
        """The remaining seconds; raises a RequestError once there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def cancel(self) -> None:
        """The client has left: the work ends at its next call of `seconds_left`. Thread-safe."""
        self._end = 0.0

    def error(self) -> RequestError:
        """The error for a request whose time is over."""
        return RequestError(504, f"the answer would have taken more than {self._seconds:g} seconds")
