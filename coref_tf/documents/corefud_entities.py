"""The entities of CorefUD: `Entity=` brackets in the last column.

`(e1-person-2-` opens a mention of e1, with the fields that `# global.Entity` declares; `e1)` closes it, and
`(e1-person-1-)` does both. Brackets may be adjacent. The parts of a discontinuous mention are named `e1[1/2]` and
`e1[2/2]`.
"""

import collections
import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from coref_tf.documents.corefud_blocks import DEFAULT_FIELDS, MISC
from coref_tf.documents.document import Document
from coref_tf.documents.rows import Row, place_brackets

_KEY = "Entity="
_BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<single>\))?|(?P<closed>[^()]+)\)")
_BRACKETS = re.compile(r"(?:\([^()]+(?:\)|(?=\(|$))|[^()]+\))+")
_OF_ENTITIES = ("Entity=", "Bridge=", "SplitAnte=")  # the latter two refer to entities that no longer exist
_ENTITY_NUMBER = re.compile(rb"(?<![0-9A-Za-z])e([0-9]{1,9})(?![0-9A-Za-z])")
_PART = re.compile(r"(.+)\[([0-9]{1,4})/([0-9]{1,4})\]")

# Receives a line number and a message.
Problem = Callable[[int, str], None]


class Part(NamedTuple):
    """Part `number` of a mention with `total` parts, each marked by a pair of brackets."""

    entity: str
    number: int
    total: int
    start: int
    end: int
    fields: tuple[str, ...]
    line: int


class EntityMention(NamedTuple):
    """A mention in a file: its parts, and the fields of its bracket."""

    entity: str
    parts: tuple[tuple[int, int], ...]
    fields: tuple[str, ...]
    line: int

    def span(self, head: int | None) -> tuple[int, int]:
        """Returns the part with word `head`, counted from 1 over all parts, or the longest part if there is no head."""
        behind = 0
        for start, end in self.parts:
            behind += end - start + 1
            if head is not None and 1 <= head <= behind:
                return start, end
        return max(self.parts, key=lambda part: part[1] - part[0])


def entity_label(row: Row) -> str:
    """Returns the entity brackets of a row, or "" if there are none."""
    values = [value for value in row.columns[MISC].split("|") if value.startswith(_KEY)]
    return values[0].removeprefix(_KEY) if values else ""


def find_mentions(rows: Sequence[Row], names: Sequence[str], problem: Problem) -> list[EntityMention]:
    """Returns the mentions of a document, in the order in which they open.

    Args:
        rows: The rows of the document.
        names: The names of the bracket fields.
        problem: Called with brackets that do not match.
    """
    place = next((n for n, name in enumerate(names) if name in ("eid", "GRP")), 0)
    parts: list[Part] = []
    opened: dict[str, list[Part]] = {}
    for index, row in enumerate(rows):
        label = entity_label(row)
        if label and not _BRACKETS.fullmatch(label):
            expected = "expected brackets such as (e1-person-1-, e1) or (e1-person-1-)"
            problem(row.line, f"Entity={label}; {expected}")
            continue
        for bracket in _BRACKET.finditer(label):
            if bracket["opened"]:
                values = tuple(bracket["opened"].split("-", len(names) - 1))
                name = values[place] if place < len(values) else ""
                opened.setdefault(name, []).append(_part(name, index, values, row.line))
            name = bracket["closed"] or (name if bracket["single"] else "")
            if name and opened.get(name):
                parts.append(opened[name].pop()._replace(end=index))
            elif name:
                problem(row.line, f"'{name})' closes nothing; expected '({name}-' before it")
    for name, left in opened.items():
        for part in left:
            problem(part.line, f"'({name}-' is never closed; expected '{name})' after it")
    return _joined(sorted(parts, key=lambda part: (part.start, -part.end)), problem)


def _part(name: str, start: int, fields: tuple[str, ...], line: int) -> Part:
    match = _PART.fullmatch(name)
    entity, number, count = (match[1], int(match[2]), int(match[3])) if match else (name, 1, 1)
    return Part(entity, number, count, start, -1, fields, line)


