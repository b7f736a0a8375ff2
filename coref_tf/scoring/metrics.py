"""Which metrics there are: the table of kernels/scorer/metrics.h, where one is declared."""

import functools
from collections.abc import Iterable
from typing import NamedTuple

from coref_tf.support.errors import CorefError
from coref_tf.support.libraries import algorithms


class Metric(NamedTuple):
    """A row of that table."""

    name: str
    title: str  # in tables
    averaged: bool  # whether the CoNLL average has it
    parts: int  # how many times four figures it comes from


@functools.cache
def metric_table() -> dict[str, Metric]:
    """The metrics by name, in the usual order; loads the library that has them."""
    return {row[0]: Metric(*row) for row in algorithms().METRICS}


def flags_of(metrics: Iterable[str]) -> int:
    """How the C++ part is asked for some of them."""
    places = list(metric_table())
    return sum(1 << places.index(metric) for metric in metrics)


def check_metrics(metrics: Iterable[str] | None) -> tuple[str, ...]:
    """The metrics asked for, None for all, in the usual order; an unknown one is an error."""
    known = metric_table()
    if isinstance(metrics, str):
        metrics = [metrics]
    asked = set(known if metrics is None else metrics)
    unknown = sorted(asked.difference(known))
    if unknown or not asked:
        received = f"unknown metric {unknown[0]!r}" if unknown else "no metric"
        raise CorefError(f"{received}; expected some of {', '.join(known)}")
    return tuple(metric for metric in known if metric in asked)
