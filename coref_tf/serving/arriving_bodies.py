"""The bodies that are arriving, in bounded memory."""

from typing import Protocol

from coref_tf.serving.request_error import RequestError


class Receiver(Protocol):
    """Who keeps what has arrived of a body."""

    def refuse(self, error: RequestError) -> None:
        """Answers at once, and keeps nothing."""


class ArrivingBodies:
    """Keeps what has arrived of all bodies within a limit: the longest gives way, so that short ones always can come.

    Args:
        most: how many bytes may be there of bodies that aren't whole.
    """

    def __init__(self, most: int):
        self._most = most
        self._sizes: dict[Receiver, int] = {}
        self._total = 0

    def grow(self, receiver: Receiver, size: int) -> None:
        """So many bytes more of a body are there."""
        self._sizes[receiver] = self._sizes.get(receiver, 0) + size
        self._total += size
        while self._total > self._most:
            longest = max(self._sizes, key=self._sizes.get)
            self.leave(longest)
            longest.refuse(RequestError(503, "too much is arriving already; try again", {"Retry-After": "1"}))

    def leave(self, receiver: Receiver) -> None:
        """A body is whole, or won't be."""
        self._total -= self._sizes.pop(receiver, 0)
