"""The listening socket, and Tornado's HTTP server with a limited number of connections."""

import asyncio
import enum
import socket
import time
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.web import Application

from coref_tf.serving.limits import MAX_FILE, Limits
from coref_tf.support.errors import CorefError

_BACKLOG = 1024  # the number of connections that the system queues until they are accepted; it drops others
_MAX_HEADER = 16 * 2**10  # bytes
_CHUNK = 64 * 2**10  # bytes read from a connection at a time


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket bound to an address, not yet listening; raises a CorefError if it cannot be bound."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        reason = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise CorefError(f"{reason}; choose another --port or --host") from None
    return listener


def format_address(listener: socket.socket) -> str:
    """Returns the URL for clients."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Phase(enum.IntEnum):
    """The state of a connection, in the order in which connections are closed to make room."""

    IDLE = 0  # no complete header, or all requests are answered
    TRANSFERRING = 1  # receiving a body, or sending a response
    ANSWERING = 2  # computing a response: never closed


class Connections:
    """Limits the number of connections: those that have been idle for longest are closed to make room for new ones."""

    def __init__(self, most: int):
        self._most = most
        self._states: dict[IOStream, tuple[Phase, float]] = {}
        self._closing = False

    def __len__(self) -> int:
        return len(self._states)

    def note(self, stream: IOStream, phase: Phase) -> None:
        """Records that a connection is new, or enters another phase."""
        if stream.closed():
            return
        while stream not in self._states and len(self._states) >= self._most:
            self.end(self._next_to_close())
        self._states[stream] = phase, time.monotonic()
        if self._closing and phase is Phase.IDLE:
            self.end(stream)

    def end(self, stream: IOStream) -> None:
        """Closes a connection."""
        self._states.pop(stream, None)
        stream.close()

    def close_idle(self) -> None:
        """Closes the idle connections, and the others as soon as they become idle."""
        self._closing = True
        for stream in [stream for stream, (phase, _) in self._states.items() if phase is Phase.IDLE]:
            self.end(stream)

    def _next_to_close(self) -> IOStream:
        """Returns the first connection in order, except those with unread bytes, which may be a complete request."""
        ordered = sorted(self._states, key=lambda stream: self._states[stream])
        candidates = [stream for stream in ordered if self._states[stream][0] < Phase.ANSWERING]
        return next((stream for stream in candidates if not _has_unread(stream)), ordered[0])

    async def wait_until_closed(self, seconds: float) -> None:
        """Waits until there are no connections, but at most the given number of seconds."""
        end = time.monotonic() + seconds
        while self._states and time.monotonic() < end:
            await asyncio.sleep(0.02)


def _has_unread(stream: IOStream) -> bool:
    try:
        return not stream.closed() and bool(stream.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False  # nothing to read


class HttpServer(HTTPServer):
    """Tornado's server for an application; closes connections whose header or body takes too long."""

    def initialize(self, application: Application, connections: Connections, limits: Limits) -> None:
        """Called by Tornado instead of __init__."""
        self._connections_open = connections
        super().initialize(
            application,
            chunk_size=_CHUNK,
            max_header_size=_MAX_HEADER,
            max_buffer_size=4 * _CHUNK,
            # read and discarded, so that the client reads the response
            max_body_size=max(8 * limits.max_body, 2 * MAX_FILE),
            idle_connection_timeout=limits.read_timeout,
            body_timeout=limits.read_timeout,
        )

    def listen_on(self, listener: socket.socket) -> None:
        """Starts to accept connections in the running event loop."""
        listener.setblocking(False)
        listener.listen(_BACKLOG)
        self.add_socket(listener)

    def handle_stream(self, stream: IOStream, address: Any) -> None:
        """Accepts a new connection."""
        self._connections_open.note(stream, Phase.IDLE)
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        """Called when a connection has ended."""
        self._connections_open.end(server_conn.stream)
        super().on_close(server_conn)
