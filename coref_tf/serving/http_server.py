"""Tornado's HTTP server, with a limit on its connections."""

import asyncio
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream

from coref_tf.serving.app import application
from coref_tf.serving.connections import Connections
from coref_tf.serving.service import Service

MAX_HEADER = 16 * 2**10

# What is read of a connection at a time, and at most kept unread.
_CHUNK = 64 * 2**10

# How often it is looked whether all is answered.
_LOOK_SECONDS = 0.02

# How long those have to take their answer who are told that the server stops.
_LAST_SECONDS = 1.0


class HttpServer(HTTPServer):
    """Serves a service, with a page to type into unless `page` says no.

    Tornado ends a connection whose header takes too long, a handler one whose body does.

    Example:
        server = HttpServer(service)
        server.add_socket(listener)
        await server.stop_gently(grace=30)
    """

    def initialize(self, service: Service, page: bool = True) -> None:
        """Called by Tornado in place of __init__."""
        self._service = service
        self.connections = Connections(service.limits.connections)
        super().initialize(
            application(service, self.connections, page),
            chunk_size=_CHUNK,
            max_header_size=MAX_HEADER,
            max_buffer_size=4 * _CHUNK,
            max_body_size=2
            * service.limits.swallowed_bytes,  # the handler refuses it first, in its own words
            idle_connection_timeout=service.limits.read_timeout,
        )

    def handle_stream(self, stream: IOStream, address: Any) -> None:
        """A new connection."""
        self.connections.add(stream)
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        """A connection has ended."""
        self.connections.end(server_conn.stream)
        super().on_close(server_conn)

    async def stop_gently(self, grace: float) -> None:
        """Takes nothing new, answers what has begun to come within the grace, and tells the rest that it stops."""
        self.stop()
        self.connections.close_idle()
        await self._until_idle(grace)
        self._service.workers.stop()
        await self._until_idle(_LAST_SECONDS)
        await self.close_all_connections()

    async def _until_idle(self, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        while len(self.connections) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(_LOOK_SECONDS)
