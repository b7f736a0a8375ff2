"""Runs a server with the options of the command line until it is stopped."""

import argparse
import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from coref_tf.api.resolver import Resolver
from coref_tf.export.about import export_cautious_probability
from coref_tf.export.exported_model import ExportedModel
from coref_tf.inference.predictor import Predictor
from coref_tf.models.export_folder import ExportFolder
from coref_tf.models.trained_model import TrainedModel, cautious_probability
from coref_tf.page.data import PageSettings
from coref_tf.serving.answers import ServedModel
from coref_tf.serving.handlers import Site, host_name
from coref_tf.serving.limits import Limits
from coref_tf.serving.listener import Connections, HttpServer, format_address
from coref_tf.serving.requests import Source
from coref_tf.serving.routes import Route, application
from coref_tf.serving.workers import Workers
from coref_tf.support.progress import Steps

_EXAMPLE = Source("Ana said she was late.")


Opened = TrainedModel | ExportFolder


def serve(
    listener: socket.socket,
    opened: Mapping[str, Opened],
    arguments: argparse.Namespace,
    steps: Steps,
    more_routes: Callable[[Site], Sequence[Route]] = lambda site: (),
) -> None:
    """Loads models, listens, and exits after SIGTERM or SIGINT, once open requests are answered.

    Args:
        listener: A bound socket.
        opened: The models, by their names in URLs.
        arguments: The parsed command line.
        steps: Reports the progress of loading, with two steps per model.
        more_routes: Creates additional routes.
    """
    limits = Limits(*(getattr(arguments, name) for name in Limits._fields))
    # An op on a long document keeps a TensorFlow thread busy for seconds, so a concurrent short document needs others.
    tf.config.threading.set_inter_op_parallelism_threads(2 * (limits.parallel + 1))
    models = {}
    for name, model in opened.items():
        steps.begin(f"building {_name(model)}")
        models[name] = load_served_model(model)
        steps.begin(f"trying {_name(model)} on a sentence")
        models[name].predict(_EXAMPLE)
    steps.close()
    hosts = frozenset(host_name(name) for name in [arguments.host, *arguments.allowed_host])
    server = Server(models, limits, hosts, arguments.page, more_routes)
    asyncio.run(_run(server, listener, arguments.grace, bool(arguments.annotate)))
    # A computation that timed out may still be running, but nobody waits for it.
    os._exit(0)


class Server:
    """Serves models over HTTP.

    Args:
        models: The models, by their names in URLs; the first one is the default of the page.
        limits: The limits of requests.
        hosts: Host names, besides the loopback ones, by which clients may reach the server.
        page: Whether to serve the page with the form.
        more_routes: Creates additional routes.
    """

    def __init__(
        self,
        models: Mapping[str, ServedModel],
        limits: Limits,
        hosts: frozenset[str] = frozenset(),
        page: bool = True,
        more_routes: Callable[[Site], Sequence[Route]] = lambda site: (),
    ):
        self.models, self.workers = models, Workers(limits)
        self.connections = Connections(limits.connections)
        site = Site(models, limits, self.workers, self.connections, hosts)
        self.http = HttpServer(application(site, page, more_routes(site)), self.connections, limits)

    async def stop(self, grace: float) -> None:
        """Stops accepting connections, finishes open requests within the grace period, and closes the rest."""
        self.http.stop()
        self.connections.close_idle()
        await self.connections.wait_until_closed(grace)
        await self.http.close_all_connections()


async def _run(server: Server, listener: socket.socket, grace: float, annotates: bool) -> None:
    told_to_stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    server.http.listen_on(listener)
    address = format_address(listener)
    print(f"serving on {address}", flush=True)
    if annotates:
        print(f"annotation page: {address}/annotate", flush=True)
    threading.Thread(target=_trace, args=[list(server.models.values())], daemon=True).start()
    await told_to_stop.wait()
    await server.stop(grace)


def _trace(models: Sequence[ServedModel]) -> None:
    """Traces the graphs of the models, so that no request has to wait for it."""
    for served in models:
        if isinstance(served.model, Predictor):
            served.model.trace(served.resolver.document(_EXAMPLE.words), True)


def _name(model: Opened) -> str:
    return model.name if isinstance(model, TrainedModel) else model.path.name


def load_served_model(model: TrainedModel | ExportFolder) -> ServedModel:
    """Loads an opened model."""
    if isinstance(model, TrainedModel):
        predictor, settings = Predictor.from_models([model]), model.settings
        resolver = Resolver(
            predictor, settings.language, settings.default_genre, cautious_probability([model])
        )
        return ServedModel(
            model.name,
            predictor,
            resolver,
            PageSettings.from_experiments([settings]),
            settings.genres,
            settings.default_genre,
        )
    exported = ExportedModel(model.version)
    about = exported.about
    if about is None:
        return ServedModel(model.path.name, exported, Resolver(exported), None)
    cautious = export_cautious_probability(model.version)
    resolver = Resolver(exported, about.language, cautious_probability=cautious)
    page_settings = about.settings if exported.has_details else None
    name = " + ".join(about.names)
    return ServedModel(name, exported, resolver, page_settings, about.genres, about.default_genre)
