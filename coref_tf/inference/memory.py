"""How much memory prediction takes, and how it stays within a limit."""

import os
import re
import typing
from collections.abc import Iterator

from coref_tf.layers.working_numbers import WorkingNumbers
from coref_tf.support.errors import CorefError

if typing.TYPE_CHECKING:  # sizes are asked for before TensorFlow is there
    from coref_tf.model import CorefModel

# How many words are read at a time, largest first; fewer take less memory and more time.
BLOCKS = (4096, 2048, 1024, 512)

# What TensorFlow needs to make the graph and to run it at all, besides what a document needs.
GRAPH_BYTES = 150 * 2**20

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_FLOAT = 4


def parse_size(text: str) -> int:
    """A number of bytes from what people write.

    Example:
        parse_size("2GB") == parse_size("2048 MiB") == parse_size("2147483648")
    """
    match = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if not match or not float(match[1]):
        raise CorefError(f"expected an amount of memory such as 2GB or 800MB. Received: {text!r}")
    return int(float(match[1]) * _UNITS[match[2]])


def format_size(count: float) -> str:
    """A number of bytes for people to read."""
    return f"{count / 2**30:.1f} GB" if count >= 2**30 else f"{max(count, 0) / 2**20:.0f} MB"


def resident_bytes() -> int:
    """How much memory this process has now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The most that it has had so far; not what ru_maxrss tells, which begins with what its parent had."""
    return _kilobytes("/proc/self/status", "VmHWM")


def available_bytes() -> int:
    """How much memory this machine could still give to a process."""
    return _kilobytes("/proc/meminfo", "MemAvailable")


def document_bytes(model: "CorefModel", num_words: int, words_per_block: int) -> int:
    """The most that a prediction takes while it runs.

    Args:
        model: the model.
        num_words: of the document.
        words_per_block: how many words are read at a time.
    """
    needed = WorkingNumbers.total(layer_numbers(model, num_words))
    per_word = needed.per_word + model.experiment.mention_ratio * needed.per_span
    in_block = min(num_words, words_per_block) * needed.per_block_word
    return int(_FLOAT * (num_words * per_word + in_block + needed.fixed))


def layer_numbers(model: "CorefModel", num_words: int) -> Iterator[WorkingNumbers]:
    """What the layers of a model hold while they read a document of so many words."""
    embedding, encoder = model.embedding_size, model.sentence_encoder
    # x, and what heads see of it
    heads = model.head_size if model.head_size < embedding else 0
    yield WorkingNumbers(per_word=embedding + heads, per_block_word=embedding)
    # x* in blocks and joined
    yield WorkingNumbers(per_word=2 * encoder.size, per_block_word=encoder.working_size)
    yield model.span_representation.working_numbers(embedding)
    yield model.mention_scorer.working_numbers(embedding)
    yield model.antecedent_scorer.working_numbers(num_words, model.experiment.mention_ratio)
    if model.context_words:
        yield model.context_words.working_numbers()


def _kilobytes(path: str, name: str) -> int:
    """What a file of /proc says in kB, in bytes."""
    with open(path, encoding="ascii") as file:
        return next(int(line.split()[1]) * 2**10 for line in file if line.startswith(f"{name}:"))
