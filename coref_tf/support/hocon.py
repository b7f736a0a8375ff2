"""Settings in HOCON: files with comments, includes and substitutions -> plain dictionaries, lists and values.

What is read: `key = value`, `key { ... }`, `a.b = c`, `key += item`, lists, strings with and without quotes, numbers,
true, false, null, `${key}` and `${?key}` (also of an environment variable), values side by side, `include "FILE"`,
`include file("FILE")`, `include required(...)`. Whatever a file says, it is read in bounded time and memory, or refused
in one line.
"""

import os
from pathlib import Path
from typing import Any

from coref_tf.support.errors import CorefError
from coref_tf.support.hocon_syntax import Parser
from coref_tf.support.hocon_tree import Concatenation, Reference, Text, Tree

# More than any settings need; less than anybody would notice.
MOST_BYTES = 1 << 18  # of all files together
MOST_FILES = 100
MOST_VALUES = 2 * MOST_BYTES  # that substitutions may come to; of a string every character counts
MOST_WORK = 500_000  # values looked at on the way there
MOST_LEVELS = 60  # of substitutions and objects inside one another

_MISSING = object()
_CONTAINERS = (dict, list)
_UNRESOLVED = (Tree, list, Reference, Concatenation)


def read_hocon(path: str | os.PathLike) -> dict[str, Any]:
    """The settings of a file. Strings are `Text`, and know the folder of the file they stand in.

    Example:
        read_hocon("experiments.conf")["best"]["lstm_size"]   # 200
    """
    reader = _Files()
    reader.read(Path(path), str(path))
    return _Resolver(reader.tree, str(path)).resolve()


def parse_hocon(text: str, where: str, folder: Path) -> dict[str, Any]:
    """The settings of a text.

    Args:
        text: the settings.
        where: what messages call it.
        folder: what its relative paths and includes are relative to.
    """
    reader = _Files()
    reader.parse(text, where, folder)
    return _Resolver(reader.tree, where).resolve()


class _Files:
    """Reads a file and those that it includes into one tree."""

    def __init__(self):
        self.tree = Tree()
        self._open: list[Path] = []
        self._bytes = self._files = 0

    def read(self, path: Path, where: str, tree: Tree | None = None, prefix: tuple[str, ...] = ()) -> None:
        path = path.resolve()
        self._files += 1
        if self._files > MOST_FILES:
            raise CorefError(f"{where}: more than {MOST_FILES} files are included; expected fewer")
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1 - self._bytes)
        self._bytes += len(content)
        if self._bytes > MOST_BYTES:
            raise CorefError(f"{where}: more than {MOST_BYTES:,} bytes of settings; expected fewer")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise CorefError(f"{where}: not UTF-8; expected settings (HOCON)") from None
        self._open.append(path)
        self.parse(text, where, path.parent, tree, prefix)
        self._open.pop()

    def parse(
        self, text: str, where: str, folder: Path, tree: Tree | None = None, prefix: tuple[str, ...] = ()
    ) -> None:
        if "\0" in text:
            raise CorefError(f"{where}: has a NUL character; expected settings (HOCON)")

        def include(name: str, required: bool, place: str, inside: tuple[str, ...], into: Tree) -> None:
            path = folder / name
            if path.resolve() in self._open:
                raise CorefError(f"{place}: {name} includes itself; expected files that don't")
            if path.is_file():
                self.read(path, str(path), into, inside)
            elif required or path.exists():
                raise CorefError(f"{place}: includes {name}, and there is no file {path}")

        Parser(text, where, folder, include, prefix).parse_into(self.tree if tree is None else tree)


