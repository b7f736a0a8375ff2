"""A plain HTTP client for the server's tests, based on http.client alone."""

import http.client
import json
from collections.abc import Iterable
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """A response with its JSON content."""

    status: int
    content: Any
    headers: http.client.HTTPMessage

    @property
    def error(self) -> str:
        assert self.content.keys() == {"error"}, self.content
        return self.content["error"]


class Client:
    """Sends requests to a local port, each over its own connection."""

    def __init__(self, port: int, timeout: float = 60):
        self.port, self.timeout = port, timeout

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def predict(self, **request: Any) -> Answer:
        return self.send("POST", "/v1/models/coref:predict", json.dumps(request).encode())

    def resolve(self, **request: Any) -> Answer:
        return self.send("POST", "/resolve", json.dumps(request).encode())

    def text(self, text: str) -> Answer:
        return self.predict(signature_name="text", inputs=text)

    def send(
        self, method: str, path: str, body: bytes | Iterable[bytes] | None = None, **headers: str
    ) -> Answer:
        """Sends a request; an iterable body is sent in chunks, without a Content-Length."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        headers = {"Content-Type": "application/json"} | headers
        try:
            chunked = body is not None and not isinstance(body, bytes)
            connection.request(method, path, body, headers, encode_chunked=chunked)
            response = connection.getresponse()
            assert response.headers["Content-Type"] == "application/json"
            return Answer(response.status, json.loads(response.read() or "null"), response.headers)
        finally:
            connection.close()
