"""Serves models over HTTP, with a web page and TensorFlow Serving's REST API.

coref serve                                              then open http://localhost:8501/
coref serve logs/best/best.h5 --port 8600                a checkpoint, or the folder of an export
coref serve english english-fast                         lets users choose a model
coref serve --annotate texts                             then open http://localhost:8501/annotate
curl localhost:8501/v1/models/coref:predict -H 'Content-Type: application/json' \\
     -d '{"signature_name": "text", "inputs": "Ana said she was late."}'
"""

import argparse
import functools
import math
import os
from collections.abc import Callable
from pathlib import Path

from coref_tf.commands.options import add_conf, size_argument
from coref_tf.support.errors import CorefError
from coref_tf.support.extras import require_extra
from coref_tf.support.progress import Steps
from coref_tf.support.resources import DEFAULT_MODEL
from coref_tf.support.startup import starting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument(
        "models",
        metavar="MODEL",
        nargs="*",
        help="a bundled model, a trained experiment, a checkpoint, or the folder of an export; with several, the page"
        f" offers a choice (default: {DEFAULT_MODEL})",
    )
    parser.add_argument("--model", action=_NoModelOption, help=argparse.SUPPRESS)
    add_conf(parser)
    parser.add_argument("--no-page", dest="page", action="store_false", help="serve the REST API only")
    parser.add_argument(
        "--annotate",
        metavar="FOLDER",
        help="also serve a page for correcting predictions for the texts in a folder",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name by which clients reach the server, besides localhost and --host; can be repeated",
    )

    def add(name: str, kind: Callable, default: object, metavar: str, text: str) -> None:
        parser.add_argument(
            name, type=kind, default=default, metavar=metavar, help=f"{text} (default: %(default)s)"
        )

    cores = len(os.sched_getaffinity(0))
    add("--port", _number(int, 0, 65535), 8501, "N", "port; 0 chooses a free one and prints it")
    add(
        "--host",
        str,
        "127.0.0.1",
        "ADDRESS",
        "address to listen on; 0.0.0.0 accepts requests from other machines",
    )
    add("--name", _name, "coref", "NAME", "name of the first model in URLs; others keep their own")
    add("--max-body", size_argument, "1MB", "SIZE", "size limit of a request; a larger one gets a 413")
    add(
        "--max-words",
        _number(int, 1),
        20_000,
        "N",
        "word limit of a request; a longer one gets a 413; a document counts as at least 20 words",
    )
    add(
        "--timeout",
        _number(float, 0.001),
        120.0,
        "SECONDS",
        "time limit for an answer, including time in the queue; after that, the client gets a 504",
    )
    add(
        "--read-timeout",
        _number(float, 0.001),
        30.0,
        "SECONDS",
        "time limit for receiving the header, and then the body; after that, the connection is closed",
    )
    add(
        "--parallel",
        _number(int, 1),
        max(1, cores - 1),
        "N",
        "number of requests processed in parallel; one more worker handles only short requests",
    )
    add("--queue", _number(int, 0, 300), 64, "N", "length of the queue; further requests get a 503")
    add("--grace", _number(float, 0), 30.0, "SECONDS", "time for finishing open requests after SIGTERM")


class _NoModelOption(argparse.Action):
    """Says where the model goes. Users try --model, as in `coref predict`, and --name is the nearest real option."""

    def __call__(self, parser: argparse.ArgumentParser, *args: object) -> None:
        """Reports the error."""
        parser.error("the model is an argument, not an option; expected `coref serve MODEL`, without --model")


def _number(kind: type, least: float, most: float = math.inf) -> Callable[[str], float]:
    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (least <= value <= most and math.isfinite(value)):
            limits = f"from {least} to {most}" if most < math.inf else f"of at least {least}"
            raise argparse.ArgumentTypeError(
                f"{text!r}; expected {'an integer' if kind is int else 'a number'} {limits}"
            )
        return value

    return number


def _name(text: str) -> str:
    if not text or set(text) & set("/:{}?#%"):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a name without / : {{ }} ? # %")
    return text


def run(arguments: argparse.Namespace) -> None:
    """Serves until interrupted."""
    require_extra("serving", "`coref serve`")
    # Imports packages that the help page does not need.
    from coref_tf.annotation.folder import AnnotationFolder
    from coref_tf.models.open_model import open_model
    from coref_tf.serving.listener import bind

    names = arguments.models or [DEFAULT_MODEL]
    folder = AnnotationFolder(arguments.annotate) if arguments.annotate else None
    listener = bind(arguments.host, arguments.port)
    steps = Steps(3 * len(names) + 1)
    opened = {}
    for number, model in enumerate(names):
        steps.begin(f"opening {model}")
        name = _name_in_path(model) if number else arguments.name
        if name in opened:
            raise CorefError(f"two models are named {name}; expected different names, or another --name")
        opened[name] = open_model(model, conf=arguments.conf)

    # TensorFlow takes seconds to import, so import it after all other checks.
    steps.begin("importing TensorFlow")
    with starting():
        from coref_tf.annotation.routes import annotation_routes
        from coref_tf.serving.server import serve

    serve(listener, opened, arguments, steps, functools.partial(annotation_routes, folder))


def _name_in_path(model: str) -> str:
    """Returns the name of a model in URLs: its own, or that of its file or folder."""
    try:
        return _name(Path(model).stem)
    except argparse.ArgumentTypeError as error:
        raise CorefError(f"{model}: its name in URLs would be {error}; rename the file or folder") from None
