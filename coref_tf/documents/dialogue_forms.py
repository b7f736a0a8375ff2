"""The formats in which programs store chats and transcripts, and how they are recognised.

WhatsApp exports a chat with the day and time before each message, on Android as `12/05/2023, 21:04 - Ana: words`, on
iPhones as `[12/05/2023, 21:04:11] Ana: words`. IRC clients write `10:02 <ana> words`; WeeChat writes tab-separated
columns. Meeting transcripts have the speaker and the time on a separate line, in either order.

A turn lasts until the next line that the format recognises. Notices of the program (*Ana added Ben*) and marks such as
<Media omitted> have no speaker and are not part of the sentences.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.documents.dialogue import Dialogue, Turn, find_turns, is_speaker
from coref_tf.documents.document import NO_SPEAKER

_BLANK = r"[^\S\n]"
_DAY = r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}"
_HALF = rf"(?:{_BLANK}?[AaPp]\.?{_BLANK}?[Mm]\.?)?"  # am or pm

_WHATSAPP_TIME = rf"{_DAY},?{_BLANK}+[0-9]{{1,2}}[:.][0-9]{{2}}(?:[:.][0-9]{{2}})?{_HALF}"
_WHATSAPP = re.compile(
    rf"^\u200e?(?:\[{_WHATSAPP_TIME}\]{_BLANK}+|{_WHATSAPP_TIME}{_BLANK}+-{_BLANK}+)"
    rf"(?:(?:~{_BLANK}*)?(?P<name>[^:\n\u200e\"“]{{1,80}}):{_BLANK}(?!\u200e))?",
    re.MULTILINE,
)
_WHATSAPP_MARKS = re.compile(
    r"<Media omitted>|<attached: [^<>\n]*>|<This message was edited>|[\u200e\u200f]"
    rf"|(?<=: )(?:[^\n]{{1,200}}? \(file attached\)|This message was deleted\.?{_BLANK}*$"
    rf"|You deleted this message\.?{_BLANK}*$|(?:image|video|audio|sticker|GIF|document) omitted{_BLANK}*$)",
    re.MULTILINE,
)

_IRC_TIME = (
    rf"(?:\[?(?:{_DAY}[ T])?[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?\]?"
    r"|[A-Z][a-z]{2} [0-9 ][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2})"
)
_NICK = r"[\w\-\[\]\\^{}|`.]{1,40}"
_STATUS = r"(?:has (?:joined|left|quit|changed|set)|is now known as|sets mode|gives|removes|was kicked)\b"
_IRC = re.compile(
    rf"^(?:{_BLANK}*(?:{_IRC_TIME}{_BLANK}+)?<[@+%~&! ]?(?P<nick>{_NICK})>{_BLANK}+"
    rf"|{_IRC_TIME}\t[@+%~&]?(?P<column>(?!--){_NICK})\t"
    rf"|{_IRC_TIME}{_BLANK}+\*{_BLANK}+(?=(?P<actor>{_NICK}){_BLANK}+(?!{_BLANK}|{_STATUS}))"
    rf"|(?P<notice>{_IRC_TIME}{_BLANK}+(?:-!-|\*|--|<--|==|-{_NICK})"
    r"|--- (?:Log|Day)|\*{4} (?:BEGIN|ENDING)|Session (?:Start|Close|Ident|Time)))",
    re.MULTILINE,
)
_CLOSING_TAG = re.compile(rf"</({_NICK})>")

_CLOCK = rf"[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?:[.,][0-9]{{1,3}})?{_HALF}"
_IN_BRACKETS = rf"(?:\({_CLOCK}\)|\[{_CLOCK}\])"
_NAME = r"[^\W\d_][\w.'’-]*(?: [\w.'’()&/-]+){0,5}?"
_TEXT_BELOW = rf"{_BLANK}*(?=\n(?:{_BLANK}*\n)?{_BLANK}*\S)"
_MEETING = re.compile(
    rf"^{_BLANK}*(?:(?P<before>{_NAME}){_BLANK}?[,|–-]?{_BLANK}{{1,20}}(?:{_CLOCK}|{_IN_BRACKETS}):?{_TEXT_BELOW}"
    rf"|(?P<beside>{_NAME}){_BLANK}+{_IN_BRACKETS}:{_BLANK}+"
    rf"|{_CLOCK}{_BLANK}+From{_BLANK}+(?P<sender>{_NAME})(?:{_BLANK}{{1,20}}to{_BLANK}{{1,20}}[^\n:]{{1,80}})?"
    rf"{_BLANK}{{0,20}}:{_BLANK}*"
    rf"|(?:{_CLOCK}|{_IN_BRACKETS}){_BLANK}+(?:-{_BLANK}+)?(?P<behind>{_NAME}):?{_TEXT_BELOW}"
    rf"(?!\n[\[(]?[0-9]{{1,2}}:[0-9]{{2}})"
    rf"|\[(?P<brackets>{_NAME})\]{_BLANK}+{_CLOCK}{_TEXT_BELOW}"
    rf"|[0-9:.]{{5,12}} --> [0-9:.]{{5,12}}{_BLANK}*\n(?P<below>{_NAME}){_TEXT_BELOW})",
    re.MULTILINE,
)


class _Line(NamedTuple):
    """A line that a format recognises: text[begin:end] precedes the words. A notice has no speaker."""

    begin: int
    end: int
    speaker: str | None


def read_dialogue(text: str) -> Dialogue:
    """Detects the format of a text with several speakers, and returns its turns.

    Example:
        read_dialogue("10:02 <ana> hi\\n10:03 <ben> hi").form      # "IRC log"
    """
    turns = find_turns(text)
    for find in (whatsapp_dialogue, irc_dialogue, _meeting_dialogue):
        if dialogue := find(text, len(turns) - 1):
            return dialogue
    return Dialogue("", turns, text)


def whatsapp_dialogue(text: str, others: int = 0) -> Dialogue | None:
    """Returns the turns of a WhatsApp export, or None if the text is none; `others` lines begin other turns."""
    lines = [
        _Line(*match.span(), match["name"] and match["name"].strip()) for match in _WHATSAPP.finditer(text)
    ]
    if not _is_of_form(text, lines, others):
        return None
    words = _WHATSAPP_MARKS.sub(lambda match: " " * len(match[0]), text)
    return Dialogue("WhatsApp export", _turns(words, lines), words)


def irc_dialogue(text: str, others: int = 0) -> Dialogue | None:
    """Returns the turns of an IRC log, or None if the text is none; `others` lines begin other turns."""
    tags = set(_CLOSING_TAG.findall(text))
    matches = [match for match in _IRC.finditer(text) if match["nick"] not in tags]
    nicks = {match["nick"] or match["column"] for match in matches} - {None}
    lines = []
    for match in matches:
        # `* Now talking on #boat` looks like an action of a user who never says anything.
        actor = match["actor"] if match["actor"] in nicks else None
        lines.append(_Line(*match.span(), match["nick"] or match["column"] or actor))
    return Dialogue("IRC log", _turns(text, lines), text) if _is_of_form(text, lines, others) else None


def _meeting_dialogue(text: str, others: int) -> Dialogue | None:
    matches = list(_MEETING.finditer(text))
    names = [next(name for name in match.groups() if name) for match in matches]
    counts = Counter(names)
    lines = [
        _Line(*match.span(), name)
        for match, name in zip(matches, names, strict=True)
        if is_speaker(name.replace("(", ""), counts[name])
    ]
    if not _is_of_form(text, lines, others):
        return None
    return Dialogue("transcript with times", _turns(text, lines), text)


def _is_of_form(text: str, lines: Sequence[_Line], others: int) -> bool:
    """Returns whether the first line, half of the lines, or more lines than begin other turns match a format."""
    spoken = sum(line.speaker is not None for line in lines)
    if spoken < 2:
        return False
    begins = not text[: lines[0].begin].strip()
    return begins or spoken > others or 2 * len(lines) >= len(re.findall(r"^.*\S", text, re.MULTILINE))


def _turns(words: str, lines: Sequence[_Line]) -> list[Turn]:
    """Returns the turns between the lines, without empty ones."""
    turns, speaker, begin = [], NO_SPEAKER, 0
    for line in [*lines, _Line(len(words), len(words), None)]:
        if not words[begin : line.begin].isspace() and begin < line.begin:
            turns.append(Turn(speaker, begin, line.begin))
        speaker, begin = line.speaker or NO_SPEAKER, line.end
        if line.speaker is None:
            end_of_line = words.find("\n", line.end)
            begin = end_of_line if end_of_line >= 0 else len(words)
    return turns
