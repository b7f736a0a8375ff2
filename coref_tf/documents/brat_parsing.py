"""BRAT's standoff annotations: the lines of a .ann file.

`T1 -> Mention 0 5 -> Marta`, with tabs for arrows, is a mention, characters 0 to 5 of the .txt file beside it;
`* -> Equiv T1 T2 ...` says that mentions are of the same thing, and so does `R1 -> Coreference Arg1:T2 Arg2:T1`.
Other lines say other things.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.documents.character_spans import MENTION, CharacterSpan, Problem, is_coreference, link_groups
from coref_tf.documents.document import Document
from coref_tf.documents.running_text import RunningText

_MENTION = re.compile(r"(T\S*)\t(\S+) ([0-9]{1,12} [0-9]{1,12}(?:;[0-9]{1,12} [0-9]{1,12})*)(?:\t(.*))?")
_EQUIVALENT = re.compile(r"\*\t(\S+)((?: \S+)+)")
_RELATION = re.compile(r"R\S*\t(\S+) \S+?:(\S+) \S+?:(\S+)\s*")


class _TextBound(NamedTuple):
    """A mention of a .ann file: its parts, what kind of thing it is, and how it reads."""

    span: CharacterSpan
    kind: str


def parse_annotations(lines: Sequence[str], text: str, problem: Problem) -> list[list[CharacterSpan]]:
    """The clusters of a .ann file. What is linked to nothing counts if it is called a mention."""
    marked: dict[str, _TextBound] = {}
    links: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("T"):
            _take_mention(line, number, text, marked, problem)
        elif match := _EQUIVALENT.fullmatch(line):
            links += [(number, match[2].split())] if is_coreference(match[1]) else []
        elif match := _RELATION.fullmatch(line):
            links += [(number, [match[2], match[3]])] if is_coreference(match[1]) else []
        elif line.startswith(("*", "R")):
            problem(
                number, f"{line!r}; expected '*\\tEquiv T1 T2' or 'R1\\tCoreference Arg1:T2 Arg2:T1'", True
            )
    known = []
    for number, names in links:
        missing = [name for name in names if name not in marked]
        if missing:
            problem(
                number,
                f"{missing[0]} is linked, but isn't there; expected a line '{missing[0]}\\tMention ...'",
                True,
            )
        else:
            known.append(names)
    named = {name for names in known for name in names}
    groups = link_groups([name for name in marked if name in named or marked[name].kind == MENTION], known)
    return [[marked[name].span for name in group] for group in groups]


def _take_mention(line: str, number: int, text: str, marked: dict[str, _TextBound], problem: Problem) -> None:
    match = _MENTION.fullmatch(line)
    if not match:
        problem(number, f"{line[:60]!r}; expected a mention such as 'T1\\tMention 0 5\\tMarta'", True)
        return
    name, kind, places, quoted = match.groups()
    parts = [tuple(map(int, part.split())) for part in places.split(";")]
    read = " ".join(" ".join(text[begin:end] for begin, end in parts).split())
    if name in marked:
        problem(number, f"{name} stands there twice; expected each name once", True)
    elif quoted is not None and " ".join(quoted.split()) != read:
        problem(
            number,
            f"{name} reads {quoted!r} here and {read!r} in the text; expected the text it was made for",
            True,
        )
    else:
        begin, end = max(parts, key=lambda part: part[1] - part[0])
        marked[name] = _TextBound(CharacterSpan(name, begin, end, number), kind)


def format_annotations(document: Document) -> tuple[str, str]:
    """The .ann and the .txt of a document."""
    text, offsets = RunningText.from_document(document)
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
