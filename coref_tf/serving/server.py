"""From the command line to a server that runs until it is told to stop."""

import argparse
import asyncio
import os
import resource
import signal
import socket
import sys
import threading

import tensorflow as tf

from coref_tf.serving.http_server import HttpServer
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import address
from coref_tf.serving.model_versions import ModelVersions
from coref_tf.serving.served_folder import served_folder
from coref_tf.serving.service import Service
from coref_tf.support.errors import CorefError

# Files that TensorFlow, a version that is being loaded and Python have open.
_OTHER_FILES = 256

# How many may wait to be let in when a crowd comes: the system leaves out who finds no room.
_BACKLOG = 1024


def serve(listener: socket.socket, arguments: argparse.Namespace) -> None:
    """Loads the model, listens, and leaves the process when SIGTERM or SIGINT has come and requests have ended."""
    limits = Limits(*(getattr(arguments, name) for name in Limits._fields))
    allow_connections(limits.connections)
    tf.get_logger().setLevel("ERROR")  # that sessions are of TensorFlow 1 is known
    with served_folder(arguments.model) as folder:
        versions = ModelVersions(folder)
        versions.begin()
    # Where a temporary folder has gone, the watch finds nothing, and what is loaded goes on.
    watcher = threading.Thread(target=versions.watch, args=(arguments.poll, threading.Event()), daemon=True)
    watcher.start()
    asyncio.run(_run(Service(arguments.name, versions, limits), listener, arguments))
    sys.stdout.flush()
    sys.stderr.flush()
    # A computation whose time was over, or the loading of a version, may still be under way: nobody waits for it.
    os._exit(0)


async def _run(service: Service, listener: socket.socket, arguments: argparse.Namespace) -> None:
    told_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    server = HttpServer(service, page=arguments.page)
    listen(server, listener)
    page = f"; the page is at {address(listener)}/" if arguments.page else ""
    print(f"listening on {address(listener)}/v1/models/{service.name}{page}", flush=True)
    await told_to_stop.wait()
    await server.stop_gently(arguments.grace)


def listen(server: HttpServer, listener: socket.socket) -> None:
    """From now on the server can be reached."""
    listener.setblocking(False)
    listener.listen(_BACKLOG)
    server.add_socket(listener)


def allow_connections(connections: int) -> None:
    """Has the system let the process open as many files as the connections need, or says that it doesn't."""
    needed = connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise CorefError(
            f"{connections} connections need {needed} open files, and {hard} are allowed;"
            f" pass --connections {max(1, hard - _OTHER_FILES)} or raise the limit (ulimit -Hn)"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