class _Resolver:
    """Puts in place of every substitution what it stands for."""

    def __init__(self, tree: Tree, where: str):
        self._tree, self._where = tree, where
        self._known: dict[int, Any] = {}  # of what was said, by identity, once it is resolved
        self._busy: set[int] = set()
        self._sizes: dict[int, int] = {}  # of dictionaries and lists, by identity
        self._kept: list[Any] = []  # so that no identity is used twice
        self._levels = self._work = 0

    def resolve(self) -> dict[str, Any]:
        return self._object(self._tree)

    def _object(self, tree: Tree) -> dict[str, Any]:
        values = {key: self._last(said) for key, said in tree.said.items()}
        return self._measured({key: value for key, value in values.items() if value is not _MISSING})

    def _last(self, said: list[Any]) -> Any:
        """What counts of all that was said of a key."""
        value: Any = _MISSING
        self._spend(len(said))
        for each in said:
            new = self._value(each)
            if isinstance(value, dict) and isinstance(new, dict):
                value = self._merged(value, new)
            elif new is not _MISSING:
                value = new
        return value

    def _value(self, said: Any) -> Any:
        if not isinstance(said, _UNRESOLVED):
            return said
        if id(said) not in self._known:
            if id(said) in self._busy:
                raise CorefError(
                    f"{self._place(said)}: substitutions refer to themselves; expected none that do"
                )
            if self._levels >= MOST_LEVELS:
                raise CorefError(
                    f"{self._place(said)}: substitutions and objects stand more than {MOST_LEVELS} deep; expected fewer"
                )
            self._busy.add(id(said))
            self._levels += 1
            self._known[id(said)] = self._resolved(said)
            self._levels -= 1
            self._busy.remove(id(said))
            self._kept.append(said)
        return self._known[id(said)]

    def _resolved(self, said: Any) -> Any:
        if isinstance(said, Tree):
            return self._object(said)
        if isinstance(said, list):
            values = (self._value(item) for item in said)
            return self._measured([value for value in values if value is not _MISSING])
        if isinstance(said, Reference):
            return self._referred(said)
        return self._joined(said)

    def _referred(self, reference: Reference) -> Any:
        name = ".".join(reference.path)
        for path in dict.fromkeys([(*reference.prefix, *reference.path), reference.path]):
            value = self._last(self._said_of(path))
            if value is not _MISSING:
                return value
        if name in os.environ:
            return Text.of(os.environ[name], Path.cwd())
        if reference.optional:
            return _MISSING
        raise CorefError(f"{reference.place}: ${{{name}}} is not set, or refers to itself; expected a key")

    def _said_of(self, path: tuple[str, ...]) -> list[Any]:
        """All that was said of a path. What is being resolved counts only up to where that stands."""
        said: list[Any] = [self._tree]
        for key in path:
            found: list[Any] = []
            for each in said:
                if isinstance(each, Tree):
                    found += each.said.get(key, [])
                    continue
                value = self._value(each)
                if not isinstance(value, dict):
                    found = found if value is _MISSING else []
                elif key in value:
                    found.append(value[key])
            self._spend(len(said) + len(found))
            said = self._before(found)
        return said

    def _before(self, said: list[Any]) -> list[Any]:
        for number, each in enumerate(said):
            if id(each) in self._busy and not isinstance(each, Tree):
                return said[:number]
        return said

    def _joined(self, values: Concatenation) -> Any:
        parts = [part if isinstance(part, str) else self._value(part) for part in values.parts]
        solid = [part for part in parts if part is not _MISSING and not _is_blank(part)]
        if not solid:
            return _MISSING
        if all(isinstance(part, dict) for part in solid):
            value = solid[0]
            for part in solid[1:]:
                value = self._merged(value, part)
            return value
        if all(isinstance(part, list) for part in solid):
            return self._measured([item for part in solid for item in part])
        if any(isinstance(part, _CONTAINERS) for part in solid):
            raise CorefError(
                f"{values.place}: objects or lists stand beside something else; expected a comma or a new line"
            )
        if len(solid) == 1 and not isinstance(solid[0], str):
            return solid[0]
        self._check(sum(len(part) for part in parts if isinstance(part, str)))
        text = "".join(_written(part) for part in parts if part is not _MISSING)
        return Text.of(text.strip(), values.folder)

    def _merged(self, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
        merged = dict(first)
        for key, value in second.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = self._merged(merged[key], value) if both else value
        return self._measured(merged)

    def _measured(self, value: dict | list) -> Any:
        """The same; refused where all that is in it comes to too much."""
        items = value.values() if isinstance(value, dict) else value
        size = 1 + sum(map(self._size, items))
        self._check(size)
        self._spend(len(value))
        self._sizes[id(value)] = size
        self._kept.append(value)
        return value

    def _size(self, value: Any) -> int:
        if isinstance(value, str):
            return 1 + len(value)
        return self._sizes[id(value)] if isinstance(value, _CONTAINERS) else 1

    def _check(self, size: int) -> None:
        if size > MOST_VALUES:
            raise CorefError(
                f"{self._where}: substitutions come to more than {MOST_VALUES:,} values and characters; expected fewer"
            )

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise CorefError(
                f"{self._where}: substitutions would take too long; expected fewer, or shorter ones"
            )

    def _place(self, said: Any) -> str:
        return getattr(said, "place", self._where)


def _is_blank(part: Any) -> bool:
    return isinstance(part, str) and not isinstance(part, Text) and not part.strip()


def _written(part: Any) -> str:
    if isinstance(part, bool) or part is None:
        return "null" if part is None else str(part).lower()
    return str(part)
