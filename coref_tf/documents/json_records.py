"""JSON files that contain a list of objects, with the line number of each object."""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from coref_tf.documents.format import Reading
from coref_tf.documents.sources import BYTE_ORDER_MARK, open_source
from coref_tf.support.errors import InputError
from coref_tf.support.json_text import parse_json

_NO_BLANK = re.compile(r"[^\s,]")


def read_json_records(
    path: str | os.PathLike, reading: Reading, expected: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the objects of a file, each with its first line; reports a file that is not such a list.

    Args:
        path: the file.
        reading: its `report` is called with the problem.
        expected: a description of the list, for messages.
    """
    with open_source(path) as file:
        content = file.read().removeprefix(BYTE_ORDER_MARK)
    try:
        text = content.decode()
        records = parse_json(text, finite=True)
    except ValueError as error:  # also raised as UnicodeDecodeError
        reading.report(InputError(path, 1, f"bad JSON: {error}; expected {expected}"), True)
        return
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        reading.report(InputError(path, 1, f"expected {expected}"), True)
        return
    decoder, position, line, counted = json.JSONDecoder(), text.index("[") + 1, 1, 0
    for record in records:
        found = _NO_BLANK.search(text, position)
        position = found.start() if found else len(text)
        line += text.count("\n", counted, position)
        counted = position
        yield line, record
        _, position = decoder.raw_decode(text, position)
