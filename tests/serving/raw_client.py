"""Connections that send what no client would, byte by byte."""

import contextlib
import json
import socket
from collections.abc import Iterator

PREDICT = "/v1/models/coref:predict"


def header(length: int, *more: str, path: str = PREDICT) -> bytes:
    """The header of a request whose body has a length."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {length}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


@contextlib.contextmanager
def connections(port: int, number: int, begin: bytes = b"") -> Iterator[list[socket.socket]]:
    """Some connections that have sent something."""
    with contextlib.ExitStack() as stack:
        lines = []
        for _ in range(number):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            lines.append(line)
            with contextlib.suppress(OSError):  # given up by the server meanwhile
                line.sendall(begin)
        yield lines


def everything(line: socket.socket) -> bytes:
    """What the server sends until it closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := line.recv(65536):
            received += part
    return received


def asks(*texts: str) -> bytes:
    """A whole request for the clusters of some texts."""
    body = json.dumps({"signature_name": "text", "instances": texts}).encode()
    return header(len(body)) + body
