"""Requests with a body, from its first bytes to the model's answer."""

import asyncio

from coref_tf.inference.memory import format_size
from coref_tf.serving.arriving_bodies import ArrivingBodies
from coref_tf.serving.connections import Connections, Phase
from coref_tf.serving.handler import Handler
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.service import Service
from coref_tf.serving.workers import stopping


class BodyHandler(Handler):
    """Collects a body, which takes no place among the requests before it is whole, and sends the model's answer."""

    methods = ("POST",)

    def initialize(self, service: Service, connections: Connections, bodies: ArrivingBodies) -> None:
        """Called by Tornado, with what the application gives."""
        super().initialize(service, connections)
        self._bodies = bodies
        self._body = bytearray()
        self._size = 0
        self._refusal: RequestError | None = None
        self._task: asyncio.Task | None = None

    def prepare(self) -> None:
        """The header is there."""
        super().prepare()
        if self.request.headers.get("Content-Encoding", "identity") != "identity":
            self._refusal = RequestError(415, "the body has a Content-Encoding; expected plain JSON")
        declared = self.request.headers.get("Content-Length", "")
        # Sixteen digits are more than any limit, and int() doesn't take any number of them.
        length = int(declared[:16]) if declared.isdecimal() else 0
        if length > self.service.limits.swallowed_bytes:
            raise self._too_long()
        if length > self.service.limits.max_body:
            self._refusal = self._refusal or self._too_long()  # so that nothing of it is kept

    def data_received(self, chunk: bytes) -> None:
        """A part of the body; of what is too long nothing is kept."""
        self._size += len(chunk)
        if self._size > self.service.limits.swallowed_bytes:
            self.refuse(self._too_long())
        elif self._size > self.service.limits.max_body or self._refusal:
            self._refusal = self._refusal or self._too_long()
            self._forget()
        else:
            self._body += chunk
            self._bodies.grow(self, len(chunk))

    async def respond(self, body: bytes, *words: str | None) -> bytes | RequestError:
        """The answer to a body, or why there is none; a subclass has it. The words are what the path says."""
        raise NotImplementedError

    async def post(self, *words: str | None) -> None:
        """The body is whole."""
        self._stop_timer()
        if self._refusal:
            raise self._refusal
        body = self._body
        self._forget()
        self.connections.note(self._stream, Phase.ANSWERING)
        self._task = asyncio.ensure_future(self.respond(body, *words))
        del body  # the work has it, and lets it go
        try:
            content = await self._task
        except asyncio.CancelledError:
            if self._stream.closed():
                return  # on_connection_close has done it: there is nobody to tell
            raise stopping() from None
        finally:
            self._task = None  # its error would hold this frame, which holds it
        if isinstance(content, RequestError):
            self.refuse(content)
        else:
            self.finish(content)

    def on_connection_close(self) -> None:
        """Nobody waits for the answer any more."""
        super().on_connection_close()
        self._forget()
        if self._task:
            self._task.cancel()

    def on_finish(self) -> None:
        """Answered."""
        self._forget()

    def _forget(self) -> None:
        self._bodies.leave(self)
        self._body = bytearray()

    def _too_long(self) -> RequestError:
        limit = format_size(self.service.limits.max_body)
        return RequestError(413, f"the body is longer than {limit}; send less at a time")
