"""HOCON's grammar: text -> a tree in which substitutions still stand. `hocon.py` resolves them.

A reader of our own, because its time and memory are bounded by the size of the files whatever they say, every value
knows the file it stands in, and nothing is fetched over the network.
"""

import bisect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coref_tf.support.errors import CorefError
from coref_tf.support.hocon_tree import Concatenation, Reference, Text, Tree

MOST_NESTED = 50  # objects and lists inside one another

_SPACE = re.compile(r"[ \t\r\f\v\ufeff\u00a0]*")
_COMMENT = re.compile(r"(?:#|//)[^\n]*")
_QUOTED = re.compile(r'"""(?:.*?)"""+|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_SUBSTITUTION = re.compile(r"\$\{(\??)([^}\n]*)\}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_KEY = re.compile(r'[^\s"$\[\]{}:=,+#\\.]+')
_WORD = re.compile(r'(?:[^\s"$\[\]{}=,#\\])+')
_INCLUDE = re.compile(r'include[ \t]+(required[ \t]*\([ \t]*)?(?:([a-z]+)[ \t]*\([ \t]*)?(?=")')
_WORDS = {"true": True, "false": False, "null": None}


class Parser:
    """Reads one file's text.

    Args:
        text: of the file.
        where: its name in messages.
        folder: what relative paths in it are relative to.
        include: reads an included file: (name, required, place, prefix, tree to add to).
        prefix: the path of the object that this file is included in.
    """

    def __init__(
        self,
        text: str,
        where: str,
        folder: Path,
        include: Callable[[str, bool, str, tuple[str, ...], Tree], None],
        prefix: tuple[str, ...] = (),
    ):
        self.text, self.where, self.folder = text, where, folder
        self.include, self.prefix = include, prefix
        self.at = 0
        self.depth = 0
        self._line_ends = [found.start() for found in re.finditer("\n", text)]

    def parse_into(self, tree: Tree) -> None:
        """Adds what the file says to a tree."""
        self._skip_lines()
        if self._peek() == "[":
            raise self._error("a list at the top; expected settings, key = value")
        braces = self._take("{")
        self._entries(tree, self.prefix, "}" if braces else "")
        self._skip_lines()
        if self.at < len(self.text):
            raise self._error(f"{self._rest()!r} after the settings; expected nothing more")

    def _entries(self, tree: Tree, prefix: tuple[str, ...], closing: str) -> None:
        while True:
            self._skip_separators()
            if closing and self._take(closing):
                return
            if self.at >= len(self.text):
                if closing:
                    raise self._error(f"the file ends before a {closing}; expected one for each {{")
                return
            self._entry(tree, prefix)

    def _entry(self, tree: Tree, prefix: tuple[str, ...]) -> None:
        if included := _INCLUDE.match(self.text, self.at):
            return self._included(included, tree, prefix)
        path = self._path()
        self._skip_lines()
        if self._peek() == "{":
            value = self._value((*prefix, *path))
        elif self._take("+="):
            own = Reference((*prefix, *path), True, (), self._place())
            value = Concatenation([own, [self._assigned((*prefix, *path))]], self.folder, self._place())
        elif self._take("=") or self._take(":"):
            value = self._assigned((*prefix, *path))
        else:
            raise self._error(f"{self._rest()!r} after key {'.'.join(path)}; expected = and a value")
        tree.add(path, value)
        self._skip()
        if self.at < len(self.text) and self._peek() not in "\n,}":
            raise self._error(f"{self._rest()!r} after a value; expected a new line or a comma")

    def _assigned(self, path: tuple[str, ...]) -> Any:
        self._skip_lines()
        return self._value(path)

    def _included(self, found: re.Match, tree: Tree, prefix: tuple[str, ...]) -> None:
        place, required, kind = self._place(), bool(found[1]), found[2]
        self.at = found.end()
        name = self._quoted()
        for _ in range(bool(kind) + required):
            self._skip()
            if not self._take(")"):
                raise self._error('expected ) after what is included, as in include file("more.conf")')
        if kind not in (None, "file"):
            raise CorefError(f'{place}: include {kind}(...) is not supported; expected include "FILE"')
        self.include(name, required, place, prefix, tree)

    def _path(self) -> tuple[str, ...]:
        keys = []
        while True:
            self._skip()
            if self._peek() == '"':
                keys.append(self._quoted())
            elif key := _KEY.match(self.text, self.at):
                self.at = key.end()
                keys.append(key[0])
            else:
                raise self._error(f"not HOCON: {self._rest()!r}; expected a key")
            self._skip()
            if not self._take("."):
                return tuple(keys)

    def _value(self, path: tuple[str, ...]) -> Any:
        """One value, or several side by side."""
        parts: list[Any] = []
        place = self._place()
        while True:
            begin = self.at
            self._skip()
            if self.at >= len(self.text) or self._peek() in "\n,]}":
                break
            if parts and self.at > begin:
                parts.append(self.text[begin : self.at])
            parts.append(self._part(path))
        if not parts:
            raise self._error(f"{'.'.join(path) or 'a list'} has no value; expected one")
        if len(parts) == 1 and not isinstance(parts[0], _Raw):
            return parts[0]
        if all(isinstance(part, str) for part in parts):
            joined = "".join(parts)
            has_quotes = any(isinstance(part, Text) for part in parts)
            return Text.of(joined, self.folder) if has_quotes else self._plain(joined)
        return Concatenation(parts, self.folder, place)

    def _part(self, path: tuple[str, ...]) -> Any:
        character = self._peek()
        if character in "{[":
            return self._nested(path)
        if character == '"':
            return Text.of(self._quoted(), self.folder)
        if found := _SUBSTITUTION.match(self.text, self.at):
            place = self._place()
            self.at = found.end()
            keys = tuple(key.strip().strip('"') for key in found[2].split("."))
            if not all(keys):
                raise CorefError(f"{place}: {found[0]!r} names nothing; expected as in ${{best}}")
            return Reference(keys, bool(found[1]), self.prefix, place)
        if found := _WORD.match(self.text, self.at):
            self.at = found.end()
            return _Raw(found[0])
        raise self._error(f"not HOCON: {self._rest()!r}; expected a value, in quotes where it is unusual")

    def _nested(self, path: tuple[str, ...]) -> Tree | list:
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self._error(f"{{ and [ stand more than {MOST_NESTED} deep; expected fewer levels")
        if self._take("{"):
            value: Tree | list = Tree()
            self._entries(value, path, "}")
        else:
            self._take("[")
            value = self._items()
        self.depth -= 1
        return value

    def _items(self) -> list:
        items: list[Any] = []
        while True:
            self._skip_lines()
            if self._take("]"):
                return items
            if self.at >= len(self.text):
                raise self._error("the file ends before a ]; expected one for each [")
            if self._peek() == "}":
                raise self._error("not HOCON: } in a list; expected ]")
            items.append(self._value(()))
            self._skip_lines()
            self._take(",")

    def _plain(self, text: str) -> Any:
        """What words without quotes stand for."""
        if text in _WORDS:
            return _WORDS[text]
        if _NUMBER.fullmatch(text) and len(text) < 100:
            return float(text) if re.search(r"[.eE]", text) else int(text)
        return Text.of(text, self.folder)

    def _quoted(self) -> str:
        found = _QUOTED.match(self.text, self.at)
        if not found:
            raise self._error(f'not HOCON: {self._rest()!r} lacks its closing "')
        self.at = found.end()
        if found[0].startswith('"""'):
            return found[0][3:-3]
        try:
            text = json.loads(found[0], strict=False)
            text.encode()
        except ValueError:
            text = "\0"
        if "\0" in text:
            raise self._error(f"{found[0][:40]!r} has an escape that stands for no character of a text")
        return text

    def _skip(self) -> None:
        """Over spaces and a comment, on this line."""
        self.at = _SPACE.match(self.text, self.at).end()
        if comment := _COMMENT.match(self.text, self.at):
            self.at = comment.end()

    def _skip_lines(self) -> None:
        self._skip()
        while self._take("\n"):
            self._skip()

    def _skip_separators(self) -> None:
        self._skip_lines()
        while self._take(","):
            self._skip_lines()

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self, expected: str) -> bool:
        found = self.text.startswith(expected, self.at)
        self.at += len(expected) if found else 0
        return found

    def _rest(self) -> str:
        return self.text[self.at : self.at + 40].split("\n")[0]

    def _place(self) -> str:
        return f"{self.where}:{bisect.bisect_left(self._line_ends, self.at) + 1}"

    def _error(self, message: str) -> CorefError:
        return CorefError(f"{self._place()}: {message}")


class _Raw(str):
    """A word without quotes: a number or true, where nothing stands beside it."""
