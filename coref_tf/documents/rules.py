"""The rules for mentions that `Document`, the readers and lint apply."""

import bisect
import collections
import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

# The maximum number of countable problems of a file, fatal or not, that are reported individually.
MOST_SHOWN = 100


class FileMention(NamedTuple):
    """An inclusive span of word indices, the name of its cluster, and the line of the file where it begins."""

    start: int
    end: int
    cluster: Hashable
    line: int = 0


class Problem(NamedTuple):
    """A problem with a mention. If it is not fatal, lint reports it, but the document is read.

    Published corpora contain a few mentions that cross a mention of another cluster or are in two clusters. Their
    meaning is clear, so they are kept. If a file has very many `countable` problems, only the first ones are reported,
    and the rest is counted.
    """

    mention: FileMention
    message: str
    fatal: bool = True
    countable: bool = False


def mention_problems(
    mentions: Sequence[FileMention], sentences: Sequence[Sequence[str]]
) -> Iterator[Problem]:
    """Yields all problems with the mentions of a document."""
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


class FileProblems:
    """Collects the problems with the mentions of a file; of countable problems, only the first MOST_SHOWN.

    Example:
        problems = FileProblems()
        for document in ...:
            for problem in problems.check(mentions, sentences):
                ...
        problems.left_out()         # None, or a problem that counts the rest
    """

    def __init__(self) -> None:
        self._counts = {True: 0, False: 0}  # fatal or not
        self._latest: FileMention | None = None
        self.fatal = False  # whether the latest document has a fatal problem, shown or not

    def check(self, mentions: Sequence[FileMention], sentences: Sequence[Sequence[str]]) -> Iterator[Problem]:
        """Yields the problems of a document, like `mention_problems`."""
        self.fatal = False
        for problem in mention_problems(mentions, sentences):
            self.fatal |= problem.fatal
            if problem.countable:
                self._counts[problem.fatal] += 1
                self._latest = problem.mention
            if self._counts[problem.fatal] <= MOST_SHOWN or not problem.countable:
                yield problem

    def left_out(self) -> Problem | None:
        """Returns a problem that counts those beyond MOST_SHOWN, or None if there are none."""
        more = sum(max(0, count - MOST_SHOWN) for count in self._counts.values())
        if not more or self._latest is None:
            return None
        return Problem(
            self._latest,
            f"{more:,} more mentions up to here cross others or are in two clusters",
            fatal=False,
        )


def _repeated(mentions: list[FileMention], words: list[str]) -> Iterator[Problem]:
    """Yields mentions that occur twice in one cluster, or in two clusters."""
    clusters: dict[tuple[int, int], dict[Hashable, None]] = {}
    for mention in mentions:
        earlier = clusters.setdefault((mention.start, mention.end), {})
        if mention.cluster in earlier:
            message = f"{_name(mention, words)} occurs twice in cluster {mention.cluster}; expected it once"
            yield Problem(mention, message)
        elif earlier:
            message = (
                f"{_name(mention, words)} is in clusters {next(iter(earlier))} and {mention.cluster}; "
                "expected one cluster for a mention"
            )
            yield Problem(mention, message, fatal=False, countable=True)
        earlier[mention.cluster] = None


def _crossing(mentions: list[FileMention], words: list[str]) -> Iterator[Problem]:
    """Yields mentions that begin inside another one and end after it, each once, preferably with one of its cluster.

    Previous mentions are kept in heaps ordered by end. Among those that end at or after the start of a mention, the
    first to end crosses the mention if any of them does.
    """
    all_ends: list[tuple[int, int, FileMention]] = []
    ends_of_cluster: dict[Hashable, list[tuple[int, int, FileMention]]] = collections.defaultdict(list)
    ordered = enumerate(sorted(mentions, key=lambda mention: (mention.start, -mention.end)))
    for _, group in itertools.groupby(ordered, key=lambda numbered: numbered[1].start):
        begun = list(group)
        for _, mention in begun:
            for ends, fatal in ((ends_of_cluster[mention.cluster], True), (all_ends, False)):
                other = _first_to_end(ends, mention.start)
                if other and other.end < mention.end:
                    message = (
                        f"{_name(mention, words)} of cluster {mention.cluster} crosses {_name(other, words)} "
                        f"of cluster {other.cluster}; expected nested or disjoint mentions"
                    )
                    # Crossing brackets of one cluster are indistinguishable from nested ones.
                    yield Problem(mention, message, fatal, countable=True)
                    break
        for number, mention in begun:
            for ends in (ends_of_cluster[mention.cluster], all_ends):
                heapq.heappush(ends, (mention.end, number, mention))


def _first_to_end(ends: list[tuple[int, int, FileMention]], start: int) -> FileMention | None:
    """Returns the first mention in a heap that ends at or after `start`; removes those that end before it."""
    while ends and ends[0][0] < start:
        heapq.heappop(ends)
    return ends[0][2] if ends else None


def compatible_mentions(firm: Sequence[FileMention], loose: Iterable[FileMention]) -> list[FileMention]:
    """Returns the mentions of `loose` that neither repeat nor cross a mention of their own cluster.

    Mentions of `firm` take precedence over those of `loose`, and earlier ones of `loose` over later ones.
    """
    taken = {mention[:3] for mention in firm}
    distinct: dict[tuple[int, int, Hashable], FileMention] = {}
    for mention in loose:
        if mention[:3] not in taken:
            distinct.setdefault(mention[:3], mention)
    # A mention crosses another if it begins inside of it and ends after it, or the same from right to left.
    mirrored = {_mirrored(mention): mention for mention in distinct.values()}
    crossing = set(_ending_after(distinct.values(), firm))
    crossing |= {mirrored[mention] for mention in _ending_after(mirrored, map(_mirrored, firm))}
    compatible: list[FileMention] = []
    ends: dict[Hashable, list[tuple[int, int, FileMention]]] = collections.defaultdict(list)
    left = (mention for mention in distinct.values() if mention not in crossing)
    for number, mention in enumerate(sorted(left, key=lambda mention: (mention.start, -mention.end))):
        other = _first_to_end(ends[mention.cluster], mention.start)
        if other is None or other.end >= mention.end:
            compatible.append(mention)
            heapq.heappush(ends[mention.cluster], (mention.end, number, mention))
    return compatible


def _mirrored(mention: FileMention) -> FileMention:
    return mention._replace(start=-mention.end, end=-mention.start)


def _ending_after(mentions: Iterable[FileMention], others: Iterable[FileMention]) -> Iterator[FileMention]:
    """Yields the mentions that begin inside one of `others` of the same cluster, and end after it."""
    ends: dict[Hashable, list[tuple[int, int, FileMention]]] = collections.defaultdict(list)
    asked = [(mention.start, 0, number, mention) for number, mention in enumerate(mentions)]
    begun = [(mention.start, 1, number, mention) for number, mention in enumerate(others)]
    for start, is_other, number, mention in sorted(asked + begun, key=lambda event: event[:3]):
        if is_other:
            heapq.heappush(ends[mention.cluster], (mention.end, number, mention))
        elif (other := _first_to_end(ends[mention.cluster], start)) and other.end < mention.end:
            yield mention


def _name(mention: FileMention, words: list[str]) -> str:
    """Returns the mention as quoted in messages: its span and its words, truncated."""
    shortened = words[mention.start : min(mention.end, mention.start + 40) + 1]
    text = " ".join(word[:41] for word in shortened)
    return f'mention ({mention.start}, {mention.end}) "{text if len(text) <= 40 else text[:37] + "..."}"'
