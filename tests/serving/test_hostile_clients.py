"""Clients that hold back, hold on, send too much or go away: nobody else waits for them."""

import gc
import json
import socket
import threading
import time

import pytest
from raw_client import PREDICT, connections, everything, header
from running_server import running, until

from coref_tf.serving import workers
from coref_tf.serving.arriving_bodies import ArrivingBodies
from coref_tf.serving.connections import Connections, Phase

SLOW = "slow 1000000000"


def asks(text: str) -> bytes:
    body = json.dumps({"signature_name": "text", "inputs": text}).encode()
    return header(len(body)) + body


def test_places_are_for_bodies_that_are_there(tiny_models):
    """66 connections that send a byte of a body lock nobody out."""
    with (
        running(tiny_models, parallel=1, queue=0) as server,
        connections(server.port, 66, header(9) + b"{") as lines,
    ):
        until(lambda: len(server.server.connections) == 66)
        assert server.get("/healthz").content["requests"] == 0
        assert server.text("Ana").status == 200
        lines[0].sendall(b"        ")
        assert lines[0].recv(4096).startswith(b"HTTP/1.1 400 ")


def test_headers_and_bodies_have_their_time(tiny_models):
    with running(tiny_models, read_timeout=0.4) as server:
        with connections(server.port, 2) as (silent, dripping):
            for byte in header(9):
                try:
                    dripping.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.02)
            else:
                raise AssertionError("a header could drip on")
            assert everything(silent) == b""
        with connections(server.port, 1, header(9) + b"{") as (line,):
            received = everything(line)
        assert received.startswith(b"HTTP/1.1 408 ") and b"did not arrive within 0.4 seconds" in received
        until(lambda: len(server.server.connections) == 0)


def test_answers_that_nobody_reads_have_their_time(tiny_models):
    with running(tiny_models, read_timeout=1) as server, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", server.port))
        line.sendall(asks(" ".join(f"A{number}" for number in range(19_000))) * 20)
        until(lambda: len(server.server.connections) == 1)
        until(lambda: len(server.server.connections) == 0)
        assert server.text("Ana").status == 200


def test_idle_connections_make_room(tiny_models):
    """Many more silent ones than there may be; one with a request is kept."""
    with (
        running(tiny_models, connections=20, parallel=2, queue=0, timeout=3) as server,
        connections(server.port, 1) as (first,),
        connections(server.port, 1, asks(SLOW)) as (asking,),
        connections(server.port, 60),
    ):
        assert everything(first) == b""
        assert server.text("Ana").status == 200
        assert len(server.server.connections) <= 20
        assert asking.recv(4096).startswith(b"HTTP/1.1 504 ")


class Stream:
    """A connection that remembers that it was closed."""

    def __init__(self):
        self.socket, self.client = socket.socketpair()

    def closed(self):
        return self.socket.fileno() < 0

    def close(self):
        self.socket.close()


def test_who_makes_room_first():
    """The idle one that has been so for longest, then who takes no answer, then who sends no body."""
    open_, streams = Connections(5), [Stream() for _ in range(5)]
    for stream in streams:
        open_.add(stream)
    answering, arriving, sending, idle, again = streams
    open_.note(answering, Phase.ANSWERING)
    open_.note(arriving, Phase.ARRIVING)
    open_.note(sending, Phase.SENDING)
    open_.note(idle, Phase.ARRIVING)
    open_.note(idle, Phase.IDLE)  # later than the one that is silent from the start
    hasty = Stream()
    open_.add(hasty)
    assert again.closed()
    hasty.client.send(b"POST")  # which nobody has read yet
    gone = [again]
    for _ in range(3):
        new = Stream()
        open_.add(new)
        open_.note(new, Phase.ANSWERING)
        gone += [stream for stream in streams if stream.closed() and stream not in gone]
    assert gone == [again, idle, sending, arriving] and not hasty.closed()
    open_.add(Stream())
    assert hasty.closed() and not answering.closed() and len(open_) == 5
    open_.note(arriving, Phase.IDLE)  # what comes of a closed one doesn't bring it back
    assert len(open_) == 5


def test_one_that_has_closed_itself_goes_first():
    """Tornado takes its socket away at once, and tells later."""
    open_, gone, idle = Connections(2), Stream(), Stream()
    open_.add(gone)
    open_.add(idle)
    gone.close()
    gone.socket = None
    gone.closed, gone.close = lambda: True, lambda: None
    open_.add(Stream())
    assert not idle.closed() and len(open_) == 2


def test_what_is_refused_leaves_nothing_behind(tiny_models):
    """Not even until the garbage is collected, which may be after many of them."""

    def large():
        return sum(isinstance(item, list | dict) and len(item) >= 20_000 for item in gc.get_objects())

    repeated_key = b'{%s,"0":2}' % b",".join(b'"%d":1' % number for number in range(20_000))
    many = b'{"signature_name": "text", "instances": [%s]}' % b",".join([b'""'] * 20_000)
    with running(tiny_models) as server:
        gc.collect()
        gc.disable()
        try:
            before = large()
            for body in (repeated_key, many):
                assert server.send("POST", PREDICT, body).status in (400, 413)
            until(lambda: server.workers.taken() == 0)
            assert large() == before
        finally:
            gc.enable()


def test_the_longest_body_gives_way():
    class Receiver:
        refused = None

        def refuse(self, error):
            self.refused = error.status
            bodies.leave(self)

    bodies, long, short, new = ArrivingBodies(100), Receiver(), Receiver(), Receiver()
    bodies.grow(long, 60)
    bodies.grow(short, 40)
    bodies.grow(new, 1)
    assert [receiver.refused for receiver in (long, short, new)] == [503, None, None]
    bodies.grow(new, 59)
    bodies.leave(short)
    bodies.grow(new, 40)
    assert new.refused is None
    bodies.grow(new, 1)
    assert new.refused == 503
    bodies.grow(short, 100)
    assert short.refused is None


