"""Mentions marked in running text with brackets: `[ana|the old [town|town's] mayor]`."""

import re
from typing import NamedTuple

ENTITY = "[a-z0-9_]+"


class BracketedMention(NamedTuple):
    """A mention of an entity: the characters [begin, end) of the text without brackets."""

    entity: str
    begin: int
    end: int


class BracketError(ValueError):
    """Raised for brackets that do not mark mentions; the message says what was expected."""


def strip_brackets(line: str, entity: str = ENTITY) -> tuple[str, list[BracketedMention]]:
    """Splits a line into its text and the mentions in it.

    Args:
        line: text with mentions as `[entity|words]`, which may be nested or adjacent.
        entity: a regular expression, without groups, for the names of entities.

    Returns:
        The text without brackets, and the mentions in the order in which they are closed.

    Raises:
        BracketError: if a bracket is not part of a mention.

    Example:
        strip_brackets("[ana|Ana] slept.")      # ("Ana slept.", [BracketedMention("ana", 0, 3)])
    """
    text, opened, marked, position = "", [], [], 0
    for mark in re.finditer(rf"\[({entity})\||[\[\]|]", line):
        text += line[position : mark.start()]
        position = mark.end()
        if mark[1]:
            opened.append((mark[1], len(text)))
        elif mark[0] == "]" and opened:
            marked.append(BracketedMention(*opened.pop(), len(text)))
        elif mark[0] == "]":
            raise BracketError("']' closes nothing; expected '[entity|' before it")
        else:
            raise BracketError(
                f"a bare {mark[0]!r}; expected mentions as '[entity|words]', with entity names of a-z, 0-9 and _"
            )
    if opened:
        raise BracketError(f"'[{opened[-1][0]}|' is never closed; expected ']' on the same line")
    return text + line[position:], marked
