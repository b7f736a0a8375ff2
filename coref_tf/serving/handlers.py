"""The base of all request handlers: host checks, bodies of limited size, and JSON responses."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tornado.iostream import IOStream
from tornado.web import HTTPError, RequestHandler, stream_request_body

from coref_tf.inference.memory import format_size
from coref_tf.serving.answers import ServedModel
from coref_tf.serving.limits import Deadline, Limits, RequestError
from coref_tf.serving.listener import Connections, Phase
from coref_tf.serving.workers import Workers

# Bodies of at most this many bytes are parsed at once, in about a millisecond; others count as long until then.
_SHORT_BODY = 32 * 2**10

_LOOPBACK_HOSTS = frozenset(["localhost", "127.0.0.1", "::1"])


Read = Callable[[bytes, Limits], Any]  # returns a request, with its `num_words`
Answer = Callable[[Any, Deadline], bytes]


class Site(NamedTuple):
    """The data that the handlers of one server share."""

    models: Mapping[str, ServedModel]  # by their names in URLs; the first one is the default
    limits: Limits
    workers: Workers
    connections: Connections
    hosts: frozenset[str] = frozenset()  # allowed names in the Host header, besides the loopback ones


@stream_request_body  # otherwise, Tornado would buffer complete bodies for any URL
class Handler(RequestHandler):
    """Handles the requests for a URL. The body is discarded unless a subclass uses it."""

    methods: tuple[str, ...] = ("GET", "HEAD")  # the allowed methods

    def initialize(self, site: Site) -> None:
        """Called by Tornado with the arguments of the route."""
        self.site = site
        self.stream: IOStream = self.request.connection.stream

    def set_default_headers(self) -> None:
        """Removes the header that names the server software."""
        self.clear_header("Server")
        self.set_header("Content-Type", "application/json")

    def prepare(self) -> None:
        """Called when the header is complete.

        Rejects other hosts to prevent DNS rebinding: a page of another site whose name resolves to this address must
        not reach the server. The address that the client has connected to cannot be rebound.
        """
        self.site.connections.note(self.stream, Phase.TRANSFERRING)
        host = host_name(self.request.headers.get("Host", ""))
        own_address = "" if self.stream.closed() else self.stream.socket.getsockname()[0]
        if host not in _LOOPBACK_HOSTS | self.site.hosts | {own_address}:
            message = f"unknown host {host!r:.100}; expected localhost, or a name allowed by --allowed-host"
            raise RequestError(421, message)

    def data_received(self, chunk: bytes) -> None:
        """Discards a part of the body."""

    def answer(self, content: Any) -> None:
        """Sends indented JSON."""
        self.finish(json.dumps(content, ensure_ascii=False, indent=1))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Sends the error as one line."""
        _, error, _ = kwargs.get("exc_info", (None, None, None))
        message = "the server failed; see its log"
        if status_code == 405:
            expected = " or ".join(self.methods)
            self.set_header("Allow", ", ".join(self.methods))
            message = f"{self.request.path:.100} does not support {self.request.method}; expected {expected}"
        elif isinstance(error, RequestError):
            message = error.message
            if error.try_again:
                self.set_header("Retry-After", "1")
        elif isinstance(error, HTTPError):
            message = error.log_message or error.reason or "the request cannot be parsed"
        self.answer({"error": message})

    def finish(self, chunk: str | bytes | dict | None = None) -> "asyncio.Future[None]":
        """Sends the response."""
        self.site.connections.note(self.stream, Phase.TRANSFERRING)
        sent = super().finish(chunk)
        sent.add_done_callback(lambda _: self.site.connections.note(self.stream, Phase.IDLE))
        return sent


class AnswerHandler(Handler):
    """Collects a JSON body, and sends the model's answer. Only complete requests take a place in the queue."""

    methods = ("POST",)
    content_type = "application/json"

    def initialize(self, site: Site, read: Read, answer: Answer) -> None:  # type: ignore[override]  # by its route
        """Called by Tornado, with functions that parse a body and answer the request."""
        super().initialize(site)
        self._read, self._answer = read, answer
        self._body = bytearray()
        self._refusal: RequestError | None = None
        self._task: asyncio.Task | None = None

    @property
    def max_body(self) -> int:
        """The maximum number of bytes of a body."""
        return self.site.limits.max_body

    def prepare(self) -> None:
        """Called when the header is complete. Errors are sent after the body has arrived, so that clients read them."""
        super().prepare()
        headers = self.request.headers
        content_type = headers.get("Content-Type", "").split(";")[0].strip().lower()
        if headers.get("Content-Encoding", "identity") != "identity":
            self._refusal = RequestError(
                415, f"the body has a Content-Encoding; expected plain {self.content_type}"
            )
        elif self.request.method == "POST" and content_type != self.content_type:
            # Browsers send other types across sites without a preflight request.
            what = f"Content-Type is {content_type or 'missing':.100}"
            self._refusal = RequestError(415, f"{what}; expected {self.content_type}")

    def data_received(self, chunk: bytes) -> None:
        """Stores a part of the body, unless the request is rejected."""
        if len(self._body) + len(chunk) > self.max_body:
            limit = format_size(self.max_body)
            self._refusal = RequestError(413, f"the body is longer than {limit}; send less at a time")
        if self._refusal:
            self._body = bytearray()
        else:
            self._body += chunk

    async def post(self) -> None:
        """Called when the body is complete."""
        if self._refusal:
            raise self._refusal
        self.site.connections.note(self.stream, Phase.ANSWERING)
        self._task = asyncio.ensure_future(self._respond(bytes(self._body)))
        self._body = bytearray()  # the task holds what it needs
        try:
            content = await self._task
        except asyncio.CancelledError:
            return  # cancelled by on_connection_close: the client has disconnected
        finally:
            self._task = None  # its exception would keep this frame alive
        if isinstance(content, RequestError):
            self.send_error(content.status_code, exc_info=(type(content), content, None))
        else:
            self.finish(content)

    def on_connection_close(self) -> None:
        """Called when the client has disconnected; cancels the computation."""
        super().on_connection_close()
        if self._task:
            self._task.cancel()

    async def _respond(self, body: bytes) -> bytes | RequestError:
        """Passes the request to the workers; a short one is parsed first, so that its number of words is known."""
        limits, deadline = self.site.limits, Deadline(self.site.limits.timeout)
        content = self._read(body, limits) if len(body) <= _SHORT_BODY else body
        words = len(body) if isinstance(content, bytes) else content.num_words
        del body  # the task holds what it needs
        return await self.site.workers.run(lambda: self._compute(content, deadline), words, deadline)

    def _compute(self, content: Any, deadline: Deadline) -> bytes | RequestError:
        """Runs in a worker. Returns errors, because raising them would keep everything parsed from the body alive."""
        try:
            deadline.seconds_left()
            request = self._read(content, self.site.limits) if isinstance(content, bytes) else content
            return self._answer(request, deadline)
        except RequestError as error:
            return error.without_traceback()


def host_name(header: str) -> str:
    """Returns the host in a Host header, without port and brackets, in lower case; "" if there is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""
