"""How large a request is, told from its JSON: before a tensor is made of it."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

from coref_tf.serving.json_tensors import is_base64
from coref_tf.serving.limits import Limits
from coref_tf.serving.request_error import RequestError

# What takes as much time and memory as a word: so many characters of a longer one.
WORD_CHARACTERS = 20

# A word's memory grows with the document's longest one.
LONGEST_WORD = 5_000

# Close to the tokens that a text is split into, and hardly ever fewer.
_WORD_OR_SIGN = re.compile(rf"\w{{1,{WORD_CHARACTERS}}}|[^\w\s]")

# The inputs that hold words, and the one that has an item for each document.
_TOKENS, _TEXT, _DOCUMENTS = "tokens", "text", "document_lengths"


def check_values(body: bytes, limits: Limits) -> None:
    """Refuses a body with too many JSON values, by its commas and brackets, before it is parsed.

    Those inside strings count as well. In a text they are words by themselves, so that it is no stricter for that.
    """
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    if values > limits.max_values:
        raise RequestError(
            413,
            f"the request has {values:,} commas and brackets; expected no more than {limits.max_values:,}",
        )


def check_documents(documents: int, limits: Limits) -> None:
    """Refuses a request with too many documents."""
    if documents > limits.max_documents:
        raise RequestError(
            413, f"the request has {documents:,} documents; expected no more than {limits.max_documents:,}"
        )


def check_words(runs: list[Mapping[str, Any]], limits: Limits) -> None:
    """Refuses a request with too many words or documents in its inputs, or with a word that is far too long.

    Args:
        runs: the inputs of each run of the model, by name, as JSON values.
        limits: max_words and max_documents count.
    """
    words, longest = 0, 0
    for run in runs:
        for name, value in run.items():
            if name == _DOCUMENTS and isinstance(value, list):
                check_documents(len(value), limits)
            count, length = measure_words(name, value)
            words, longest = words + count, max(longest, length)
    if words > limits.max_words:
        raise RequestError(
            413,
            f"the request has {words:,} words, of {WORD_CHARACTERS} characters at most; expected no more than"
            f" {limits.max_words:,}",
        )
    if longest > LONGEST_WORD:
        raise RequestError(413, f"a word has {longest:,} characters; expected no more than {LONGEST_WORD:,}")


def measure_words(name: str, value: Any) -> tuple[int, int]:
    """How many words an input holds, and how many characters the longest of them.

    Words are tokens that aren't padding; in a text, words and punctuation marks. Of a long one every 20 characters
    count as a word.
    """
    words, longest = 0, 0
    for string in _strings(value) if name in (_TOKENS, _TEXT) else ():
        if name == _TOKENS:
            words += -(-len(string) // WORD_CHARACTERS)
            longest = max(longest, len(string))
        else:
            words += sum(1 for _ in _WORD_OR_SIGN.finditer(string))
            longest = max(longest, max(map(len, string.split()), default=0))
    return words, longest


def _strings(value: Any) -> Iterator[str]:
    """The strings in the lists of a JSON value. What else there is can't become a tensor of strings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif is_base64(value):
        try:
            yield base64.b64decode(value["b64"], validate=True).decode(errors="replace")
        except (binascii.Error, ValueError):
            return  # refused with its place when the tensor is made
