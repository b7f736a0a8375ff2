"""Slack exports: a JSON file per channel and day; `users.json` in the same folder or its parent contains user names.

The file escapes characters and marks users and links, so its text differs from what Slack displays. The text of the
document is therefore the conversation, with a line `Ana: words` for each message, and `messages` in the document
contains the position of each message in it, by Slack's timestamp.
"""

import dataclasses
import html
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coref_tf.documents.dialogue import Dialogue, Turn
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.json_records import read_json_records
from coref_tf.documents.sources import STANDARD_INPUT, document_name
from coref_tf.documents.text import document_from_dialogue
from coref_tf.support.errors import CorefError, InputError

_EXPECTED = "a list of messages, as Slack exports a day of a channel"
_USERS = "users.json"
_EXPECTED_USERS = "a list of users, as Slack exports it"
# The subtypes that people write, besides messages without one; others are notices such as *Ana has joined*.
_SPOKEN = {None, "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment"}
_MARK = re.compile(r"<(?P<sign>[@#!]?)(?P<target>[^<>|\n]*)(?:\|(?P<label>[^<>\n]*))?>")


def read_slack(path: str | os.PathLike, reading: Reading) -> Iterator[Document]:
    """Reads the messages of a file as one document with the file's name."""
    names = _read_names(path, reading)
    pieces: list[str] = []
    turns: list[Turn] = []
    messages: list[list[Any]] = []
    found, refused, length = False, False, 0
    for line, record in read_json_records(path, reading, _EXPECTED):
        found = True
        try:
            speaker, words = _read_message(record, names)
            stamp = _string(record, "ts")
        except CorefError as error:
            reading.report(InputError(path, line, str(error)), True)
            refused = True
            continue
        if words.strip():
            pieces += [f"{speaker}: ", words, "\n"]
            begin = length + len(pieces[-3])
            length = begin + len(words) + 1
            turns.append(Turn(speaker, begin, length - 1))
            messages.append([stamp, begin, length - 1])
    if refused:
        return
    if not messages:
        if not found or not reading.allow_empty:
            reading.report(InputError(path, 1, f"the file contains no message; expected {_EXPECTED}"), True)
        return
    text = "".join(pieces)
    dialogue = Dialogue("Slack export", turns, text)
    reading.heard(dialogue)
    document = document_from_dialogue(text, dialogue, document_name(path), reading.genre, reading.language)
    yield dataclasses.replace(document, extra={"messages": messages})


def _read_message(record: Mapping[str, Any], names: Mapping[str, str]) -> tuple[str, str]:
    """Returns the author and the text of a message; the text is "" for a notice."""
    words = _string(record, "text")
    profile = record.get("user_profile")
    given = _display_name(profile) if isinstance(profile, dict) else ""
    user = _string(record, "user")
    speaker = names.get(user) or given or _string(record, "username") or user or _string(record, "bot_id")
    if record.get("type", "message") != "message" or record.get("subtype") not in _SPOKEN:
        words = ""
    return " ".join(speaker.split()) or NO_SPEAKER, _plain_text(words, names)


def _plain_text(words: str, names: Mapping[str, str]) -> str:
    """Returns the text of a message as Slack displays it."""

    def show(mark: re.Match) -> str:
        target, label = mark["target"], mark["label"]
        if mark["sign"] == "@":
            return names.get(target) or label or target
        if mark["sign"] == "#":
            return f"#{label or target}"
        if mark["sign"] == "!":
            return label or f"@{target.partition('^')[0]}"
        return label or target.removeprefix("mailto:")

    return html.unescape(_MARK.sub(show, words))


def _string(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name) or ""
    if not isinstance(value, str):
        raise CorefError(f"{name} is {value!r:.60}; expected a string")
    if "\0" in value:
        raise CorefError(f"{name} has a NUL character; expected text")
    return value


def _read_names(path: str | os.PathLike, reading: Reading) -> dict[str, str]:
    """Returns the names of users by id; empty if the export does not contain them."""
    names: dict[str, str] = {}
    if os.fspath(path) == STANDARD_INPUT:
        return names
    folder = Path(path).resolve().parent
    users = next((place / _USERS for place in (folder, folder.parent) if (place / _USERS).is_file()), None)
    if users is None:
        return names
    for line, user in read_json_records(users, reading, _EXPECTED_USERS):
        try:
            identity = _string(user, "id")
            if not identity:
                raise CorefError('user has no id; expected {"id": "U01", "name": "ana"}')
            profile = user.get("profile")
            shown = _display_name(profile) if isinstance(profile, dict) else ""
            names[identity] = " ".join((shown or _string(user, "real_name") or _string(user, "name")).split())
        except CorefError as error:
            reading.report(InputError(users, line, str(error)), True)
    return names


def _display_name(profile: Mapping[str, Any]) -> str:
    return _string(profile, "display_name") or _string(profile, "real_name")


FORMAT = Format("slack", (".json",), "a day of Slack's export", read=read_slack, in_folders=False)
