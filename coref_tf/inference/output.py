"""Where predictions go: a file that is whole or can be gone on with, or straight to a pipe."""

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
    """An output that is open."""

    write: Callable[[ClusterPrediction], None]  # one prediction
    done: int = 0  # how many documents are there from a run that was stopped


@contextlib.contextmanager
def open_output(path: str, form: Format, writing: Writing, job: Any = None) -> Iterator[Output]:
    """Opens an output for predictions.

    Args:
        path: the file, or "-" for standard output.
        form: what is written.
        writing: what the writer is told.
        job: all that the output depends on, in JSON's terms: a run that was stopped goes on if nothing of it has
            changed. None where that can't be known, as of standard input.
    """
    writing = dataclasses.replace(writing, path=path)
    if form.open is None:
        raise ValueError(f"form must be a format that can be written. Received: {form.name}")
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
                print(f"{kept}; the same command goes on after them", file=sys.stderr)
            raise


def isatty(file: IO[bytes]) -> bool:
    """Whether a person reads along."""
    return file.isatty()


def _at_once(write: Callable, file: IO[bytes]) -> Callable[[ClusterPrediction], None]:
    """Writes a prediction so that whoever reads a pipe or terminal has it at once."""

    def write_and_flush(prediction: ClusterPrediction) -> None:
        write(prediction.document, prediction)
        file.flush()

    return write_and_flush
