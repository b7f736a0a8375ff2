"""A server in a thread of this process, stopped at the end."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn
from http_client import Client

from coref_tf.serving.app import Service
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import bind
from coref_tf.serving.model_versions import ModelVersions
from coref_tf.serving.server import configuration
from coref_tf.serving.workers import Workers


@contextlib.contextmanager
def running(folder: Path, **limits) -> Iterator[Client]:
    """A server of the folder; client.versions is what it serves."""
    limits = Limits(**limits)
    versions = ModelVersions(folder)
    versions.begin()
    workers = Workers(limits)
    server = uvicorn.Server(configuration(Service("coref", versions, workers, limits), grace=5))
    listener = bind("127.0.0.1", 0)
    listener.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        client = Client(listener.getsockname()[1])
        client.versions, client.workers = versions, workers
        yield client
    finally:
        server.should_exit = True
        thread.join()
        workers.close()


def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Waits for something that is about to be so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)
