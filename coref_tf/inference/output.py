"""Outputs for predictions: an atomically written or resumable file, a resumable folder, or a pipe."""

import contextlib
import dataclasses
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from coref_tf.documents.format import ClusterPrediction, Format, Writing
from coref_tf.documents.output_folder import OutputFolder
from coref_tf.support.files import atomic_write, is_replaceable
from coref_tf.support.resuming import PartialFile, resumable_write

# While a run is unfinished, `.written.partial` in the output folder lists the files that have been written.
_WRITTEN = ".written"


class Output(NamedTuple):
    """An open output."""

    write: Callable[[ClusterPrediction], object]  # writes one prediction
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

        with _reporting_kept(partial):
            yield Output(write_and_count, partial.done)


@contextlib.contextmanager
def open_output_folder(files: OutputFolder, job: Any = None) -> Iterator[Output]:
    """Opens a folder for predictions, with a file for each.

    An interrupted run is resumed if none of the files that it has written is missing.

    Args:
        files: the folder.
        job: everything that the output depends on, as for `open_output`.
    """
    if job is None:
        yield Output(lambda prediction: _write_file(files, prediction))
        return
    files.folder.mkdir(parents=True, exist_ok=True)
    with resumable_write(files.folder / _WRITTEN, job) as partial:
        partial.file.seek(0)
        names = [os.fsdecode(line) for line in partial.file.read().split(b"\0")[:-1]]
        if not all((files.folder / name).is_file() for name in names):
            partial.begin_anew()
        left_to_skip = partial.done

        def write_and_count(prediction: ClusterPrediction) -> None:
            nonlocal left_to_skip
            while left_to_skip:
                files.skip()
                left_to_skip -= 1
            target = _write_file(files, prediction)
            partial.file.write(os.fsencode(target.relative_to(files.folder)) + b"\0")
            partial.add()

        with _reporting_kept(partial):
            yield Output(write_and_count, partial.done)
    (files.folder / _WRITTEN).unlink()


def _write_file(files: OutputFolder, prediction: ClusterPrediction) -> Path:
    return files.write(prediction.document, prediction)


@contextlib.contextmanager
def _reporting_kept(partial: PartialFile) -> Iterator[None]:
    """Reports how many documents are kept if the run is interrupted."""
    try:
        yield
    except BaseException:
        if partial.done:
            kept, them = ("s are", "them") if partial.done > 1 else (" is", "it")
            documents = f"{partial.done:,} document{kept} kept"
            print(f"{documents}; run the same command again to resume after {them}", file=sys.stderr)
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
