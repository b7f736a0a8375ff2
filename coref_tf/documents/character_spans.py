"""Mentions that a file gives as characters of a text, as annotation tools do."""

import bisect
import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document
from coref_tf.documents.format import Reading
from coref_tf.documents.rules import FileMention, FileProblems
from coref_tf.documents.text import document_from_text

MENTION = "Mention"  # what a mention is called in files that we write
_COREFERENCE = re.compile(r"coref|equiv|ident|same|anaphor", re.IGNORECASE)

# Called with a line, what is wrong there, and whether it can't be read.
Problem = Callable[[int, str, bool], None]


class CharacterSpan(NamedTuple):
    """text[begin:end] is a mention; `name` is what the file calls it."""

    name: str
    begin: int
    end: int
    line: int


def is_coreference(label: str) -> bool:
    """Whether what links two mentions says that they are of the same thing."""
    return bool(_COREFERENCE.search(label))


def document_from_spans(
    text: str,
    doc_key: str,
    clusters: Iterable[Sequence[CharacterSpan]],
    reading: Reading,
    problems: FileProblems,
    problem: Problem,
) -> Document | None:
    """The document of a text and its mentions; None where something was reported that can't be read.

    A mention has all words that its characters touch, and sentences that one runs across become one sentence: where
    they end is our guess, and what is marked is not.
    """
    document = document_from_text(text, doc_key, reading.dialogue, reading.genre, reading.language)
    if not document.sentences and not reading.allow_empty:
        problem(1, f"document {doc_key} is empty; expected at least one word", True)
        return None
    mentions, fatal = [], False
    for number, cluster in enumerate(clusters):
        for span in cluster:
            mention = _mention(document, span, number, problem)
            fatal |= mention is None
            mentions += [mention] if mention else []
    sentences, speakers = _joined(document, mentions)
    for one in problems.check(mentions, sentences):
        problem(one.mention.line, one.message, one.fatal)
        fatal |= one.fatal
    if fatal:
        return None
    by_cluster: dict[int, list[tuple[int, int]]] = {}
    for mention in mentions:
        by_cluster.setdefault(mention.cluster, []).append((mention.start, mention.end))
    found = [sorted(cluster) for cluster in by_cluster.values()]
    return dataclasses.replace(document, sentences=sentences, speakers=speakers, clusters=found)


def _mention(document: Document, span: CharacterSpan, cluster: int, problem: Problem) -> FileMention | None:
    offsets = document.offsets
    start = bisect.bisect_right(offsets, span.begin, key=lambda offset: offset[1])
    end = bisect.bisect_left(offsets, span.end, key=lambda offset: offset[0]) - 1
    if not 0 <= span.begin < span.end <= len(document.text) or start > end:
        expected = f"expected some of the text's {len(document.text):,} characters, a word among them"
        problem(span.line, f"{span.name} is characters {span.begin} to {span.end}; {expected}", True)
        return None
    if (offsets[start][0], offsets[end][1]) != (span.begin, span.end):
        words = " ".join(document.words[start : end + 1])
        marked = document.text[span.begin : span.end]
        if marked.strip() != document.text[offsets[start][0] : offsets[end][1]]:
            problem(span.line, f"{span.name}, {marked!r}, cuts through a word; read as {words!r}", False)
    return FileMention(start, end, cluster, span.line)


def _joined(document: Document, mentions: Sequence[FileMention]) -> tuple[list[list[str]], list[list[str]]]:
    """The sentences and their speakers, with no end inside a mention."""
    inside = set()
    ends = [0]
    for sentence in document.sentences:
        ends.append(ends[-1] + len(sentence))
    for mention in mentions:
        first, last = bisect.bisect_right(ends, mention.start), bisect.bisect_right(ends, mention.end)
        inside |= set(range(first, last))
    sentences: list[list[str]] = []
    speakers: list[list[str]] = []
    for number, (sentence, names) in enumerate(zip(document.sentences, document.speakers, strict=True)):
        if number in inside:
            sentences[-1] += sentence
            speakers[-1] += names
        else:
            sentences.append(list(sentence))
            speakers.append(list(names))
    return sentences, speakers


def link_groups(names: Iterable[str], links: Iterable[Sequence[str]]) -> list[list[str]]:
    """The groups that links make of names, each in the order of the names; those without a link are alone."""
    group: dict[str, int] = {name: number for number, name in enumerate(names)}
    members: dict[int, list[str]] = {number: [name] for name, number in group.items()}
    for link in links:
        for other in link[1:]:
            first, second = sorted((group[link[0]], group[other]))
            if first != second:
                for name in members[second]:
                    group[name] = first
                members[first] += members.pop(second)
    order: Mapping[str, int] = {name: number for number, name in enumerate(group)}
    return [sorted(found, key=order.__getitem__) for _, found in sorted(members.items())]
