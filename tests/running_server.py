"""A server in a thread of this process, stopped at the end."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from http_client import Client

from coref_tf.serving.http_server import HttpServer
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import bind
from coref_tf.serving.loaded_model import LoadedModel
from coref_tf.serving.model_versions import ModelVersions
from coref_tf.serving.server import listen
from coref_tf.serving.service import Service


@contextlib.contextmanager
def running(folder: Path, load=LoadedModel, page: bool = True, **limits) -> Iterator[Client]:
    """A server of the folder; client.versions is what it serves."""
    versions = ModelVersions(folder, load)
    versions.begin()
    service = Service("coref", versions, Limits(**limits))
    listener = bind("127.0.0.1", 0)
    client = Client(listener.getsockname()[1])
    client.versions, client.workers = versions, service.workers
    ready = threading.Event()

    async def run() -> None:
        client.server, client.loop, client.told = (
            HttpServer(service, page=page),
            asyncio.get_running_loop(),
            asyncio.Event(),
        )
        listen(client.server, listener)
        ready.set()
        await client.told.wait()
        await client.server.stop_gently(grace=5)

    thread = threading.Thread(target=asyncio.run, args=[run()])
    thread.start()
    try:
        assert ready.wait(10)
        yield client
    finally:
        client.loop.call_soon_threadsafe(client.told.set)
        thread.join()


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Waits for something that is about to be so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)
