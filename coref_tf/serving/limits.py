"""Limits of requests, their deadlines, and errors."""

import time
from typing import NamedTuple

from tornado.web import HTTPError

# The maximum length of error messages, which quote the request.
_LONGEST = 500

MAX_FILE = 20 * 2**20  # the maximum size of an uploaded file, in bytes
MAX_FILES = 2  # received or parsed at the same time


class Limits(NamedTuple):
    """The limits of one request, and of the number of requests."""

    max_body: int = 2**20  # bytes
    max_words: int = 20_000  # of all documents; each document counts as at least 20
    timeout: float = 120.0  # in seconds, from a complete request to its response
    read_timeout: float = 30.0  # in seconds, for the header and then for the body
    parallel: int = (
        1  # requests of any length computed at the same time; one more worker takes short ones only
    )
    queue: int = 64  # waiting requests

    @property
    def places(self) -> int:
        """The number of requests that may be running or waiting."""
        return self.parallel + self.queue

    @property
    def connections(self) -> int:
        """The number of connections that may be open at the same time."""
        return max(512, 2 * self.places)

    @property
    def long_places(self) -> int:
        """The number of places for long requests; the others are reserved for short requests."""
        return self.parallel + self.queue // 2


class RequestError(HTTPError):
    """A rejected request: an HTTP status and a one-line message for the client, which Tornado does not log."""

    def __init__(self, status: int, message: str, try_again: bool = False):
        super().__init__(status)
        self.message = message if len(message) <= _LONGEST else message[: _LONGEST - 3] + "..."
        self.try_again = try_again  # whether the same request may succeed a second later

    def __str__(self) -> str:
        return self.message

    def without_traceback(self) -> "RequestError":
        """Returns a copy that keeps no frames alive, and so nothing that was parsed from the body."""
        return RequestError(self.status_code, self.message, self.try_again)


class Deadline:
    """The deadline of a request: after a number of seconds, or when the client disconnects."""

    def __init__(self, seconds: float):
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def seconds_left(self) -> float:
        """Returns the remaining seconds; raises a RequestError if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def cancel(self) -> None:
        """Ends the work at its next call of `seconds_left`, because the client has disconnected. Thread-safe."""
        self._end = 0.0

    def error(self) -> RequestError:
        """Returns the error for a request that has timed out."""
        return RequestError(504, f"the answer would have taken more than {self._seconds:g} seconds")
