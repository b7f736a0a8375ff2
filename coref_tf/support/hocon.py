"""Reads settings in HOCON, the format of experiments.conf, into plain dictionaries, lists and values.

Supports objects, lists, `a.b = c`, `key += item`, `${key}`, `${?key}`, concatenated values and `include "FILE"`, with
the semantics of the HOCON specification. pyhocon, which the authors used, does not tell which file a value comes from,
so relative paths in an included file cannot be resolved; errors do not name it, and it takes 20 times as long.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import partial, reduce
from pathlib import Path
from typing import Any, NoReturn

from coref_tf.support.errors import CorefError

_SPACE = r"(?:[^\S\n]|\ufeff|(?:#|//)[^\n]*)*"
_LINES = rf"{_SPACE}(?:\n{_SPACE})*"
_SEPARATORS = rf"{_SPACE}(?:[\n,]{_SPACE})*"
_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_KEY = rf'(?:{_QUOTED}|[^\s"$\[\]{{}}:=,+#\\.]+)'
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_WORD = r'[^\s"$\[\]{}=,#\\\0]+'
_SUBSTITUTION = rf"\$\{{(\??)[ \t]*({_KEYS})[ \t]*\}}"
_OPERATOR = rf"{_LINES}(\+=|[:=]|(?=\{{)){_LINES}"
_INCLUDE = r'include\s+(?:(required)\s*\(\s*)?"([^"\n]+)"(?(1)\s*\))'
_NUMBER = r"[+-]?(?:[0-9]{1,99}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_MISSING = object()
_Keys = tuple[str, ...]  # the path of a value, from the outermost object inwards


class Text(str):
    """A string that remembers the folder of its settings file, which relative paths refer to."""

    folder: Path

    def __new__(cls, text: str, folder: Path) -> "Text":  # noqa: D102
        made = super().__new__(cls, text)
        made.folder = folder
        return made


class _Object(dict[str, list[Any]]):
    """All values assigned to each key, in order; the last one counts, or is merged into the previous ones."""

    def add(self, keys: _Keys, value: Any) -> None:
        for key in reversed(keys[1:]):
            value = _Object({key: [value]})
        self.setdefault(keys[0], []).append(value)


def read_hocon(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a settings file, with strings as `Text`. Example: read_hocon("experiments.conf")["best"]["lstm_size"]."""
    return _read(
        str(path), lambda root: _Parser("", str(path), Path(), ()).include(Path(path), True, root, ())
    )


def parse_hocon(text: str, where: str, folder: Path) -> dict[str, Any]:
    """Parses settings from a string, which error messages call `where`; paths in it are relative to `folder`."""
    return _read(where, lambda root: _Parser(text, where, folder, ()).parse_into(root, ()))


