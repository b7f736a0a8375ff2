"""From the command line to a server that runs until it is told to stop."""

import argparse
import os
import signal
import socket
import sys
import threading

import tensorflow as tf
import uvicorn

from coref_tf.serving.app import Service
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import address
from coref_tf.serving.model_versions import ModelVersions
from coref_tf.serving.workers import Workers

KEEP_ALIVE_SECONDS = 60


def serve(listener: socket.socket, arguments: argparse.Namespace) -> None:
    """Loads the model, listens, and leaves the process when SIGTERM or SIGINT has come and requests have ended."""
    tf.get_logger().setLevel("ERROR")  # that sessions are of TensorFlow 1 is known
    versions = ModelVersions(arguments.folder)
    versions.begin()
    limits = Limits(*(getattr(arguments, name) for name in Limits._fields))
    workers = Workers(limits)
    server = uvicorn.Server(
        configuration(Service(arguments.name, versions, workers, limits), arguments.grace)
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn takes them over, and raises them again at its end: they have done their work then.
        signal.signal(number, server.handle_exit)
    watcher = threading.Thread(target=versions.watch, args=(arguments.poll, threading.Event()), daemon=True)
    watcher.start()
    listener.listen()
    print(f"listening on {address(listener)}/v1/models/{arguments.name}", flush=True)
    server.run(sockets=[listener])
    workers.close()
    sys.stdout.flush()
    sys.stderr.flush()
    # A computation whose time was over, or the loading of a version, may still be under way: nobody waits for it.
    os._exit(0)


def configuration(service: Service, grace: float) -> uvicorn.Config:
    """How uvicorn is to run the service."""
    return uvicorn.Config(
        service.app(),
        http="h11",
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=grace,
    )
