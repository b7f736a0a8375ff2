"""Mentions given as character offsets into a text, as in annotation tools."""

import bisect
import dataclasses
import itertools
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.rules import FileMention, FileProblems, compatible_mentions
from coref_tf.documents.running_text import RunningText
from coref_tf.documents.text import document_from_text
from coref_tf.support.errors import CorefError

MENTION = "Mention"  # the label of mentions in written files
_COREFERENCE = re.compile(r"coref|equiv|ident|same|anaphor", re.IGNORECASE)
_QUOTED = 40  # the maximum number of characters of a text that messages quote

# Receives a line number, a message, and whether the problem is fatal.
ReportProblem = Callable[[int, str, bool], None]


class CharacterSpan(NamedTuple):
    """A mention text[begin:end]; `name` is its name in the file."""

    name: str
    begin: int
    end: int
    line: int


class Runs:
    """The runs of non-whitespace characters of a text, found by bisection.

    Looking up spans does not copy the text, however many there are.
    """

    def __init__(self, text: str):
        self.text = text
        matches = [match.span() for match in re.finditer(r"\S+", text)]
        self._begins, self._ends = [begin for begin, _ in matches], [end for _, end in matches]

    def trim(self, begin: int, end: int) -> tuple[int, int]:
        """Returns the span without leading and trailing whitespace; an empty span if there is nothing else."""
        first, last = bisect.bisect_right(self._ends, begin), bisect.bisect_left(self._begins, end) - 1
        if first > last:
            return begin, begin
        return max(begin, self._begins[first]), min(end, self._ends[last])

    def read_as(self, parts: Sequence[tuple[int, int]], quoted: str) -> bool:
        """Returns whether the concatenated parts of the text equal `quoted`, ignoring whitespace."""
        words = iter(quoted.split())
        for begin, end in parts:
            first = bisect.bisect_right(self._ends, begin)
            last = bisect.bisect_left(self._begins, end) if begin < end else first
            for number in range(first, last):
                run = max(begin, self._begins[number]), min(end, self._ends[number])
                word = next(words, "")
                if run[1] - run[0] != len(word) or self.text[slice(*run)] != word:
                    return False
        return next(words, None) is None


def is_coreference(label: str) -> bool:
    """Returns whether the label of a link means that two mentions corefer."""
    return bool(_COREFERENCE.search(label))


def text_for_annotation(document: Document) -> RunningText:
    """Returns the running text of a document, after checking that each of its mentions can be found in it again."""
    running = RunningText.from_document(document)
    if "\0" in running.text:
        raise CorefError(
            f"document {document.key}: the text contains a NUL character; remove it, or write jsonlines"
        )
    runs = Runs(running.text)
    for start, end in itertools.chain.from_iterable(document.clusters):
        span = running.offsets[start][0], running.offsets[end][1]
        if span[0] == span[1] or runs.trim(*span) != span:
            raise CorefError(
                f"document {document.key}: mention ({start}, {end}) is empty or starts or ends with whitespace in the"
                " text, which annotation tools strip; expected visible characters, or write jsonlines"
            )
    return running


def document_from_spans(
    text: str,
    doc_key: str,
    clusters: Iterable[Sequence[CharacterSpan]],
    reading: Reading,
    problems: FileProblems,
    problem: ReportProblem,
) -> Document | None:
    """Creates a document from a text and its mentions; returns None if a fatal problem was reported.

    A mention consists of all words that overlap its characters. If a mention crosses a sentence boundary, the sentences
    are joined, because the boundary is a guess and the mention is not.
    """
    document = document_from_text(text, doc_key, reading.dialogue, reading.genre, reading.language)
    if not document.sentences and not reading.allow_empty:
        problem(1, f"document {doc_key} is empty; expected at least one word", True)
        return None
    marked = list(clusters)
    mentions = _find_mentions(document, marked, problem)
    if mentions is None:
        return None
    sentences, speakers = join_sentences(document, mentions)
    for found in problems.check(mentions, sentences):
        problem(found.mention.line, found.message, found.fatal)
    if problems.fatal:
        return None
    by_cluster: dict[Hashable, list[tuple[int, int]]] = {number: [] for number in range(len(marked))}
    for mention in mentions:
        by_cluster[mention.cluster].append((mention.start, mention.end))
    filled = [sorted(cluster) for cluster in by_cluster.values() if cluster]
    return dataclasses.replace(document, sentences=sentences, speakers=speakers, clusters=filled)


