"""The registry of suites. To add one, write a module with a SUITE and add a line here."""

import difflib
import functools
import importlib

from coref_tf.evaluation.suites.suite import Suite
from coref_tf.support.errors import CorefError

_MODULES = (
    "coref_tf.evaluation.suites.gap",
    "coref_tf.evaluation.suites.winobias",
    "coref_tf.evaluation.suites.domains",
    "coref_tf.evaluation.suites.behaviour",
    "coref_tf.evaluation.suites.quotations",
)


@functools.cache
def all_suites() -> dict[str, type[Suite]]:
    """Returns the suites by name."""
    suites = [importlib.import_module(module).SUITE for module in _MODULES]
    return {suite.name: suite for suite in suites}


def usage() -> str:
    """Describes the possible values of --suite, for help and errors."""
    *first, last = map(_suite_usage, all_suites().values())
    return f"{', '.join(first)} or {last}"


def _suite_usage(suite: type[Suite]) -> str:
    return f"{suite.name}={suite.argument}" if suite.default is None else f"{suite.name}[={suite.argument}]"


def open_suite(words: str) -> Suite:
    """Opens a suite given as NAME=FILES, or NAME if it has a default, and reads its files.

    Example:
        open_suite("gap=gap-validation.tsv").documents
    """
    name, equals, argument = words.partition("=")
    suites = all_suites()
    if name not in suites:
        close = difflib.get_close_matches(name, suites, n=1)
        meant = f" (did you mean {close[0]}?)" if close else ""
        raise CorefError(f"--suite {words}: no suite {name}{meant}; expected {usage()}")
    default = suites[name].default
    if not equals and default is not None:
        return suites[name](default)
    if not argument:
        raise CorefError(f"--suite {words}: names no files; expected {name}={suites[name].argument}")
    return suites[name](argument)
