"""Parses and formats BRAT standoff annotations, the lines of a .ann file.

`T1 -> Mention 0 5 -> Marta`, with tabs for arrows, is a mention: characters 0 to 5 of the .txt file.
`* -> Equiv T1 T2 ...` states that mentions corefer, and so does `R1 -> Coreference Arg1:T2 Arg2:T1`. Other lines
are ignored.
"""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.documents.character_spans import (
    MENTION,
    CharacterSpan,
    ReportProblem,
    Runs,
    is_coreference,
    link_groups,
    text_for_annotation,
)
from coref_tf.documents.document import Document

_MENTION = re.compile(r"(T\S*)\t(\S+) ([0-9]{1,12} [0-9]{1,12}(?:;[0-9]{1,12} [0-9]{1,12})*)(?:\t(.*))?")
_EQUIVALENT = re.compile(r"\*\t(\S+)((?: \S+)+)")
_RELATION = re.compile(r"R\S*\t(\S+) (\S+) (\S+)\s*")
_QUOTED = 60  # the maximum number of characters of a line that messages quote


class _TextBound(NamedTuple):
    """A text-bound annotation: its position and type."""

    span: CharacterSpan
    kind: str


def parse_annotations(lines: Sequence[str], text: str, problem: ReportProblem) -> list[list[CharacterSpan]]:
    """Returns the clusters of a .ann file. An annotation without links counts only if its type is `Mention`."""
    marked: dict[str, _TextBound] = {}
    links: list[tuple[int, list[str]]] = []
    runs = Runs(text)
    for number, line in enumerate(lines, start=1):
        if line.startswith("T"):
            _take_mention(line, number, runs, marked, problem)
        elif line.startswith(("*", "R")):
            link = _parse_link(line)
            if link is None:
                expected = "expected '*\\tEquiv T1 T2' or 'R1\\tCoreference Arg1:T2 Arg2:T1'"
                problem(number, f"{line[:_QUOTED]!r}; {expected}", True)
            elif is_coreference(link[0]):
                links.append((number, link[1:]))
    known = []
    for number, names in links:
        missing = next((name for name in names if name not in marked), None)
        if missing is None:
            known.append(names)
            continue
        name = missing[:_QUOTED]
        problem(number, f"{name} is linked, but not defined; expected a line '{name}\\tMention ...'", True)
    named = set(itertools.chain.from_iterable(known))
    groups = link_groups([name for name in marked if name in named or marked[name].kind == MENTION], known)
    return [[marked[name].span for name in group] for group in groups]


def _parse_link(line: str) -> list[str] | None:
    """Returns the label of a link and the names that it links, or None if the line is not a link."""
    if match := _EQUIVALENT.fullmatch(line):
        return [match[1], *match[2].split()]
    if match := _RELATION.fullmatch(line):
        # An argument is ROLE:NAME, where a role has at least one character.
        colons = [match[group].find(":", 1) for group in (2, 3)]
        names = [match[group][colon + 1 :] for group, colon in zip((2, 3), colons, strict=True) if colon > 0]
        if len(names) == 2 and all(names):
            return [match[1], *names]
    return None


def _take_mention(
    line: str, number: int, runs: Runs, marked: dict[str, _TextBound], problem: ReportProblem
) -> None:
    match = _MENTION.fullmatch(line)
    if not match:
        problem(number, f"{line[:_QUOTED]!r}; expected a mention such as 'T1\\tMention 0 5\\tMarta'", True)
        return
    name, kind, places, quoted = match.groups()
    numbers = [int(place) for place in re.split("[ ;]", places)]
    parts = list(zip(numbers[::2], numbers[1::2], strict=True))
    begin, end = max(parts, key=lambda part: part[1] - part[0])
    if name in marked:
        problem(number, f"{name} is defined twice; expected each name once", True)
    elif len(parts) > 1 and any(first > second for first, second in itertools.pairwise(numbers)):
        problem(number, f"{name} has overlapping parts; expected parts in text order", True)
    elif quoted is not None and not runs.read_as(parts, quoted):
        read = " ".join(runs.text[parts[0][0] : min(parts[0][1], parts[0][0] + _QUOTED)].split())
        expected = "expected the text that was annotated"
        problem(number, f"{name} is {quoted[:_QUOTED]!r} here, but {read!r} in the text; {expected}", True)
    else:
        marked[name] = _TextBound(CharacterSpan(name, begin, end, number), kind)


def format_annotations(document: Document) -> tuple[str, str]:
    """Returns the contents of the .ann and .txt files of a document."""
    text, offsets = text_for_annotation(document)
    mentions, links, number = [], [], 0
    for cluster in document.clusters:
        names = []
        for start, end in cluster:
            number += 1
            begin, stop = offsets[start][0], offsets[end][1]
            mentions.append(f"T{number}\t{MENTION} {begin} {stop}\t{' '.join(text[begin:stop].split())}\n")
            names.append(f"T{number}")
        links += [f"*\tEquiv {' '.join(names)}\n"] if len(names) > 1 else []
    return "".join(mentions + links), text