def merge_settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the first settings overridden by the second; objects in both are merged key by key."""
    return dict(first) | {key: _override(first.get(key), value) for key, value in second.items()}


def _override(first: Any, second: Any) -> Any:
    return merge_settings(first, second) if isinstance(first, dict) and isinstance(second, dict) else second


def _read(where: str, parse: Callable[[_Object], None]) -> dict[str, Any]:
    root = _Object()
    try:
        parse(root)
        return _Resolver(root).value(root)
    except RecursionError:
        raise CorefError(f"{where}: settings are nested too deeply") from None


class _Parser:
    """Parses one text. `opened` holds its file and the files that include it; `take` consumes a match of a pattern."""

    def __init__(self, text: str, where: str, folder: Path, opened: tuple[Path, ...]):
        self.text, self.where, self.folder, self.opened = text, where, folder, opened
        self.at = 0

    def parse_into(self, target: _Object, prefix: _Keys) -> None:
        self.entries(target, prefix, closing=rf"\}}{_LINES}\Z" if self.take(rf"{_LINES}\{{") else r"\Z")

    def entries(self, target: _Object, prefix: _Keys, closing: str) -> None:
        while not self.take(rf"{_SEPARATORS}{closing}"):
            self.take(_SEPARATORS)
            if included := self.take(_INCLUDE):
                self.include(self.folder / included[2], bool(included[1]), target, prefix)
                continue
            keys = self.keys((self.take(_KEYS) or self.fail("expected a key"))[0])
            operator = self.take(_OPERATOR) or self.fail(f"expected = and a value for {'.'.join(keys)}")
            value = self.value((*prefix, *keys))
            if operator[1] == "+=":
                place = self.place()
                before = partial(_Resolver.substitute, keys=(*prefix, *keys), optional="?", place=place)
                value = partial(
                    _Resolver.concatenate, parts=[before, [value]], folder=self.folder, place=place
                )
            target.add(keys, value)

    def include(self, path: Path, required: bool, target: _Object, prefix: _Keys) -> None:
        whole = path.resolve()
        if whole in self.opened:
            raise CorefError(f"{self.place()}: {path.name} includes itself")
        if path.is_file():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise CorefError(f"{path}: not UTF-8; expected settings (HOCON)") from None
            _Parser(text, str(path), whole.parent, (*self.opened, whole)).parse_into(target, prefix)
        elif required or path.exists():
            raise CorefError(f"{self.place()}: {path} is included, but is not a file")

    def value(self, keys: _Keys) -> Any:
        """Parses one value, or several concatenated ones, up to the end of the line, a comma or a closing bracket."""
        parts: list[Any] = []
        place = self.place()
        while not self.take(rf"{_SPACE}(?=[\n,\]}}]|\Z)"):
            gap = self.take(_SPACE)
            parts += [gap[0]] if parts and gap and gap[0] else []
            parts.append(self.part(keys))
        if not parts:
            self.fail(f"expected a value for {'.'.join(keys) or 'a list'}")
        if len(parts) > 1:
            return partial(_Resolver.concatenate, parts=parts, folder=self.folder, place=place)
        return self.constant(parts[0]) if type(parts[0]) is str else parts[0]

    def part(self, keys: _Keys) -> Any:
        if self.take(r"\{"):
            nested = _Object()
            self.entries(nested, keys, closing=r"\}")
            return nested
        if self.take(r"\["):
            items: list[Any] = []
            while not self.take(rf"{_LINES},?{_LINES}\]"):
                self.take(rf"{_LINES},?{_LINES}")
                items.append(self.value(()))
            return items
        if found := self.take(_SUBSTITUTION):
            keys = self.keys(found[2])
            return partial(_Resolver.substitute, keys=keys, optional=found[1], place=self.place())
        if found := self.take(_QUOTED):
            return Text(self.unquoted(found[0]), self.folder)
        return (self.take(_WORD) or self.fail("expected a value; quote unusual characters"))[0]

    def constant(self, word: str) -> Any:
        if re.fullmatch(_NUMBER, word):
            return int(word) if re.fullmatch(r"[+-]?[0-9]+", word) else float(word)
        return {"true": True, "false": False, "null": None}.get(word, Text(word, self.folder))

    def keys(self, text: str) -> _Keys:
        return tuple(self.unquoted(key) if key[0] == '"' else key for key in re.findall(_KEY, text))

    def unquoted(self, text: str) -> str:
        try:
            unquoted = json.loads(text, strict=False)
            unquoted.replace("\0", "\ud800").encode()  # rejects NUL and lone surrogates
            return unquoted
        except ValueError:
            raise CorefError(f"{self.place()}: {text[:40]!r} has an invalid escape sequence") from None

    def take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def place(self) -> str:
        return self.where + ":" + str(1 + self.text.count("\n", 0, self.at))

    def fail(self, expected: str) -> NoReturn:
        rest = self.text[self.at :].partition("\n")[0][:40] or "end of line"
        raise CorefError(f"{self.place()}: {expected}. Received: {rest!r}")


class _Resolver:
    """Resolves parsed values: lists, objects, and values that depend on others."""

    def __init__(self, root: _Object):
        self.root = root
        self.known: dict[int, Any] = {}  # results by the identity of the parsed value
        self.busy: set[int] = set()  # identities of the values that are being resolved
        self.place = ""  # the location of the last substitution

    def value(self, parsed: Any) -> Any:
        """Returns the resolved value, or `_MISSING` if it consists only of optional substitutions of unset keys."""
        if not isinstance(parsed, (_Object, list, partial)):
            return parsed
        if id(parsed) not in self.known:
            if id(parsed) in self.busy:
                raise CorefError(f"{self.place}: the substitution refers to itself")
            self.busy.add(id(parsed))
            if isinstance(parsed, partial):
                self.known[id(parsed)] = parsed(self)
            elif isinstance(parsed, list):
                self.known[id(parsed)] = self.values(parsed)
            else:
                items = [(key, self.last(given)) for key, given in parsed.items()]
                self.known[id(parsed)] = dict(item for item in items if item[1] is not _MISSING)
            self.busy.remove(id(parsed))
        return self.known[id(parsed)]

    def values(self, parsed: list[Any]) -> list[Any]:
        return [value for value in map(self.value, parsed) if value is not _MISSING]

    def last(self, given: list[Any]) -> Any:
        return reduce(_override, self.values(given), _MISSING)

    def substitute(self, keys: _Keys, optional: str, place: str) -> Any:
        self.place = place
        given: list[Any] = [self.root]
        for key in keys:
            found: list[Any] = []
            for parsed in given:
                value = parsed if isinstance(parsed, _Object) else self.value(parsed)
                if isinstance(value, dict):
                    found += value.get(key, []) if value is parsed else [value[key]] if key in value else []
                elif value is not _MISSING:
                    found = []
            # A reference of a key to itself means its previous values: `paths = ${paths} [more]`.
            busy = (n for n, each in enumerate(found) if id(each) in self.busy and type(each) is not _Object)
            given = found[: next(busy, None)]
        name, value = ".".join(keys), self.last(given)
        if value is _MISSING and name in os.environ:
            return Text(os.environ[name], Path.cwd())
        if value is _MISSING and not optional:
            raise CorefError(f"{place}: ${{{name}}} is not set, or refers to itself")
        return value

    def concatenate(self, parts: list[Any], folder: Path, place: str) -> Any:
        """Merges adjacent objects, concatenates lists, and joins anything else into a string."""
        values = self.values(parts)
        solid = [value for value in values if type(value) is not str or value.strip()]
        if not solid or (len(solid) == 1 and not isinstance(solid[0], str)):
            return solid[0] if solid else _MISSING
        if all(isinstance(value, dict) for value in solid):
            return reduce(merge_settings, solid)
        if all(isinstance(value, list) for value in solid):
            return [item for value in solid for item in value]
        if any(isinstance(value, (dict, list)) for value in solid):
            raise CorefError(f"{place}: an object or list is next to a value of another type")
        return Text("".join(v if isinstance(v, str) else json.dumps(v) for v in values).strip(), folder)
