"""Checks that the time of reading a file in which a random part is repeated grows linearly with the repetitions.

`cases.py` explains how to run the fuzzer.
"""

import contextlib
import gc
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from cases import Case, Fuzzer

# Files grow until reading the smaller one takes this many seconds, or until they have this many bytes.
SECONDS, MOST_BYTES = 0.04, 3_000_000
MOST_GROWTH = 2.6  # the limit on a busy machine
ATTEMPTS = 6


def originals() -> dict[str, str]:
    """Returns a file of every kind, by the name under which it is read."""
    import readers
    from structured import ANN, CONLLU, TASK

    texts = {name: readers.originals()[name].decode() for name in ("conll", "few", "jsonl", "texts", "txt")}
    return {
        "x.conll": texts["conll"],
        "y.conll": texts["few"],
        "x.conllu": CONLLU,
        "x.jsonl": texts["jsonl"],
        "y.jsonl": texts["texts"],
        "x.txt": texts["txt"],
        "x.ann": ANN,
        "body.json": json.dumps({"text": "Ana: I left. She ran.", "dialogue": True, "min_probability": 0.5}),
        "x.labelstudio.json": json.dumps([TASK], ensure_ascii=False, indent=1),
    }


def seconds_to_read(folder: Path, name: str, content: str, dialogue: bool) -> float:
    """Returns the processor time of reading or refusing a file."""
    from structured import TEXT

    from coref_tf.documents import read_documents
    from coref_tf.support.errors import CorefError

    if name == "body.json":
        return seconds_to_read_request(content)
    if name.endswith(".ann"):
        (folder / "x.txt").write_text(TEXT, encoding="utf-8")
    (folder / name).write_text(content, encoding="utf-8")
    begun = time.process_time()
    with contextlib.suppress(CorefError):
        list(read_documents(folder / name, lambda error, fatal: None, dialogue=dialogue))
    return time.process_time() - begun


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Disables garbage collection, whose cost depends on all objects in the process."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds_to_read_request(content: str) -> float:
    """Returns the processor time of reading or refusing the body of a request."""
    from coref_tf.serving.limits import Limits, RequestError
    from coref_tf.serving.requests import read_page_request

    begun = time.process_time()
    with contextlib.suppress(RequestError):
        read_page_request(content.encode(), Limits(max_words=10**9))
    return time.process_time() - begun


def growth(name: str, before: str, piece: str, behind: str, dialogue: bool) -> float:
    """Returns the ratio of the reading times of two files, one with twice as many pieces."""

    def seconds(count: int) -> float:
        gc.collect()
        with without_collection(), tempfile.TemporaryDirectory() as folder:
            return seconds_to_read(Path(folder), name, before + piece * count + behind, dialogue)

    count = 200
    seconds(count)  # warms up imports and caches
    while seconds(count) < SECONDS and count * len(piece) < MOST_BYTES:
        count *= 4
    best = float("inf")
    for _ in range(ATTEMPTS):
        smaller, larger = (min(seconds(size) for _ in range(2)) for size in (count, 2 * count))
        best = min(best, larger / max(smaller, SECONDS))
        if best <= MOST_GROWTH:
            break
    return best


def repeated_part(number: int, seed: int) -> Case:
    """Returns a case with a file in which one part is repeated many times."""
    source = random.Random(f"{seed}/growth/{number}")
    name, content = source.choice(list(originals().items()))
    if source.random() < 0.4:
        lines = content.splitlines(keepends=True)
        line = source.randrange(len(lines))
        count = source.choice([1, 1, 2, 3])
        before, piece = "".join(lines[:line]), "".join(lines[line : line + count])
        behind = "".join(lines[line:])
    else:
        place = source.randrange(len(content))
        piece = content[place : place + source.choice([1, 1, 2, 5, 12])]
        before, behind = content[:place], content[place:]
    if source.random() < 0.2:
        piece = source.choice(
            [" ", "\t", ":", "(", ")", "|", "[", "#", "\n", "🙂 ", "-", ";0 5", '"', "0", "a"]
        )
    dialogue = name.endswith(".txt") and source.random() < 0.5
    shown = f"{name}: ...{before[-40:]!r}, then {piece!r} many times"
    return Case(shown, lambda: growth(name, before, piece, behind, dialogue), check_growth)


def check_growth(ratio: float) -> None:
    """Checks that twice as many pieces take about twice as long."""
    assert ratio <= MOST_GROWTH, f"{ratio:.2f} times as long"


FUZZER = Fuzzer(__file__, repeated_part, refusals=(), per_process=400)

if __name__ == "__main__":
    FUZZER.main()
