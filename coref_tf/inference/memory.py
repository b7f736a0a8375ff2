"""Estimates the memory that prediction needs, to keep it within a limit."""

import os
import re
import typing
from collections.abc import Iterator

from coref_tf.layers.working_sizes import WorkingSizes
from coref_tf.support.errors import CorefError

if typing.TYPE_CHECKING:  # sizes are parsed before TensorFlow is imported
    from coref_tf.model import CorefModel

# How many words are processed at a time, largest first; fewer words take less memory and more time.
BLOCKS = (4096, 2048, 1024, 512)

# The memory that TensorFlow needs to create and run the graph, in addition to that of a document.
GRAPH_BYTES = 150 * 2**20

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_FLOAT = 4


def parse_size(text: str) -> int:
    """Parses a number of bytes with an optional unit.

    Example:
        parse_size("2GB") == parse_size("2048 MiB") == parse_size("2147483648")
    """
    match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if not match or not float(match[1]):
        raise CorefError(f"expected an amount of memory such as 2GB or 800MB. Received: {text!r}")
    return int(float(match[1]) * _UNITS[match[2]])


def format_size(count: float) -> str:
    """Formats a number of bytes."""
    if 0 < count < 2**20:
        return f"{count / 2**10:.0f} KB" if count >= 2**10 else f"{count:.0f} bytes"
    return f"{count / 2**30:.1f} GB" if count >= 2**30 else f"{max(count, 0) / 2**20:.0f} MB"


def resident_bytes() -> int:
    """Returns the current memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """Returns the peak memory of this process; unlike ru_maxrss, it does not include that of its parent."""
    return _kilobytes("/proc/self/status", "VmHWM")


def available_bytes() -> int:
    """Returns the memory that is still available on this machine."""
    return _kilobytes("/proc/meminfo", "MemAvailable")


def document_bytes(model: "CorefModel", num_words: int, words_per_block: int) -> int:
    """Returns the peak memory of a prediction.

    Args:
        model: The model.
        num_words: The number of words of the document.
        words_per_block: How many words are processed at a time.
    """
    needed = WorkingSizes.total(layer_sizes(model, num_words))
    per_word = needed.per_word + model.experiment.mention_ratio * needed.per_span
    in_block = min(num_words, words_per_block) * needed.per_block_word
    return int(_FLOAT * (num_words * per_word + in_block + needed.fixed))


def layer_sizes(model: "CorefModel", num_words: int) -> Iterator[WorkingSizes]:
    """Yields the memory that each layer needs for a document with `num_words` words."""
    embedding, encoder = model.embedding_size, model.sentence_encoder
    # x, and the part of it that heads use
    heads = model.head_size if model.head_size < embedding else 0
    yield WorkingSizes(per_word=embedding + heads, per_block_word=embedding)
    # x*, in blocks and joined
    yield WorkingSizes(per_word=2 * encoder.size, per_block_word=encoder.working_size)
    yield model.span_representation.working_sizes(embedding)
    yield model.mention_scorer.working_sizes(embedding)
    yield model.antecedent_scorer.working_sizes(num_words, model.experiment.mention_ratio)
    if model.context_words:
        yield model.context_words.working_sizes()


def _kilobytes(path: str, name: str) -> int:
    """Reads a value in kB from a file in /proc, and returns it in bytes."""
    with open(path, encoding="ascii") as file:
        return next(int(line.split()[1]) * 2**10 for line in file if line.startswith(f"{name}:"))
