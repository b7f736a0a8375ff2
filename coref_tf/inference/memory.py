"""How much memory prediction takes, and how it stays within a limit."""

import os
import re
import typing

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
    """What a prediction takes at most while it runs: for every word of the document, and of a block."""
    e, embedding, encoded = model.experiment, model.embedding_size, model.sentence_encoder.size
    span = model.span_representation.size
    own = span - 2 * encoded
    # x, and what heads see of it; x* in blocks and joined; the candidates' ends and scores.
    of_word = (
        embedding + (model.head_size < embedding) * model.head_size + 2 * encoded + 4 * e.max_mention_width
    )
    # g joined, its own part on the way there, too; its projections; antecedents, their scores and what makes them.
    of_span = span + 2 * own + 2 * e.ffnn_size + 4 * min(e.max_antecedents, num_words)
    # What the sentence encoder makes on its way; what the spans that begin at a word are scored from.
    of_block = embedding + model.sentence_encoder.working_size + 8 * e.ffnn_size
    # The tiles of spans and of pairs.
    tiles = (4096 * 2 + 512) * e.max_mention_width * max(e.ffnn_size, embedding // 8)
    if e.antecedents == "coarse":
        # g W_c, and some spans' scores with all before them; the chosen antecedents of a tile, and their products.
        of_span += span + 3 * 64
        tiles += 4 * 16 * e.max_antecedents * span
    if e.coref_depth > 1:
        # g and g', joined; some spans' probabilities of those before them, and their expected antecedents.
        reach = e.max_antecedents if e.antecedents == "nearest" else int(e.mention_ratio * num_words)
        of_span += 3 * span + 2 * min(e.max_antecedents, num_words)
        tiles += 256 * (2 * (reach + 256) + 3 * e.max_antecedents + 6 * span) + reach * span
    if model.context_words:
        # What the encoder says of words, in half precision, in windows and joined; then standardised and mixed.
        of_word += (2 * model.context_words.num_kept + 1) * model.context_words.size
        tiles += model.context_words.working_size
    words = num_words * (of_word + e.mention_ratio * of_span)
    return int(_FLOAT * (words + min(num_words, words_per_block) * of_block + tiles))


def _kilobytes(path: str, name: str) -> int:
    """What a file of /proc says in kB, in bytes."""
    with open(path, encoding="ascii") as file:
        return next(int(line.split()[1]) * 2**10 for line in file if line.startswith(f"{name}:"))
