"""Serves the Model Context Protocol on standard input and output, for assistants and other language models.

coref mcp                                                the bundled model, english
coref mcp --model best                                   a trained experiment

Add this command to the settings of an assistant, which then starts it; docs/retrieval.md shows how. The server has two
tools: resolve_text, which replaces pronouns with what they refer to, and find_coreference, which lists clusters.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor

from coref_tf.support.extras import require_extra
from coref_tf.support.resources import DEFAULT_MODEL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument(
        "--model", default=DEFAULT_MODEL, metavar="NAME", help=f"a model (default: {DEFAULT_MODEL})"
    )


def run(arguments: argparse.Namespace) -> None:
    """Answers requests until standard input ends."""
    require_extra("mcp", "`coref mcp`")
    from coref_tf.api.loading import load
    from coref_tf.integrations.mcp_server import build_server
    from coref_tf.models.open_model import open_model

    open_model(arguments.model)  # report errors immediately
    # Clients wait only a few seconds for the first answer, so load the model in the background.
    with ThreadPoolExecutor(1) as executor:
        loading = executor.submit(load, arguments.model)
        build_server(loading.result).run("stdio")
