"""What all paths have in common: requests that arrive in time, and answers in JSON."""

import asyncio
import json
from typing import Any

from tornado.web import HTTPError, RequestHandler, stream_request_body

from coref_tf.serving.connections import Connections, Phase
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.service import Service

# How much of a path that isn't there is quoted.
_QUOTED = 100


@stream_request_body  # or Tornado would keep whole bodies, whatever the path
class Handler(RequestHandler):
    """Answers the requests for a path. A body is read and forgotten where a subclass doesn't want it."""

    methods = ("GET", "HEAD")  # that the path has

    def initialize(self, service: Service, connections: Connections) -> None:
        """Called by Tornado, with what the application gives."""
        self.service, self.connections = service, connections
        self._stream = self.request.connection.stream
        self._timer: asyncio.TimerHandle | None = None

    def set_default_headers(self) -> None:
        """Nothing about the server's software."""
        self.clear_header("Server")
        self.set_header("Content-Type", "application/json")

    def prepare(self) -> None:
        """The header is there: now the body has its time."""
        self.connections.note(self._stream, Phase.ARRIVING)
        seconds = self.service.limits.read_timeout
        late = RequestError(408, f"the body did not arrive within {seconds:g} seconds")
        self._timer = asyncio.get_running_loop().call_later(seconds, self.refuse, late)

    def data_received(self, chunk: bytes) -> None:
        """A part of the body, which nobody wants."""

    def refuse(self, error: RequestError) -> None:
        """Answers at once, whatever is still to come of the request, and closes the connection."""
        if not self._finished:
            self.send_error(error.status, exc_info=(type(error), error, None))

    def answer(self, content: Any, status: int = 200) -> None:
        """Answers with JSON that people can read."""
        self.set_status(status)
        self.finish(json.dumps(content, ensure_ascii=False, indent=1))

    def send_error(self, status_code: int = 500, **kwargs: Any) -> None:
        """Answers with what an exception means to the sender."""
        _, error, _ = kwargs.get("exc_info", (None, None, None))
        super().send_error(error.status if isinstance(error, RequestError) else status_code, **kwargs)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Says in one line what is wrong."""
        _, error, _ = kwargs.get("exc_info", (None, None, None))
        message = "the server failed; its log says why"
        if status_code == 405:
            self.set_header("Allow", ", ".join(self.methods))
            message = f"{self.request.method} is not for {self.path()}; expected {' or '.join(self.methods)}"
        elif isinstance(error, HTTPError):
            message = error.log_message or error.reason or "the request can't be understood"
        elif isinstance(error, RequestError):
            message = str(error)
            for name, value in error.headers.items():
                self.set_header(name, value)
        self.write(json.dumps({"error": message}, ensure_ascii=False, indent=1))

    def log_exception(self, kind: Any, error: Any, trace: Any) -> None:
        """Logs what is the server's mistake, not what is the sender's."""
        if not isinstance(error, RequestError | HTTPError):
            super().log_exception(kind, error, trace)

    def finish(self, chunk: str | bytes | None = None) -> asyncio.Future:
        """Sends the answer, which has to be taken in time."""
        self._stop_timer()
        self.connections.note(self._stream, Phase.SENDING)
        sent = super().finish(chunk)
        seconds = self.service.limits.read_timeout
        late = asyncio.get_running_loop().call_later(seconds, self.connections.end, self._stream)
        sent.add_done_callback(lambda _: self._sent(late))
        return sent

    def on_connection_close(self) -> None:
        """The client has gone."""
        self._stop_timer()
        super().on_connection_close()

    def path(self) -> str:
        """The path that was asked for, as messages quote it."""
        path = self.request.path
        return path if len(path) <= _QUOTED else path[:_QUOTED] + "..."

    def compute_etag(self) -> None:
        """None: answers aren't kept."""

    def _sent(self, late: asyncio.TimerHandle) -> None:
        late.cancel()
        self.connections.note(self._stream, Phase.IDLE)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
