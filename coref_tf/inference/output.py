"""Outputs for predictions: an atomically written or resumable file, or a pipe."""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple

from coref_tf.documents.format import ClusterPrediction, Format, Writing
from coref_tf.support.files import atomic_write, is_replaceable
from coref_tf.support.resuming import resumable_write


class Output(NamedTuple):
    """An open output."""

    write: Callable[[ClusterPrediction], None]  # writes one prediction
    done: int = 0  # the number of documents already written by an interrupted run


@contextlib.contextmanager
def open_output(path: str, form: Format, writing: Writing, job: Any = None) -> Iterator[Output]:
    """Opens an output for predictions.

    Args:
        path: The file, or "-" for standard output.
        form: The output format.
        writing: The options of the writer.
        job: Everything that the output depends on, as JSON values. An interrupted run is resumed if it is unchanged.
            None if it is unknown, as for standard input.
    """
    writing = dataclasses.replace(writing, path=path)
    if form.open is None:
        raise ValueError(f"form must be an output format. Received: {form.name}")
    if job is None or not form.appends or not is_replaceable(path):
        with atomic_write(path, "wb") as file:
            if isatty(file):
                writing = dataclasses.replace(writing, colour="NO_COLOR" not in os.environ)
            with form.open_writer(file, writing) as write:
                yield Output(_at_once(write, file))
        return
    with (
        resumable_write(os.path.realpath(path), job) as partial,
        form.open_writer(partial.file, dataclasses.replace(writing, after=partial.end)) as write,
    ):

        def write_and_count(prediction: ClusterPrediction) -> None:
            write(prediction.document, prediction)
            partial.add()

        try:
            yield Output(write_and_count, partial.done)
        except BaseException:
            if partial.done:
                kept = f"{partial.done:,} document{'s are' if partial.done > 1 else ' is'} kept"
                print(f"{kept}; the same command resumes after them", file=sys.stderr)
            raise


def isatty(file: IO[bytes]) -> bool:
    """Returns whether the file is a terminal."""
    return file.isatty()


def _at_once(write: Callable, file: IO[bytes]) -> Callable[[ClusterPrediction], None]:
    """Writes and flushes each prediction, so that a pipe or terminal receives it immediately."""

    def write_and_flush(prediction: ClusterPrediction) -> None:
        write(prediction.document, prediction)
        file.flush()

    return write_and_flush
