"""Serves a model over HTTP: a page to type into, and TensorFlow Serving's REST API.

coref serve                                              then open http://localhost:8501/
coref serve DIR --port 8501                              an export, whose new versions are picked up
curl localhost:8501/v1/models/coref:predict -d '{"signature_name": "text", "inputs": "Ana said she was late."}'
"""

import argparse
import importlib.util
import math
import os
from collections.abc import Callable

from coref_tf.commands.options import add_conf, size_argument
from coref_tf.serving.listener import bind
from coref_tf.support.errors import CorefError
from coref_tf.support.resources import DEFAULT_MODEL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        default=DEFAULT_MODEL,
        help=f"unless {DEFAULT_MODEL}: a trained experiment, another model that came with the package, a checkpoint, or"
        " the folder of an export",
    )
    add_conf(parser)
    parser.add_argument("--no-page", dest="page", action="store_false", help="the REST API alone")

    def add(name: str, kind: Callable, default: object, metavar: str, text: str) -> None:
        parser.add_argument(
            name, type=kind, default=default, metavar=metavar, help=f"{text} (default: %(default)s)"
        )

    cores = len(os.sched_getaffinity(0))
    add("--port", _number(int, 0, 65535), 8501, "N", "0 takes a free one, and says which")
    add("--host", str, "127.0.0.1", "ADDRESS", "0.0.0.0 is for every machine that gets here")
    add("--name", _name, "coref", "NAME", "of the model in the paths")
    add("--max-body", size_argument, "8MB", "SIZE", "a longer request gets a 413")
    add("--max-words", _number(int, 1), 20_000, "N", "a request with more of them gets a 413")
    add("--max-documents", _number(int, 1), 1_000, "N", "a request with more of them gets a 413")
    add("--timeout", _number(float, 0.001), 60.0, "SECONDS", "for an answer, waiting included; then a 504")
    add("--read-timeout", _number(float, 0.001), 30.0, "SECONDS", "for a header, then for a body; then a 408")
    add("--parallel", _number(int, 1), cores, "N", "requests computed at the same time")
    add("--queue", _number(int, 0), 64, "N", "requests that wait meanwhile; a further one gets a 503")
    connections = max(512, 4 * cores + 128)
    add(
        "--connections", _number(int, 1), connections, "N", "open at a time; idle ones make room for new ones"
    )
    add("--poll", _number(float, 0.01), 5.0, "SECONDS", "between looks for a new version")
    add("--grace", _number(float, 0), 30.0, "SECONDS", "for requests under way when told to stop")


def _number(kind: type, least: float, most: float = math.inf) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (least <= value <= most and math.isfinite(value)):
            upper = f" to {most}" if most < math.inf else " on"
            raise argparse.ArgumentTypeError(
                f"{text!r}; expected a {'whole ' * (kind is int)}number from {least}{upper}"
            )
        return value

    return number


def _name(text: str) -> str:
    if not text or set(text) & set("/:{}?#%"):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a name without / : {{ }} ? # %")
    return text


def run(arguments: argparse.Namespace) -> None:
    """Serves until it is told to stop."""
    # Needs NumPy and h5py, which the help page does without.
    from coref_tf.models.export_folder import ExportFolder, newest_version
    from coref_tf.models.open_model import open_model

    arguments.model = open_model(arguments.model, conf=arguments.conf)
    if isinstance(arguments.model, ExportFolder):
        newest_version(arguments.model.path)
    if importlib.util.find_spec("tornado") is None:
        raise CorefError("the server needs tornado; run `pip install coref_tf[serving]`")
    requests = arguments.parallel + arguments.queue
    if arguments.connections <= requests:
        raise CorefError(
            f"--connections is {arguments.connections}; expected more than the {requests} requests"
            " of --parallel and --queue"
        )

    listener = bind(arguments.host, arguments.port)

    # TensorFlow takes seconds to import: only now that nothing but the model can be wrong.
    from coref_tf.serving.server import serve

    serve(listener, arguments)