def test_arriving_bodies_are_kept_in_bounded_memory(tiny_models):
    """Of twelve that stop just before their end, eight fit; a short one always does."""
    most = 2**20
    with (
        running(tiny_models, max_body=most) as server,
        connections(server.port, 12, header(most) + b" " * (most - 10)) as lines,
    ):
        assert server.text("Ana").status == 200
        for line in lines:
            line.settimeout(0.3)
        assert sum(is_refused(line) for line in lines) >= 4


def test_nothing_is_kept_of_a_body_that_says_it_is_too_long(tiny_models):
    most = 2**20
    with (
        running(tiny_models, max_body=most) as server,
        connections(server.port, 10, header(most + 1) + b" " * (most - 10)) as lines,
    ):
        assert server.text("Ana").status == 200
        for line in lines:
            line.sendall(b" " * 11)
            assert line.recv(20).startswith(b"HTTP/1.1 413 ")


def is_refused(line) -> bool:
    try:
        return line.recv(20).startswith(b"HTTP/1.1 503 ")
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_waiting_bodies_are_kept_in_bounded_memory(tiny_models):
    limits = running(tiny_models, max_body=2**20, parallel=1, queue=63)
    with limits as server, server.workers.place(2**20), server.workers.place(6 * 2**20):
        body = asks("Ana").split(b"\r\n\r\n")[1]
        assert server.send("POST", PREDICT, body.ljust(2**20)).status == 200
        with server.workers.place(2**20):
            answer = server.send("POST", PREDICT, body.ljust(2**20))
            assert (answer.status, answer.error) == (503, "8,388,608 bytes are waiting already; try again")
            assert server.text("Ana").status == 200  # within its place's share


def test_work_ends_when_its_client_goes(tiny_models):
    """Of a request that waits nothing is done, of one under way no further document."""
    with running(tiny_models, parallel=1, timeout=60) as server:
        with server.versions.use() as version:
            run, runs = version.model.run, []
            version.model.run = lambda *arguments: runs.append(1) or run(*arguments)
        body = json.dumps({"signature_name": "text", "instances": ["slow 10000"] * 900}).encode()
        with connections(server.port, 1, header(len(body)) + body) as _:
            until(lambda: len(runs) > 1)
            with connections(server.port, 3, asks("Ana")):
                until(lambda: server.workers.taken() == 4)
            until(lambda: server.workers.taken() == 1)
        until(lambda: server.workers.taken() == 0)
        assert len(runs) < 900
        assert server.text("Ana").status == 200


def test_a_body_of_very_many_keys_is_soon_done_with(tiny_models):
    keys = ",".join(f'"{number}":1' for number in range(100_000))
    with running(tiny_models, timeout=20) as server:
        answer = server.send("POST", PREDICT, f'{{{keys},"99999":2}}'.encode())
        assert answer.status == 400 and answer.error.endswith("the key '99999' stands twice in one object")
        answer = server.send("POST", PREDICT, b"{" + b'"":1,' * 640_000 + b'"a":2}')
        assert answer.status == 413 and "the request has 640,001 commas and brackets" in answer.error
        until(lambda: server.get("/healthz").content["requests"] == 0)


def test_health_tells_of_stuck_workers(tiny_models, monkeypatch):
    """As long as one is left, requests are answered; with none they are refused at once."""
    monkeypatch.setattr(workers, "STUCK_SECONDS", 0.1)
    release = threading.Event()
    with running(tiny_models, parallel=2, timeout=0.2) as server, server.versions.use() as version:
        run = version.model.run
        version.model.run = lambda *rest: release.wait(20) and run(*rest)
        assert server.text("Ana").status == 504
        until(lambda: server.get("/healthz").content["stuck"] == 1)
        answer = server.get("/healthz")
        assert (answer.status, answer.content["status"]) == (200, "1 of 2 workers is stuck")
        assert server.text("Ana").status == 504
        until(lambda: server.get("/healthz").content["stuck"] == 2)
        answer = server.get("/healthz")
        assert (answer.status, answer.content["status"]) == (503, "2 of 2 workers are stuck")
        answer = server.text("Ana")
        assert (answer.status, answer.error) == (503, "every worker is stuck; try again")
        release.set()
        until(lambda: server.get("/healthz").content["status"] == "ok")
        assert server.text("Ana").status == 200


@pytest.mark.parametrize("end", ["", "/metadata"])
def test_versions_of_any_number_of_digits_are_a_404(server, end):
    for digits in (18, 19, 5000):
        answer = server.get(f"/v1/models/coref/versions/{'9' * digits}{end}")
        assert answer.status == 404 and len(answer.error) < 300


@pytest.mark.parametrize(
    "more",
    ["Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Content-Length: 3", "Content-Length : 2"],
)  # fmt: skip
def test_headers_that_can_be_read_in_two_ways_are_a_400(server, more):
    with connections(server.port, 1, header(2, more) + b"{}") as (line,):
        assert everything(line).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("length", ["-1", "+2", "0x2", "2" * 5000, "two"])
def test_lengths_that_are_none_are_a_4xx(server, length):
    with connections(server.port, 1, header(2).replace(b": 2", f": {length}".encode())) as (line,):
        assert everything(line).split()[1] in (b"400", b"413")


def test_a_connection_serves_one_request_after_the_other(server):
    with connections(server.port, 1) as (line,):
        for _ in range(3):
            line.sendall(asks("Ana"))
            assert line.recv(65536).startswith(b"HTTP/1.1 200 ")
