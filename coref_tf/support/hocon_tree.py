"""What a settings file says, before substitutions are resolved."""

import dataclasses
from pathlib import Path
from typing import Any


class Text(str):
    """A string of a settings file, with the folder of that file, which relative paths are relative to."""

    __slots__ = ("folder",)
    folder: Path

    @classmethod
    def of(cls, text: str, folder: Path) -> "Text":
        """The string with its folder."""
        made = cls(text)
        made.folder = folder
        return made


@dataclasses.dataclass(eq=False)
class Reference:
    """${path}, or ${?path}, which may be of nothing."""

    path: tuple[str, ...]
    optional: bool
    prefix: tuple[str, ...]  # where the file it stands in was included
    place: str


@dataclasses.dataclass(eq=False)
class Concatenation:
    """Values side by side: objects are merged, lists joined, all else is one string."""

    parts: list[Any]
    folder: Path
    place: str


@dataclasses.dataclass(eq=False)
class Tree:
    """An object: for each key all that was said of it, of which the last counts, or adds to those before."""

    said: dict[str, list[Any]] = dataclasses.field(default_factory=dict)

    def add(self, path: tuple[str, ...], value: Any) -> None:
        """Takes `path = value` down."""
        tree = self
        for key in path[:-1]:
            below = Tree()
            tree.said.setdefault(key, []).append(below)
            tree = below
        tree.said.setdefault(path[-1], []).append(value)
