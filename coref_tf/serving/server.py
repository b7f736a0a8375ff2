"""From the command line to a server that runs until it is told to stop."""

import argparse
import asyncio
import os
import signal
import socket
import threading

import tensorflow as tf

from coref_tf.api.resolver import Resolver
from coref_tf.export.exported_model import ExportedModel
from coref_tf.inference.predictor import Predictor
from coref_tf.models.export_folder import ExportFolder
from coref_tf.models.trained_model import TrainedModel
from coref_tf.page.data import PageSettings
from coref_tf.serving.answers import ServedModel
from coref_tf.serving.handlers import Site, host_name
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import Connections, HttpServer, format_address
from coref_tf.serving.requests import Source
from coref_tf.serving.routes import application
from coref_tf.serving.workers import Workers

_EXAMPLE = Source("Ana said she was late.")


def serve(listener: socket.socket, model: TrainedModel | ExportFolder, arguments: argparse.Namespace) -> None:
    """Loads a model, listens, and leaves the process after SIGTERM or SIGINT, once requests are answered."""
    limits = Limits(*(getattr(arguments, name) for name in Limits._fields))
    # An op of a long document keeps one of TensorFlow's threads busy for seconds: a short one beside it needs others.
    tf.config.threading.set_inter_op_parallelism_threads(2 * (limits.parallel + 1))
    served = load_served_model(model)
    served.predict(_EXAMPLE)
    hosts = frozenset(host_name(name) for name in [arguments.host, *arguments.allowed_host])
    server = Server(served, limits, arguments.name, hosts, arguments.page)
    asyncio.run(_run(server, listener, arguments.grace))
    # A computation whose time was over may still be under way: nobody waits for it.
    os._exit(0)


class Server:
    """A model behind HTTP, under a name; with a page to type into unless `page` says no. `hosts` are other names than
    the loopback ones under which clients may reach it.
    """

    def __init__(
        self,
        served: ServedModel,
        limits: Limits,
        name: str = "coref",
        hosts: frozenset[str] = frozenset(),
        page: bool = True,
    ):
        self.served, self.workers = served, Workers(limits)
        self.connections = Connections(limits.connections)
        site = Site(served, name, limits, self.workers, self.connections, hosts)
        self.http = HttpServer(application(site, page), self.connections, limits)

    async def stop(self, grace: float) -> None:
        """Accepts nothing new, answers what has begun to arrive within the grace, and closes the rest."""
        self.http.stop()
        self.connections.close_idle()
        await self.connections.wait_until_closed(grace)
        await self.http.close_all_connections()


async def _run(server: Server, listener: socket.socket, grace: float) -> None:
    told_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    server.http.listen_on(listener)
    print(f"serving on {format_address(listener)}", flush=True)
    if isinstance(server.served.model, Predictor):  # otherwise some request would have to wait for its graph
        document = server.served.resolver.document(_EXAMPLE.words)
        threading.Thread(target=server.served.model.trace, args=[document, True], daemon=True).start()
    await told_to_stop.wait()
    await server.stop(grace)


def load_served_model(model: TrainedModel | ExportFolder) -> ServedModel:
    """Makes an opened model ready to predict."""
    if isinstance(model, TrainedModel):
        predictor, settings = Predictor.from_models([model]), model.settings
        resolver = Resolver(predictor, settings.language, settings.default_genre)
        return ServedModel(model.name, predictor, resolver, PageSettings.from_experiments([settings]))
    exported = ExportedModel(model.version)
    about = exported.about
    if about is None:
        return ServedModel(model.path.name, exported, Resolver(exported), None)
    resolver = Resolver(exported, about.language)
    return ServedModel(
        " + ".join(about.names), exported, resolver, about.settings if exported.has_details else None
    )
