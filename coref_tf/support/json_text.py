"""JSON from outside: parsed in time proportional to its length, and refused where it would be misread."""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

# Far more than any document or request has, and far less than what ends in a RecursionError somewhere.
MOST_LEVELS = 100


def parse_json(text: str, finite: bool = False) -> Any:
    """Returns the value of a JSON text; a ValueError says what is wrong with it.

    Besides what isn't JSON, this rejects a key that stands twice in one object, which parsers settle in different
    ways; more than MOST_LEVELS levels; half a surrogate pair, which no file can hold; integers of more digits than
    Python reads, as that takes quadratic time; if `finite`, NaN, Infinity and numbers that become infinite, which
    other programs can't read once they are written again.
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
        raise ValueError(f"a number of more than {sys.get_int_max_str_digits():,} digits") from None
    _check_levels(value)
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("half a surrogate pair among the \\u escapes") from None
    return value


def repeated(names: Iterable[str]) -> str | None:
    """The first name that stands there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError(f"the key {repeated(name for name, _ in pairs)!r} stands twice in one object")
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
