"""Finds everything that is wrong with document files."""

import os

from coref_tf.documents.format import Reading
from coref_tf.documents.formats import format_of
from coref_tf.support.errors import InputError


def lint(path: str | os.PathLike) -> list[InputError]:
    """All problems of a file, in the order of its lines."""
    problems = []

    def collect(error: InputError, fatal: bool = True) -> None:
        problems.append(error)

    form, reading = format_of(path), Reading(collect)
    if form.check:
        form.check(os.fspath(path), reading)
    else:
        for _ in form.read(os.fspath(path), reading):
            pass
    return sorted(problems, key=lambda error: error.line)
