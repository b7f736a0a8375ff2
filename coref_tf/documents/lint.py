"""Finds everything that is wrong with document files."""

import os

from coref_tf.documents.conll import check_block
from coref_tf.documents.conll_blocks import read_blocks
from coref_tf.documents.formats import format_of, read_documents
from coref_tf.support.errors import InputError


def lint(path: str | os.PathLike) -> list[InputError]:
    """All problems of a file, in the order of its lines."""
    problems = []

    def collect(error: InputError, fatal: bool = True) -> None:
        problems.append(error)

    if format_of(path) == "conll":
        for block in read_blocks(path, collect):
            check_block(block, collect)
    else:
        for _ in read_documents(path, collect):
            pass
    return sorted(problems, key=lambda error: error.line)
