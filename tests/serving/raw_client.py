"""Raw connections, which can send bytes that no HTTP client would send."""

import contextlib
import json
import socket
from collections.abc import Iterator

PREDICT = "/v1/models/coref:predict"


def header(length: int, *more: str, path: str = PREDICT) -> bytes:
    """The header of a request whose body has the given length."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


@contextlib.contextmanager
def connections(port: int, number: int, begin: bytes = b"") -> Iterator[list[socket.socket]]:
    """Opens connections and sends `begin` on each."""
    with contextlib.ExitStack() as stack:
        lines = []
        for _ in range(number):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            lines.append(line)
            with contextlib.suppress(OSError):  # the server may have closed it already
                line.sendall(begin)
        yield lines


def read_all(line: socket.socket) -> bytes:
    """Reads until the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := line.recv(65536):
            received += part
    return received


def text_request(*texts: str) -> bytes:
    """A complete request for the clusters of texts."""
    body = json.dumps({"signature_name": "text", "instances": texts}).encode()
    return header(len(body)) + body
