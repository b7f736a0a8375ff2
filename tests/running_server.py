"""A server that runs in a thread of this process."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from fake_model import FakeModel
from http_client import Client

from coref_tf.serving.answers import ServedModel
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import bind
from coref_tf.serving.server import Server


@contextlib.contextmanager
def running(
    model: FakeModel | ServedModel | dict[str, ServedModel],
    page: bool = True,
    hosts: frozenset[str] = frozenset(),
    more_routes: Callable = lambda site: (),
    port: int = 0,
    **limits,
) -> Iterator[Client]:
    """Runs a server of one model, or of several by name, and yields a client; client.server is the server."""
    served = model.served() if isinstance(model, FakeModel) else model
    models = served if isinstance(served, dict) else {"coref": served}
    listener = bind("127.0.0.1", port)
    client = Client(listener.getsockname()[1])
    ready, stopped = threading.Event(), None

    async def run() -> None:
        nonlocal stopped
        client.server, stopped = Server(models, Limits(**limits), hosts, page, more_routes), asyncio.Event()
        client.loop = asyncio.get_running_loop()
        client.server.http.listen_on(listener)
        ready.set()
        await stopped.wait()
        await client.server.stop(grace=5)

    thread = threading.Thread(target=asyncio.run, args=[run()])
    thread.start()
    try:
        assert ready.wait(10)
        yield client
    finally:
        if isinstance(model, FakeModel):
            model.go.set()
        client.loop.call_soon_threadsafe(stopped.set)
        thread.join()


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Waits until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"the condition was still false after {seconds} seconds"
        time.sleep(0.02)
