"""Subtitles: WebVTT and SubRip (SRT).

A cue names its speaker as `<v Ana>words`, `ANA: words` or `>> ANA: words`; a dash or `>>` without a name begins a turn
of an unknown speaker. A turn lasts until the next one begins, and may span several cues, so that a sentence may
continue in the next cue. Times, numbers, tags, and lines such as `[door slams]` or `♪ ... ♪` are not part of the
sentences.
"""

import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from coref_tf.documents.dialogue import Dialogue, Turn, is_speaker
from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.format import Format, Reading
from coref_tf.documents.sources import document_name, read_lines
from coref_tf.documents.text import document_from_dialogue
from coref_tf.support.errors import InputError

WEBVTT, SUBRIP = "WebVTT", "SubRip"
_ARROW = "-->"
_CLOCK = r"(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}[.,][0-9]{1,3}"
_TIMING = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}(?:\s.*)?", re.DOTALL)
_BLOCKS = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_TAG = re.compile(r"<v(?:\.[^<>\s]*)?\s(?P<voice>[^<>\n]*)>|<[^<>\n]*>|\{\\[^{}\n]*\}")
_WORD_TIME = re.compile(r"<[0-9]{2}:[0-9]{2}")
_PREFIX = re.compile(
    r"\s*(?P<change>(?:-|–|—|>>|&gt;&gt;)\s*)?(?:(?P<name>[\w.'’-]+(?: [\w.'’-]+){0,3}):\s+(?=\S))?"
)
_SOUND = re.compile(r"\s*(?:\[[^\[\]]*\]|\([^()]*\)|[♪♫#][^♪♫]*[♪♫#]?)\s*")

# Receives a line number, from 1, and a message.
_Problem = Callable[[int, str], None]


class _Piece(NamedTuple):
    """A part of a line with one speaker: text[begin:end] is `words`, in which blanks replace tags.

    Args:
        begin: the offset of the first character in the text.
        words: the words, with the prefix.
        voice: the speaker that a tag names, if any.
        prefix: a dash, `>>` or a name at the beginning, if any.
    """

    begin: int
    words: str
    voice: str | None
    prefix: re.Match


def read_subtitles(path: str | os.PathLike, reading: Reading, form: str) -> Iterator[Document]:
    """Reads a subtitle file as a document with the file's name."""
    lines = read_lines(path, reading.report)
    if lines is None:
        return

    def problem(line: int, message: str) -> None:
        reading.report(InputError(path, line, message), True)

    spoken = _find_spoken_lines(lines, form, problem)
    if spoken is None:
        return
    text, dialogue = "".join(lines), _subtitle_dialogue(lines, spoken, form)
    document = document_from_dialogue(text, dialogue, document_name(path), reading.genre, reading.language)
    if not document.sentences and not reading.allow_empty:
        problem(1, "the document is empty; expected at least one word")
        return
    reading.heard(dialogue)
    yield document


def _find_spoken_lines(lines: Sequence[str], form: str, problem: _Problem) -> list[int] | None:
    """Returns the indices of lines that belong to cues, or None if a problem was reported."""
    if form == WEBVTT and not (lines and lines[0].startswith("WEBVTT")):
        problem(1, "not a WebVTT file; expected WEBVTT in the first line")
        return None
    spoken: list[int] = []
    has_cue, skipping = False, form == WEBVTT
    for number, line in enumerate(lines):
        opens = number == 0 or not lines[number - 1].strip()  # whether the line begins a block
        if _ARROW in line:
            if not _TIMING.fullmatch(line):
                expected = "expected one such as 00:00:01,000 --> 00:00:04,000"
                problem(number + 1, f"a damaged timing line, {line.strip()[:60]!r}; {expected}")
                return None
            has_cue, skipping = True, False
        elif not line.strip():
            skipping = False
        elif form == WEBVTT and opens and _BLOCKS.match(line):
            skipping = True
        elif not skipping and not _is_identifier(lines, number, opens):
            if not has_cue:
                expected = "expected a timing line such as 00:00:01,000 --> 00:00:04,000"
                problem(number + 1, f"{line.strip()[:60]!r} is before the first cue; {expected}")
                return None
            spoken.append(number)
    if not has_cue:
        problem(1, "the file contains no cue; expected timing lines such as 00:00:01,000 --> 00:00:04,000")
        return None
    return spoken


def _is_identifier(lines: Sequence[str], number: int, opens: bool) -> bool:
    """Returns whether a line is the number or name of the cue that begins on the next line."""
    follows = number + 1 < len(lines) and _ARROW in lines[number + 1]
    return follows and (opens or lines[number].strip().isdecimal())


def _subtitle_dialogue(lines: Sequence[str], spoken: Sequence[int], form: str) -> Dialogue:
    """Returns the turns in the lines of cues."""
    pieces = _find_pieces(lines, spoken)
    counts = Counter(piece.prefix["name"] for piece in pieces)
    words, turns = [" "] * sum(map(len, lines)), [Turn(NO_SPEAKER, 0, 0)]
    for piece in pieces:
        speaker, skipped, begins = turns[-1].speaker, 0, False
        name = piece.prefix["name"]
        if piece.voice:
            speaker = piece.voice
        elif name and is_speaker(name, counts[name]):
            speaker, skipped = name, piece.prefix.end()
        elif piece.prefix["change"]:
            speaker, skipped, begins = NO_SPEAKER, piece.prefix.end("change"), True
        begin, end = piece.begin + skipped, piece.begin + len(piece.words)
        words[begin:end] = piece.words[skipped:].replace("\n", " ")
        if begins or speaker != turns[-1].speaker:
            turns.append(Turn(speaker, begin, end))
        else:
            turns[-1] = turns[-1]._replace(end=end)
    return Dialogue(form, [turn for turn in turns if turn.begin < turn.end], "".join(words))


def _find_pieces(lines: Sequence[str], spoken: Sequence[int]) -> list[_Piece]:
    """Returns the parts of the spoken lines.

    Automatic captions, which have a time before each word, repeat a line while the next one appears; it is used once.
    """
    repeats = any(_WORD_TIME.search(lines[number]) for number in spoken)
    starts = list(itertools.accumulate(map(len, lines), initial=0))
    pieces: list[_Piece] = []
    before = ""
    for number in spoken:
        bare = _TAG.sub(lambda tag: " " * len(tag[0]), lines[number])
        shown = " ".join(bare.split())
        if not _SOUND.fullmatch(bare) and not (repeats and shown == before):
            pieces += _line_pieces(lines[number], bare, starts[number])
            before = shown
    return pieces


def _line_pieces(line: str, bare: str, start: int) -> Iterator[_Piece]:
    """Splits a line where a tag such as <v Ana> changes the speaker; yields the parts that are not blank.

    Args:
        line: the line, with its tags.
        bare: the same line with blanks instead of tags.
        start: the offset of the line in the text.
    """
    begin, voice = 0, None
    for tag in [*(tag for tag in _TAG.finditer(line) if tag["voice"] is not None), None]:
        words = bare[begin : tag.start() if tag else len(bare)]
        if not words.isspace() and (prefix := _PREFIX.match(words)):
            yield _Piece(start + begin, words, voice, prefix)
        if tag:
            begin, voice = tag.end(), " ".join(tag["voice"].split()) or None


WEBVTT_FORMAT = Format(
    "webvtt", (".vtt",), "WebVTT subtitles", read=lambda path, reading: read_subtitles(path, reading, WEBVTT)
)
SUBRIP_FORMAT = Format(
    "subrip", (".srt",), "SubRip subtitles", read=lambda path, reading: read_subtitles(path, reading, SUBRIP)
)
