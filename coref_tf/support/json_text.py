"""Parses untrusted JSON in time linear in its length, and rejects ambiguous input."""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

# Far more than any document or request needs, and far below Python's recursion limit.
MOST_LEVELS = 100


def parse_json(text: str, finite: bool = False) -> Any:
    """Returns the value of a JSON text, or raises a ValueError that says what is wrong with it.

    In addition to invalid JSON, this rejects duplicate keys in an object, which parsers handle differently; more than
    MOST_LEVELS levels; lone surrogates, which cannot be written to a file; integers with more digits than Python's
    limit, because parsing them takes quadratic time; and, if `finite`, NaN, Infinity and numbers that overflow to
    infinity, which other programs could not read if they were written again.
    """
    number, constant = (_finite, _reject_constant) if finite else (None, None)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_float=number, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError(f"more than {MOST_LEVELS} levels of lists and objects") from None
    except ValueError as error:
        if "set_int_max_str_digits" not in str(error):
            raise
        raise ValueError(f"a number with more than {sys.get_int_max_str_digits():,} digits") from None
    _check_levels(value)
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a lone surrogate among the \\u escapes") from None
    return value


def repeated(names: Iterable[str]) -> str | None:
    """Returns the first name that occurs twice, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError(f"the key {repeated(name for name, _ in pairs)!r} occurs twice in one object")
    return record


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"the number {digits:.20} is too large")
    return value


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_levels(value: Any) -> None:
    level = [value]
    for _ in range(MOST_LEVELS):
        inside: list[Any] = []
        for container in level:
            if isinstance(container, dict):
                inside += container.values()
            elif isinstance(container, list):
                inside += container
        level = [item for item in inside if isinstance(item, dict | list)]
        if not level:
            return
    raise ValueError(f"more than {MOST_LEVELS} levels of lists and objects")