def _find_mentions(
    document: Document, clusters: Iterable[Sequence[CharacterSpan]], problem: ReportProblem
) -> list[FileMention] | None:
    """Returns the mentions that the spans mark, or None if a fatal problem was reported.

    Spans that cut through a word are extended to whole words. Those that then repeat or cross another mention are
    left out.
    """
    exact: list[FileMention] = []
    extended: dict[FileMention, CharacterSpan] = {}
    runs, fatal = Runs(document.text or ""), False
    for number, cluster in enumerate(clusters):
        for span in cluster:
            found = _words_of_span(document, span)
            if found is None:
                expected = f"expected a range within the {len(runs.text):,} characters of the text that contains a word"
                problem(
                    span.line, f"{span.name} covers characters {span.begin} to {span.end}; {expected}", True
                )
                fatal = True
                continue
            mention = FileMention(*found, number, span.line)
            begin, end = _characters(document, mention)
            if runs.trim(span.begin, span.end) == (begin, end):
                exact.append(mention)
            else:
                extended.setdefault(mention, span)
                marked = runs.text[span.begin : min(span.end, span.begin + _QUOTED)]
                read = " ".join(runs.text[begin : min(end, begin + _QUOTED)].split())
                problem(
                    span.line, f"{span.name}, {marked!r}, cuts through a word; extended to {read!r}", False
                )
    if fatal:
        return None
    compatible = compatible_mentions(exact, extended)
    kept = set(compatible)
    for mention, span in extended.items():
        if mention not in kept:
            problem(span.line, f"{span.name} repeats or crosses a mention of its cluster; left out", False)
    return exact + compatible


def _words_of_span(document: Document, span: CharacterSpan) -> tuple[int, int] | None:
    """Returns the first and last word that overlap a span; None if there are none, or the span is not in the text."""
    offsets = document.offsets or ()
    start = bisect.bisect_right(offsets, span.begin, key=lambda offset: offset[1])
    end = bisect.bisect_left(offsets, span.end, key=lambda offset: offset[0]) - 1
    inside = 0 <= span.begin < span.end <= len(document.text or "")
    return (start, end) if inside and start <= end else None


def _characters(document: Document, mention: FileMention) -> tuple[int, int]:
    offsets = document.offsets or ()
    return offsets[mention.start][0], offsets[mention.end][1]


def join_sentences(
    document: Document, mentions: Sequence[FileMention]
) -> tuple[list[list[str]], list[list[str]]]:
    """Returns the sentences and their speakers, joined so that no mention crosses a sentence boundary."""
    ends = list(itertools.accumulate((len(sentence) for sentence in document.sentences), initial=0))
    # Differences of the number of mentions that are open at each sentence boundary.
    changes = [0] * (len(ends) + 1)
    for mention in mentions:
        first, last = bisect.bisect_right(ends, mention.start), bisect.bisect_right(ends, mention.end)
        changes[first] += 1
        changes[last] -= 1
    sentences: list[list[str]] = []
    speakers: list[list[str]] = []
    running = zip(itertools.accumulate(changes), document.sentences, document.speakers, strict=False)
    for open_mentions, sentence, names in running:
        if open_mentions:
            sentences[-1] += sentence
            speakers[-1] += names
        else:
            sentences.append(list(sentence))
            speakers.append(list(names))
    return sentences, speakers


def link_groups(names: Iterable[str], links: Iterable[Sequence[str]]) -> list[list[str]]:
    """Groups names that are connected by links, in the order of the names; a name without links is its own group."""
    parent = {name: name for name in names}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    sizes = dict.fromkeys(parent, 1)
    for link in links:
        for other in link[1:]:
            small, large = sorted((root(link[0]), root(other)), key=sizes.__getitem__)
            if small != large:
                parent[small] = large
                sizes[large] += sizes[small]
    groups: dict[str, list[str]] = {}
    for name in parent:
        groups.setdefault(root(name), []).append(name)
    return list(groups.values())
