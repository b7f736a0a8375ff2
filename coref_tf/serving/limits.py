"""What requests may cost."""

from typing import NamedTuple

# Besides its words a request has padding, speakers and the lists around them. Few need more of all that.
_VALUES_PER_WORD = 25

# So many of the longest bodies are kept while they arrive, and as many again while they wait.
_LONG_BODIES = 8


class Limits(NamedTuple):
    """What one request may cost, and how many may be there at a time."""

    max_body: int = 8 * 2**20  # bytes
    max_words: int = 20_000
    max_documents: int = 1_000
    timeout: float = 60.0  # seconds, for the answer to a request that is there
    read_timeout: float = 30.0  # seconds, for its header, for its body, and for the answer to be taken
    parallel: int = 2  # requests computed at the same time
    queue: int = 64  # requests that wait meanwhile
    connections: int = 512  # open at the same time

    @property
    def max_values(self) -> int:
        """How many JSON values a request may hold: each takes memory before anything is known of it."""
        return _VALUES_PER_WORD * max(self.max_words, self.max_documents)

    @property
    def places(self) -> int:
        """How many requests are computed or wait."""
        return self.parallel + self.queue

    @property
    def kept_bytes(self) -> int:
        """How many bytes of bodies are kept while they arrive, and as many again of those that wait."""
        return _LONG_BODIES * self.max_body

    @property
    def swallowed_bytes(self) -> int:
        """How much of a body that is too long is read, for nothing but that its sender then reads the answer."""
        return max(4 * self.max_body, 32 * 2**20)
