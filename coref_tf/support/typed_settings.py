"""Converts between settings files and frozen, typed dataclasses."""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from coref_tf.support.errors import CorefError
from coref_tf.support.hocon import Text
from coref_tf.support.resources import output_folder


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def has_parts(kind: Any) -> bool:
    """Returns whether settings of this type contain others: a dataclass, or a tuple or union of dataclasses."""
    return dataclasses.is_dataclass(kind) or any(map(has_parts, typing.get_args(kind)))


def plain(value: Any, path: Callable[[Path], str] = str) -> Any:
    """Converts a frozen dataclass, or a value from one, to a JSON value; the inverse of `build`.

    Args:
        value: the dataclass.
        path: converts paths to strings.
    """
    if dataclasses.is_dataclass(value):
        return {key: plain(each, path) for key, each in _fields(value).items()}
    if isinstance(value, tuple):
        return [plain(each, path) for each in value]
    return path(value) if isinstance(value, Path) else value


def build(kind: type, values: Any, where: str, folder: Path) -> Any:
    """Creates the dataclass `kind` from a mapping; unknown, missing and mistyped keys are errors.

    Args:
        kind: a frozen dataclass, which may contain others directly, in tuples or as `X | None`.
        values: the settings.
        where: the name of the settings in error messages.
        folder: the base of relative paths that are not `Text` and so do not know their file.
    """
    if not isinstance(values, dict):
        raise CorefError(f"{where}: expected {{ key = value ... }}. Received: {format_value(values)}")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for key in values:
        if key not in fields:
            raise CorefError(f"{where}: unknown key {format_value(key)[1:-1]}{nearest(key, fields)}")
    for key, field in fields.items():
        if key not in values and field.default is dataclasses.MISSING:
            raise CorefError(f"{where}: missing key {key}")
    hints = typing.get_type_hints(kind)
    made = {key: _convert(values[key], hints[key], f"{where}: {key}", folder) for key in values}
    for key in made:
        if fields[key].metadata.get("written"):
            beside = getattr(values[key], "folder", folder) / "experiments.conf"
            made[key] = output_folder(beside) / str(values[key])
    return kind(**made)


def _convert(value: Any, kind: Any, where: str, folder: Path) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):  # X | None
        [something] = [argument for argument in arguments if argument is not type(None)]
        return None if value is None else _convert(value, something, where, folder)
    if origin is tuple:
        values = value if isinstance(value, list) else [value]
        return tuple(_convert(item, arguments[0], where, folder) for item in values)
    if origin is Literal:
        if isinstance(value, str) and value in arguments:
            return str(value)
        raise CorefError(f"{where} must be one of {', '.join(arguments)}. Received: {format_value(value)}")
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return build(kind, value, where, folder)
    if kind is Path and isinstance(value, str):
        return (value.folder if isinstance(value, Text) else folder) / str(value)
    if kind is str and isinstance(value, str):
        return str(value)
    if kind is float and type(value) is int and abs(value) < 1e300:
        return float(value)
    if type(value) is kind and not (kind is float and not math.isfinite(value)):
        return value
    expected = {
        Path: "a path",
        float: "a number",
        int: "a whole number",
        bool: "true or false",
        str: "a string",
    }
    raise CorefError(f"{where} must be {expected[kind]}. Received: {format_value(value)}")


def format_value(value: Any) -> str:
    """Formats a value for a message, truncating long ones."""
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= 100 else f"{text[:100]} ..."


def nearest(key: str, known: typing.Iterable[str]) -> str:
    """Returns the most similar known key in brackets, or "" if none is similar."""
    close = difflib.get_close_matches(key[:50], known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""
