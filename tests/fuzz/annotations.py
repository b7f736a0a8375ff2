"""Fuzzes the readers of annotation formats, CoNLL-U and archives with structurally damaged files.

Each document that is read is written in another format, and must round-trip. `cases.py` explains how to run the fuzzer.
"""

import os
import random
import tempfile
from pathlib import Path
from typing import Any

from cases import Case, Fuzzer

OUTPUTS = ("x.jsonl", "x.conll", "x.conllu", "x.ann", "x.brat.zip", "x.labelstudio.json")
UNPACKED = 10**7  # the limit on the bytes of an unpacked file


def read(files: dict[str, bytes], output: str) -> list[Any]:
    """Reads the first of some files, and checks that each document round-trips."""
    from odd_documents import check_round_trip
    from readers import one_line

    from coref_tf.documents import read_documents
    from coref_tf.documents.formats import lint
    from coref_tf.support.errors import CorefError

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        path = Path(folder, next(iter(files)))
        try:
            problems = [str(problem) for problem in lint(path)]
        except CorefError:
            problems = None  # the file cannot be read at all
        documents = []
        try:
            documents += one_line(lambda: list(read_documents(path)))
        except CorefError as error:
            is_reported = type(error) is CorefError or problems is None or str(error) in problems
            assert is_reported, f"lint does not report {error}"
            raise
        for document in documents:
            check_round_trip(document, output, Path(other))
        return documents


def check_documents(documents: list[Any]) -> None:
    """Checks that the file has documents with words."""
    assert documents and all(document.num_words for document in documents)


def damaged_files(number: int, seed: int) -> Case:
    """Returns a case with files of one or more documents."""
    from structured import KINDS

    os.environ["COREF_MAX_UNPACKED"] = str(UNPACKED)
    source = random.Random(f"{seed}/annotations/{number}")
    names = [name for name in KINDS for _ in range(1 if name.startswith("a file") else 8)]
    kind = source.choice(names)
    files, output = KINDS[kind](source), source.choice(OUTPUTS)
    shown = ", ".join(f"{name}: {content[:300]!r}" for name, content in files.items())
    return Case(f"{kind}: {shown}", lambda: read(files, output), check_documents)


FUZZER = Fuzzer(__file__, damaged_files, refusals=("CorefError", "InputError"), per_process=3000)

if __name__ == "__main__":
    FUZZER.main()
