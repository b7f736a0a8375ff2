"""What holds for the mentions of a document: the one set of rules behind `Document`, the readers and lint."""

import bisect
import itertools
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple


class Mention(NamedTuple):
    """An inclusive span of a document's words, the cluster's name, and the line of the file that opens it."""

    start: int
    end: int
    cluster: Hashable
    line: int = 0


class Problem(NamedTuple):
    """What is wrong with a mention. A problem that isn't fatal is reported by lint, yet the document is read.

    Published corpora hold a few mentions that cross another cluster's or stand in two clusters; what
    they mean is plain, so they are kept as they are.
    """

    mention: Mention
    message: str
    fatal: bool = True


def mention_problems(mentions: Sequence[Mention], sentences: Sequence[Sequence[str]]) -> Iterator[Problem]:
    """Yields everything that is wrong with the mentions of a document with these sentences."""
    words = list(itertools.chain.from_iterable(sentences))
    starts = [0, *itertools.accumulate(len(sentence) for sentence in sentences)]
    placed = []
    for mention in mentions:
        start, end = mention.start, mention.end
        if start > end:
            yield Problem(mention, f"mention ({start}, {end}) ends before it starts; expected start <= end")
        elif start < 0 or end >= len(words):
            message = (
                f"mention ({start}, {end}) lies outside the document; expected words 0 to {len(words) - 1}"
            )
            yield Problem(mention, message)
        elif bisect.bisect_right(starts, start) != bisect.bisect_right(starts, end):
            message = (
                f"{_name(mention, words)} runs across a sentence end; expected mentions inside one sentence"
            )
            yield Problem(mention, message)
        else:
            placed.append(mention)
    yield from _repeated(placed, words)
    yield from _crossing(placed, words)


def _repeated(mentions: list[Mention], words: list[str]) -> Iterator[Problem]:
    """Mentions that stand twice in one cluster, or in two clusters."""
    clusters = {}
    for mention in mentions:
        earlier = clusters.setdefault((mention.start, mention.end), [])
        if mention.cluster in earlier:
            message = f"{_name(mention, words)} stands twice in cluster {mention.cluster}; expected it once"
            yield Problem(mention, message)
        elif earlier:
            message = (
                f"{_name(mention, words)} stands in clusters {earlier[0]} and {mention.cluster}; "
                "expected one cluster for a mention"
            )
            yield Problem(mention, message, fatal=False)
        earlier.append(mention.cluster)


def _crossing(mentions: list[Mention], words: list[str]) -> Iterator[Problem]:
    """Mentions that begin inside another and end after it."""
    around = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        around = [other for other in around if other.end >= mention.start]
        for other in around:
            if other.start < mention.start and other.end < mention.end:
                message = (
                    f"{_name(mention, words)} of cluster {mention.cluster} crosses {_name(other, words)} "
                    f"of cluster {other.cluster}; expected mentions to be nested or apart"
                )
                # Brackets of one cluster that cross can't be told from nested ones.
                yield Problem(mention, message, fatal=mention.cluster == other.cluster)
        around.append(mention)


def _name(mention: Mention, words: list[str]) -> str:
    """The mention as messages show it: its span and its words, shortened."""
    text = " ".join(words[mention.start : mention.end + 1])
    return f'mention ({mention.start}, {mention.end}) "{text if len(text) <= 40 else text[:37] + "..."}"'
