"""Compares the whole model with the straightforward formulation in straightforward_model.py: time and memory."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from coref_tf.inference import memory
from coref_tf.support.environment import ROOT
from coref_tf.support.errors import CorefError

WORDS = (500, 1000, 2000, 4000)
LONG = (20_000, 100_000)

# About how many bytes the straightforward formulation needs per word.
STRAIGHTFORWARD_BYTES = {"predict": 4.2e6, "train": 6.8e6}
# The number of words of the document for measuring the speed of pair scores alone.
PAIR_WORDS = 2000
# The length that longer documents are compared with.
SHORT = 2000


def measure(mode: str, words: int, implementation: str, *experiment: str) -> dict:
    """Measures one row in a separate process: `best`, or another experiment with changed settings."""
    command = [sys.executable, "-m", "benchmarks.measure", mode, str(words), implementation, *experiment]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        killed = (
            "it was killed, perhaps because of insufficient memory" if done.returncode < 0 else "it failed"
        )
        reason = done.stderr.strip().splitlines()[-1:]
        raise CorefError(f"{mode} {words} words, {implementation}: {'; '.join([killed, *reason])}")
    return json.loads(done.stdout)


def run(
    words: Sequence[int] = WORDS, long: Sequence[int] = LONG, measure: Callable[..., dict] = measure
) -> Iterator[dict]:
    """Measures full-size `best` with random weights on documents cut from the bundled corpus.

    Args:
        words: The lengths at which the two implementations are compared.
        long: The lengths at which only the fast one is measured.
        measure: Returns the row for a mode, a number of words and an implementation.
    """
    predictions = {}
    for mode in ("predict", "train"):
        for count in words:
            fast = measure(mode, count, "fast")
            yield {"benchmark": "model", **fast}
            if mode == "predict":
                predictions[count] = fast
            if too_much := _too_much(mode, count):
                row = {"mode": mode, "words": count, "implementation": "straightforward"}
                yield {"benchmark": "model", **row, "left_out": too_much}
                continue
            whole = measure(mode, count, "straightforward")
            yield {"benchmark": "model", **whole}
            yield {"benchmark": "model: fast to straightforward", **compare(fast, whole)}
    for count in long:
        predictions[count] = measure("predict", count, "fast")
        yield {"benchmark": "model", **predictions[count]}
    for count in long if words else ():
        short = min(words, key=lambda count: abs(count - SHORT))
        yield {"benchmark": "model: length", **grow(predictions[short], predictions[count])}
    yield {"benchmark": "model: pair scores", **measure("pairs", PAIR_WORDS, "fast")}


def compare(fast: dict, whole: dict) -> dict:
    """Returns the speedup over the straightforward formulation, and the fraction of its memory."""
    return {
        "mode": fast["mode"],
        "words": fast["words"],
        "times_faster": whole["seconds"] / fast["seconds"],
        "share_of_memory": fast["rss_over_import_mb"] / whole["rss_over_import_mb"],
    }


def grow(short: dict, long: dict) -> dict:
    """Returns how much more a long document costs per word than a short one."""
    more = long["peak_rss_mb"] - short["peak_rss_mb"]
    return {
        "words": long["words"],
        "compared_to": short["words"],
        "share_of_speed": long["words_per_second"] / short["words_per_second"],
        "kb_per_word": more * 1024 / (long["words"] - short["words"]),
    }


def _too_much(mode: str, words: int) -> str | None:
    """Returns why the straightforward formulation cannot run here; None if it can."""
    needed, free = STRAIGHTFORWARD_BYTES[mode] * words, memory.available_bytes()
    if needed <= 0.9 * free:
        return None
    return f"needs about {memory.format_size(needed)}; {memory.format_size(free)} is available"
