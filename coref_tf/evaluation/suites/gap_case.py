"""GAP's questions: an ambiguous pronoun in a text, and two names (Webster et al. 2018)."""

import os
from typing import NamedTuple

from coref_tf.documents.sources import decode_lines, open_source, refuse
from coref_tf.support.errors import CorefError, InputError

COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL",
)  # fmt: skip
FEMININE, MASCULINE = "feminine", "masculine"
GENDERS = dict.fromkeys(["she", "her", "hers"], FEMININE) | dict.fromkeys(["he", "him", "his"], MASCULINE)
_TRUTH = {"true": True, "false": False}


class Place(NamedTuple):
    """text[begin:end]."""

    begin: int
    end: int

    def overlaps(self, other: "Place") -> bool:
        """Whether the two have a character in common."""
        return self.begin < other.end and other.begin < self.end


class GapCase(NamedTuple):
    """One question, and which of the two names are the right answer."""

    id: str
    text: str
    pronoun: Place
    names: tuple[Place, Place]  # A and B
    coref: tuple[bool, bool]  # whether the pronoun means each

    @property
    def gender(self) -> str:
        """Of the pronoun."""
        return GENDERS[self.text[slice(*self.pronoun)].lower()]


def read_gap(path: str | os.PathLike) -> list[GapCase]:
    """The questions of a .tsv file with GAP's columns, whose first line names them."""
    with open_source(path) as file:
        lines = decode_lines(file, path, refuse) or []  # what isn't text is refused
    rows = [line.rstrip("\r\n").split("\t") for line in lines]
    if not rows or tuple(rows[0]) != COLUMNS:
        raise InputError(path, 1, f"not GAP's header; expected the columns {', '.join(COLUMNS)}")
    cases: dict[str, GapCase] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(COLUMNS):
            raise InputError(path, number, f"{len(row)} columns; expected {len(COLUMNS)}, parted by tabs")
        try:
            case = _case(dict(zip(COLUMNS, row, strict=True)))
        except CorefError as error:
            raise InputError(path, number, str(error)) from None
        if case.id in cases:
            raise InputError(path, number, f"the ID {case.id} was there before; expected each once")
        cases[case.id] = case
    if not cases:
        raise InputError(path, 1, "holds no question; expected a line for each behind the header")
    return list(cases.values())


def _case(row: dict[str, str]) -> GapCase:
    pronoun = _place(row, "Pronoun")
    if row["Pronoun"].lower() not in GENDERS:
        raise CorefError(f"the pronoun is {row['Pronoun']!r}; expected one of {', '.join(GENDERS)}")
    for name in ("A-coref", "B-coref"):
        if row[name].lower() not in _TRUTH:
            raise CorefError(f"{name} is {row[name]!r}; expected TRUE or FALSE")
    names = _place(row, "A"), _place(row, "B")
    coref = _TRUTH[row["A-coref"].lower()], _TRUTH[row["B-coref"].lower()]
    return GapCase(row["ID"], row["Text"], pronoun, names, coref)


def _place(row: dict[str, str], name: str) -> Place:
    offset = row[f"{name}-offset"]
    begin = int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 10 else -1
    end = begin + len(row[name])
    if begin < 0 or not row[name] or row["Text"][begin:end] != row[name]:
        raise CorefError(f"{name} is {row[name]!r:.40} at {offset!r:.40}; expected where it stands in Text")
    return Place(begin, end)
