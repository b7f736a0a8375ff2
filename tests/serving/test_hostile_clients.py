"""Clients that are slow or silent, send too much or disconnect don't delay other clients."""

import gc
import json
import socket
import time

import pytest
from raw_client import PREDICT, connections, header, read_all, text_request
from running_server import running, until

from coref_tf.serving.listener import Connections, Phase


def test_incomplete_bodies_take_no_place_in_the_queue(model):
    """66 connections that have sent one byte of their body don't lock other clients out."""
    with (
        running(model, parallel=1, queue=0) as server,
        connections(server.port, 66, header(9) + b"{") as lines,
    ):
        until(lambda: len(server.server.connections) == 66)
        assert server.get("/healthz").content["requests"] == 0
        assert server.text("Ana").status == 200
        lines[0].sendall(b"        ")
        assert lines[0].recv(4096).startswith(b"HTTP/1.1 400 ")


def test_slow_headers_and_bodies_time_out(model):
    with running(model, read_timeout=0.4) as server:
        with connections(server.port, 2) as (silent, dripping):
            for byte in header(9):
                try:
                    dripping.sendall(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.02)
            else:
                raise AssertionError("a slow header did not time out")
            assert read_all(silent) == b""
        with connections(server.port, 1, header(9) + b"{") as (line,):
            assert read_all(line) == b""
        until(lambda: len(server.server.connections) == 0)


def test_idle_connections_are_closed_for_new_ones(model):
    """With more silent connections than allowed, the oldest is closed; one with a request is kept."""
    with (
        running(model, timeout=3) as server,
        connections(server.port, 1) as (first,),
        connections(server.port, 1, text_request("zzz")) as (asking,),
        connections(server.port, 600),
    ):
        assert read_all(first) == b""
        assert server.text("Ana").status == 200
        assert len(server.server.connections) <= 512
        assert asking.recv(4096).startswith(b"HTTP/1.1 504 ")


class Stream:
    """A fake stream with a real socket pair."""

    def __init__(self):
        self.socket, self.client = socket.socketpair()

    def closed(self):
        return self.socket.fileno() < 0

    def close(self):
        self.socket.close()


def test_which_connections_are_closed_first():
    """Idle connections are closed first, the oldest before others, and those that wait for an answer never."""
    open_, streams = Connections(4), [Stream() for _ in range(4)]
    for stream in streams:
        open_.note(stream, Phase.IDLE)
    answering, arriving, idle, again = streams
    open_.note(answering, Phase.ANSWERING)
    open_.note(arriving, Phase.TRANSFERRING)
    open_.note(idle, Phase.TRANSFERRING)
    open_.note(idle, Phase.IDLE)  # idle later than `again`
    hasty = Stream()
    open_.note(hasty, Phase.IDLE)
    hasty.client.send(b"POST")  # not read yet
    gone = [again]
    for _ in range(2):
        new = Stream()
        open_.note(new, Phase.IDLE)
        open_.note(new, Phase.ANSWERING)
        gone += [stream for stream in streams if stream.closed() and stream not in gone]
    assert gone == [again, idle, arriving] and not hasty.closed()
    open_.note(Stream(), Phase.IDLE)
    assert hasty.closed() and not answering.closed() and len(open_) == 4
    open_.note(arriving, Phase.IDLE)  # an event of a closed connection doesn't bring it back
    assert len(open_) == 4


def test_refused_requests_leave_no_garbage(model):
    """Parsed bodies are freed at once, without waiting for the garbage collector."""

    def large():
        return sum(isinstance(item, list | dict) and len(item) >= 20_000 for item in gc.get_objects())

    repeated_key = b'{%s,"0":2}' % b",".join(b'"%d":1' % number for number in range(20_000))
    many = b'{"signature_name": "text", "instances": [%s]}' % b",".join([b'""'] * 20_000)
    with running(model) as server:
        gc.collect()
        gc.disable()
        try:
            before = large()
            for body in (repeated_key, many):
                assert server.send("POST", PREDICT, body).status in (400, 413)
            until(lambda: server.server.workers.requests == 0)
            assert large() == before
        finally:
            gc.enable()


def test_a_body_declared_too_long_is_not_stored(model):
    most = 2**20
    with (
        running(model, max_body=most) as server,
        connections(server.port, 10, header(most + 1) + b" " * (most - 10)) as lines,
    ):
        assert server.text("Ana").status == 200
        for line in lines:
            line.sendall(b" " * 11)
            assert line.recv(20).startswith(b"HTTP/1.1 413 ")


def test_work_ends_when_the_client_disconnects(model):
    """A waiting request is dropped, and a running one computes no further document."""
    body = json.dumps({"signature_name": "text", "instances": ["zzz"] * 40}).encode()
    with running(model, parallel=1, timeout=60) as server:
        with connections(server.port, 2, header(len(body)) + body):
            until(lambda: len(model.documents) == 2)
            with connections(server.port, 3, text_request("Ana")):
                until(lambda: server.server.workers.requests == 5)
            until(lambda: server.server.workers.requests == 2)
        until(lambda: len(server.server.connections) == 0)
        model.go.set()
        until(lambda: server.server.workers.requests == 0)
        assert len(model.documents) <= 4
        assert server.text("Ana").status == 200


def test_bodies_with_very_many_keys_are_refused_quickly(model):
    keys = ",".join(f'"{number}":1' for number in range(100_000))
    with running(model, timeout=20) as server:
        answer = server.send("POST", PREDICT, f'{{{keys},"99999":2}}'.encode())
        assert answer.status == 400 and answer.error.endswith("the key '99999' occurs twice in one object")
        answer = server.send("POST", PREDICT, b"{" + b'"":1,' * 220_000 + b'"a":2}')
        assert answer.status == 413 and "longer than 1 MB" in answer.error
        answer = server.send("POST", PREDICT, b"[" * 600_000)
        assert answer.status == 413 and "the request has 600,000 commas and brackets" in answer.error
        until(lambda: server.get("/healthz").content["requests"] == 0)


@pytest.mark.parametrize(
    "more",
    ["Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Content-Length: 3", "Content-Length : 2"],
)  # fmt: skip
def test_ambiguous_headers_are_a_400(server, more):
    with connections(server.port, 1, header(2, more) + b"{}") as (line,):
        assert read_all(line).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("length", ["-1", "+2", "0x2", "2" * 5000, "two"])
def test_invalid_lengths_are_a_4xx(server, length):
    with connections(server.port, 1, header(2).replace(b": 2", f": {length}".encode())) as (line,):
        assert read_all(line).split()[1] in (b"400", b"413")


def test_a_connection_serves_several_requests(server):
    with connections(server.port, 1) as (line,):
        for _ in range(3):
            line.sendall(text_request("Ana"))
            assert line.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_disconnecting_with_pending_requests_is_not_an_error(model, caplog):
    with running(model) as server:
        for _ in range(5):
            with connections(server.port, 1, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200):
                pass
        until(lambda: len(server.server.connections) == 0)
        assert server.text("Ana").status == 200
    assert "Uncaught exception" not in caplog.text
