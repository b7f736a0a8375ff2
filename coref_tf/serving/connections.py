"""The connections that are open, and which of them go when there are too many."""

import enum
import socket
import time
from typing import NamedTuple

from tornado.iostream import IOStream


class Phase(enum.IntEnum):
    """What a connection is at, in the order in which it is given up."""

    IDLE = 0  # no whole header is there
    SENDING = 1  # the answer is on its way
    ARRIVING = 2  # the body isn't there
    ANSWERING = 3  # the answer is being computed: never given up


class _State(NamedTuple):
    phase: Phase
    since: float


class Connections:
    """Keeps the number of connections within a limit: those that were idle for longest make room for new ones.

    Args:
        most: how many there may be; more than can be in Phase.ANSWERING at a time.
    """

    def __init__(self, most: int):
        self._most = most
        self._states: dict[IOStream, _State] = {}
        self._closing = False

    def __len__(self) -> int:
        return len(self._states)

    def add(self, stream: IOStream) -> None:
        """A new connection."""
        while len(self._states) >= self._most:
            self.end(self._next_to_go())
        self._states[stream] = _State(Phase.IDLE, time.monotonic())

    def note(self, stream: IOStream, phase: Phase) -> None:
        """What a connection is at from now on."""
        if stream not in self._states:
            return  # closed meanwhile
        self._states[stream] = _State(phase, time.monotonic())
        if self._closing and phase is Phase.IDLE:
            self.end(stream)

    def end(self, stream: IOStream) -> None:
        """Closes a connection."""
        self._states.pop(stream, None)
        stream.close()

    def close_idle(self) -> None:
        """Closes the connections without a request, and the others as soon as they have none."""
        self._closing = True
        for stream in [stream for stream, state in self._states.items() if state.phase is Phase.IDLE]:
            self.end(stream)

    def _next_to_go(self) -> IOStream:
        """The first in order, unless it has sent something that wasn't looked at yet: it may be a whole request."""
        ordered = sorted(self._states, key=self._states.get)
        given_up = (stream for stream in ordered if self._states[stream].phase < Phase.ANSWERING)
        return next((stream for stream in given_up if not _has_unread(stream)), ordered[0])


def _has_unread(stream: IOStream) -> bool:
    if stream.closed():  # by its client, and not taken off the list yet
        return False
    try:
        return bool(stream.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False  # nothing there