def _joined(parts: Sequence[Part], problem: Problem) -> list[EntityMention]:
    """Joins the parts of mentions: `e1[2/2]` belongs to the latest `e1[1/2]` without a second part."""
    mentions: list[EntityMention] = []
    begun: list[list[Part]] = []
    # Heaps of mention indices that wait for part `number` of `total` of an entity, latest first.
    waiting: dict[tuple[str, int, int], list[int]] = collections.defaultdict(list)
    for part in parts:
        awaiting = waiting[part.entity, part.number, part.total]
        if not 1 <= part.number <= part.total or (part.number > 1 and not awaiting):
            wanted = f"{part.entity}[{part.number - 1}/{part.total}]"
            problem(
                part.line, f"part {part.number} of {part.total} of {part.entity}; expected {wanted} before it"
            )
            continue
        if part.number == 1:
            begun.append([])
        index = len(begun) - 1 if part.number == 1 else -heapq.heappop(awaiting)
        group = begun[index]
        group.append(part)
        if len(group) < part.total:
            heapq.heappush(waiting[part.entity, part.number + 1, part.total], -index)
        else:
            spans = tuple((p.start, p.end) for p in group)
            mentions.append(EntityMention(part.entity, spans, group[0].fields, group[0].line))
    for last in (group[-1] for group in begun if len(group) < group[0].total):
        wanted = f"{last.entity}[{last.number + 1}/{last.total}]"
        problem(last.line, f"part {last.number} of {last.total} of {last.entity}; expected {wanted} after it")
    return sorted(mentions, key=lambda mention: (mention.parts[0][0], -mention.parts[0][1]))


def entity_labels(
    document: Document,
    first: int = 1,
    fields: Sequence[str] = DEFAULT_FIELDS,
    values: Mapping[tuple[int, int], Sequence[str]] | None = None,
    heads: Sequence[int] | None = None,
) -> list[str]:
    """Returns the brackets of each word, or "" if it has none.

    Args:
        document: The document, with its clusters.
        first: The number of the first cluster; the name of its entity is e1 if this is 1.
        fields: The fields of a bracket, in order.
        values: The field values of mentions that already had some, by span. They are kept, except for the type: all
            mentions of an entity get the type that most of them had.
        heads: The index of the word that each word depends on, or -1. If None, the head of a mention is its last word.
    """
    known = {span: dict(zip(fields, given, strict=False)) for span, given in (values or {}).items()}
    name_field = next((field for field in fields if field in ("eid", "GRP")), fields[0])
    type_field = next((field for field in fields if field in ("etype", "entity")), None)
    types = [_most_common_type(cluster, type_field, known) for cluster in document.clusters]

    def bracket(start: int, end: int, cluster: int) -> tuple[str, str]:
        name = f"e{first + cluster}"
        filled = dict(known.get((start, end), {}))
        filled["head"] = filled.get("head") or str(_head_in_span(start, end, heads))
        if type_field:
            filled[type_field] = types[cluster]
        filled[name_field] = name
        return f"({'-'.join(filled.get(field, '') for field in fields)}", f"{name})"

    # A closing bracket must not directly follow an opening one, because it would be read as one of its fields.
    return [
        "".join([*closing, *opening, *single] if opening else [*single, *closing])
        for opening, single, closing in place_brackets(document, bracket)
    ]


def _most_common_type(
    cluster: Sequence[tuple[int, int]],
    field: str | None,
    known: Mapping[tuple[int, int], Mapping[str, str]],
) -> str:
    types = [known.get(span, {}).get(field or "", "") for span in sorted(cluster)]
    counted = collections.Counter(filter(None, types)).most_common(1)
    return counted[0][0] if counted else ""


def _head_in_span(start: int, end: int, heads: Sequence[int] | None) -> int:
    """Returns the index, from 1, of the word in a mention that depends on a word outside of it."""
    if heads is None:
        return end - start + 1
    outside = (word for word in range(start, end + 1) if not start <= heads[word] <= end)
    return next(outside, end) - start + 1


def replace_entities(misc: str, label: str) -> str:
    """Returns the last column with new entities and its other values unchanged."""
    values = [] if misc == "_" else misc.split("|")
    place = next((n for n, value in enumerate(values) if value.startswith("Entity=")), None)
    if place is None:
        place = sum(value.lower() < "entity=" for value in values)
    before, behind = (
        [value for value in part if not value.startswith(_OF_ENTITIES)]
        for part in (values[:place], values[place:])
    )
    return "|".join([*before, *([f"Entity={label}"] if label else []), *behind]) or "_"


def entity_numbers(lines: Iterable[bytes]) -> Iterator[int]:
    """Yields the numbers of all entities named e1, e2, ... in the lines."""
    for line in lines:
        _, found, entities = line.partition(b"Entity=")
        if found:
            yield from (int(number) for number in _ENTITY_NUMBER.findall(entities))
