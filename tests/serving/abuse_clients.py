"""Abusive connections for a load test: slow, silent, expensive, and closed before the answer.

python tests/serving/abuse_clients.py PORT [SECONDS]

The last line of the output is JSON: the number of connections of each kind, and the statuses that they received.
"""

import collections
import contextlib
import itertools
import json
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator

from raw_client import header

SILENT, SLOW, AT_A_TIME = 1100, 66, 20
FILES = SILENT + 2 * SLOW + 256


class Abuse:
    """Counts connections and the statuses that they received, by kind."""

    def __init__(self, port: int, end: float):
        self.port, self.end = port, end
        self.begun: collections.Counter[str] = collections.Counter()
        self.statuses: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)

    def kinds(self) -> list[Callable[[], None]]:
        """Returns the functions to run, each in its own thread."""
        requests = header(10**6)
        return [
            lambda: self.hold("silent", SILENT, lambda sent: b""),
            lambda: self.hold("slow header", SLOW, lambda sent: requests[sent : sent + 1]),
            lambda: self.hold("slow body", SLOW, lambda sent: b" " if sent else requests + b"{"),
            lambda: self.hold("almost a body", 40, lambda sent: b"" if sent else almost()),
            lambda: self.hold("reads nothing", 4, lambda sent: PAGE * 200),
            *[lambda first=first: self.hostile(first) for first in range(2)],
            self.leave,
        ]

    def connect(self, kind: str) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.begun[kind] += 1
        return line

    def hold_one(self, kind: str) -> socket.socket:
        """A non-blocking connection."""
        line = self.connect(kind)
        line.setblocking(False)
        return line

    def hold(self, kind: str, number: int, more: Callable[[int], bytes]) -> None:
        """Keeps a number of connections open, which send a few bytes at a time, and replaces closed ones.

        Args:
            kind: The name of this kind of connection.
            number: The number of connections.
            more: A function from the number of bytes sent so far to the next bytes.
        """
        lines: dict[socket.socket, int] = {}
        while time.monotonic() < self.end:
            for _ in range(min(AT_A_TIME, number - len(lines))):
                lines[self.hold_one(kind)] = 0
            for line in list(lines):
                if not self.is_open(kind, line):
                    line.close()
                    del lines[line]
                    continue
                with contextlib.suppress(OSError):
                    lines[line] += line.send(more(lines[line]))
            time.sleep(0.1)
        for line in lines:
            line.close()

    def is_open(self, kind: str, line: socket.socket) -> bool:
        """Whether the server has neither answered nor closed the connection; "reads nothing" ignores answers."""
        if kind == "reads nothing":
            return line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
        try:
            received = line.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            received = b""
        self.statuses[kind][status_of(received)] += 1
        return False

    def hostile(self, first: int) -> None:
        """Sends every second of the hostile bodies in turn and waits for the answers."""
        bodies = itertools.cycle(list(hostile_bodies())[first::2])
        while time.monotonic() < self.end:
            kind, body = next(bodies)
            received = b""
            with contextlib.suppress(OSError), self.connect(kind) as line:
                line.settimeout(90)
                line.sendall(header(len(body)) + body)
                received = line.recv(4096)
            self.statuses[kind][status_of(received)] += 1

    def leave(self) -> None:
        """Sends expensive requests and closes the connection at once."""
        body = json.dumps(
            {"signature_name": "text", "instances": ["Ana saw Bo. She left. " * 20] * 100}
        ).encode()
        while time.monotonic() < self.end:
            with contextlib.suppress(OSError), self.connect("leaves") as line:
                line.sendall(header(len(body)) + body)
                time.sleep(0.1)
            time.sleep(0.4)


PAGE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def almost() -> bytes:
    """A request whose body of 1 MB lacks its end."""
    return header(2**20) + b" " * (2**20 - 100)


def hostile_bodies() -> Iterator[tuple[str, bytes]]:
    """Bodies that are small enough to be accepted, but expensive to process."""
    size = 2**20 - 100

    def documents(item: bytes) -> bytes:
        return b'{"signature_name": "text", "instances": [%s]}' % b",".join(
            [item] * (size // (len(item) + 1))
        )

    yield "empty documents", documents(b'""')
    yield "empty objects", documents(b"{}")
    yield "keys", b"{%s}" % b",".join(b'"%d":1' % number for number in range(95_000))
    yield "repeated key", b'{%s,"0":2}' % b",".join(b'"%d":1' % number for number in range(95_000))
    yield "many documents", b'{"signature_name": "text", "instances": [%s]}' % b",".join([b'""'] * 300_000)
    yield "levels", b"[" * size
    yield "985 levels", b'{"inputs": %s%s}' % (b"[" * 985, b"]" * 985)
    yield "digits", b'{"inputs": %s}' % (b"9" * size)
    yield "blanks", b'{"signature_name": "text", "inputs": "%s"}' % (b" " * (size - 50))
    yield "one word", b'{"signature_name": "text", "inputs": "%s"}' % (b"x" * (size - 50))
    yield "signs", b'{"signature_name": "text", "inputs": "%s"}' % (b"." * 15_000)
    yield "escapes", b'{"signature_name": "text", "inputs": "%s"}' % (b"\\ud83d" * (size // 8))
    yield "no UTF-8", b'{"inputs": "%s"}' % (b"\xff" * (size - 50))


def status_of(received: bytes) -> str:
    """The status of an answer, or "closed" if there was none."""
    return received.split()[1].decode() if received.startswith(b"HTTP/1.1 ") else "closed"


def main(port: int, seconds: float = 60) -> None:
    """Runs all kinds and prints their counts and statuses."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    abuse = Abuse(port, time.monotonic() + seconds)
    threads = [threading.Thread(target=kind) for kind in abuse.kinds()]
    print("begun", flush=True)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"begun": abuse.begun, "statuses": abuse.statuses}), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
