"""What one request may cost."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import NamedTuple

import numpy as np

from coref_tf.inference.memory import format_size
from coref_tf.serving.request_error import RequestError

# What takes as much time and memory as a word: so many characters of a longer one.
WORD_CHARACTERS = 20

# A word's memory grows with the document's longest one.
LONGEST_WORD = 5_000

# Close to the tokens that a text is split into, and hardly ever fewer.
_WORD_OR_SIGN = re.compile(rf"\w{{1,{WORD_CHARACTERS}}}|[^\w\s]")


class Limits(NamedTuple):
    """What one request may cost, and how many may be there at a time."""

    max_body: int = 8 * 2**20  # bytes
    max_words: int = 20_000
    timeout: float = 60.0  # seconds, from the request's arrival
    parallel: int = 2  # requests computed at the same time
    queue: int = 64  # requests that wait meanwhile


class Deadline:
    """When a request's time is over."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """How many seconds there are; a RequestError where there is none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.error()
        return left

    def error(self) -> RequestError:
        """What the sender is told."""
        return RequestError(504, f"the answer would have taken more than {self.seconds:g} seconds")


async def read_body(
    chunks: AsyncIterator[bytes], declared: str | None, limits: Limits, deadline: Deadline
) -> bytes:
    """The body of a request, of which never more than the limit is kept.

    Args:
        chunks: the body as it comes in.
        declared: what its Content-Length says, if it has one.
        limits: max_body counts.
        deadline: until when it must be there.
    """
    error = RequestError(413, f"the body is longer than {format_size(limits.max_body)}; send less at a time")
    if declared is not None and declared.isdecimal() and int(declared) > limits.max_body:
        raise error
    body = bytearray()
    try:
        async with asyncio.timeout(deadline.left()):
            async for chunk in chunks:
                if len(body) + len(chunk) > limits.max_body:
                    raise error
                body += chunk
    except TimeoutError:
        raise RequestError(408, f"the body did not arrive within {deadline.seconds:g} seconds") from None
    return bytes(body)


def check_words(runs: list[Mapping[str, np.ndarray]], limits: Limits) -> None:
    """Refuses a request with too many words in its `tokens` and `text`, or with one that is far too long."""
    measured = [measure_words(name, value) for run in runs for name, value in run.items()]
    words, longest = sum(count for count, _ in measured), max(length for _, length in measured)
    if words > limits.max_words:
        raise RequestError(
            413,
            f"the request has {words:,} words, of {WORD_CHARACTERS} characters at most; expected no more than"
            f" {limits.max_words:,}",
        )
    if longest > LONGEST_WORD:
        raise RequestError(413, f"a word has {longest:,} characters; expected no more than {LONGEST_WORD:,}")


def measure_words(name: str, value: np.ndarray) -> tuple[int, int]:
    """How many words an input holds, and how many characters the longest of them.

    Words are tokens that aren't padding; in a text, words and punctuation marks. Of a long one every 20 characters
    count as a word.
    """
    strings = (
        [string.decode(errors="replace") for string in value.ravel()] if name in ("tokens", "text") else []
    )
    if name == "tokens":
        words = sum(-(-len(token) // WORD_CHARACTERS) for token in strings)
    else:
        words = sum(1 for text in strings for _ in _WORD_OR_SIGN.finditer(text))
        strings = [word for text in strings for word in text.split()]
    return words, max(map(len, strings), default=0)
