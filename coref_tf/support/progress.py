"""Reports the progress of long commands."""

import sys
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Any, Protocol, TypeVar


class Countable(Protocol):
    """A prediction, of which documents, words and clusters are counted."""

    @property
    def document(self) -> Any:
        """The document, which has `num_words`."""
        ...

    @property
    def clusters(self) -> Sized:
        """The predicted clusters."""
        ...


P = TypeVar("P", bound=Countable)


class Progress:
    """Reports documents and words on stderr: in one updating line on a terminal, otherwise in a new line now and then.

    Example:
        progress = Progress()
        for document in documents:
            ...
            progress.add(document.num_words)
        progress.close()
    """

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()
        self._documents = self._words = 0
        self._clusters: int | None = None  # unless clusters are counted
        self._terminal = sys.stderr.isatty()

    def add(self, words: int, clusters: int | None = None) -> None:
        """Counts one document, and its clusters if there are predictions."""
        if clusters is not None:
            self._clusters = (self._clusters or 0) + clusters
        self._documents += 1
        self._words += words
        now = time.monotonic()
        if now - self._last >= (0.2 if self._terminal else 30):
            self._last = now
            print(
                f"\r{self}" if self._terminal else self, end="" if self._terminal else "\n", file=sys.stderr
            )

    def close(self, rest: str = "") -> None:
        """Prints the final count, followed by `rest`."""
        seconds = time.monotonic() - self._start
        parts = [str(self), f"{seconds:.1f} s{rest}"]
        if self._clusters is not None:
            parts.insert(1, "1 cluster" if self._clusters == 1 else f"{self._clusters:,} clusters")
        line = ", ".join(parts)
        print(f"\r{line}" if self._terminal else line, file=sys.stderr)

    def __str__(self) -> str:
        seconds = max(time.monotonic() - self._start, 1e-9)
        documents = "1 document" if self._documents == 1 else f"{self._documents:,} documents"
        words = "1 word" if self._words == 1 else f"{self._words:,} words"
        return f"{documents}, {words}, {self._words / seconds:,.0f} words/s"


class Steps:
    """Reports the current step on stderr: in one updating line on a terminal, otherwise in one line per step.

    Example:
        steps = Steps(2)
        steps.begin("opening english")              # [1/2] opening english
        steps.begin("importing TensorFlow")         # [2/2] importing TensorFlow
        steps.close()
    """

    def __init__(self, total: int) -> None:
        self._total, self._number = total, 0
        self._terminal = sys.stderr.isatty()

    def begin(self, step: str) -> None:
        """Reports the start of a step."""
        self._number += 1
        line = f"[{self._number}/{self._total}] {step} ..."
        print(
            f"\r\x1b[K{line}" if self._terminal else line, end="" if self._terminal else "\n", file=sys.stderr
        )
        sys.stderr.flush()

    def close(self) -> None:
        """Clears the line after the last step."""
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def counted(predictions: Iterable[P]) -> Iterator[P]:
    """Yields predictions, and counts their words and clusters on stderr."""
    progress = Progress()
    for prediction in predictions:
        progress.add(prediction.document.num_words, len(prediction.clusters))
        yield prediction
    progress.close()
