"""Speaker turns in a text: lines that begin a turn.

A turn begins with `Ana: words`, with a name of up to four words; with `[10:02] ana: words`, where after the time in
brackets anything before the colon is a name; or with `<ben> words`, as in chat logs. `Note: words` and `Here is the
thing: words` begin turns only if the words before the colon occur again. `dialogue_forms` handles the formats of
programs.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from coref_tf.documents.document import NO_SPEAKER

_DAY = r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4},?[ T]"
_TIME = rf"(?:{_DAY})?[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?: ?[AaPp][Mm])?"
_NAME = r"[\w.'’-]+(?: [\w.'’-]+){0,3}"
_TURN = re.compile(
    rf"^[^\S\n]*(?:(?P<time>\[{_TIME}\]|\({_TIME}\))[^\S\n]+|{_TIME}[^\S\n]+(?:-[^\S\n]+)?)?"
    rf"(?:<[@+%~&]?(?P<chat>{_NAME})>|(?P<name>{_NAME}):)[^\S\n]+(?=\S)",
    re.MULTILINE,
)
_CLOSING_TAG = re.compile(rf"</({_NAME})>")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
# Words before a colon that are not a speaker unless they occur again.
_LABEL_WORDS = """Abstract Answer Background Conclusion Contents Date Definition Details Disclaimer Edit Errata Example
    Examples Exercise Fact FAQ Figure Footnote From Goal Hint Important Ingredients Introduction Key Location
    Method Methods Moral Name Note Notes NB Objective Overview Problem Proof PS P.S. Question Re Reason Reminder Result
    Results Solution Source Step Subject Summary Table Task Theorem Time Tip Tips Title TLDR To Topic Update Warning"""
_LABELS = frozenset(_LABEL_WORDS.split())


class Turn(NamedTuple):
    """One turn of a speaker: text[begin:end]."""

    speaker: str
    begin: int
    end: int


class Dialogue(NamedTuple):
    """A text in which people speak.

    Args:
        form: the name of the format; "" if lines such as `Ana: words` name the speakers.
        turns: the turns, in order.
        words: the text with blanks instead of everything that is not spoken, such as times and tags; of equal length.
    """

    form: str
    turns: Sequence[Turn]
    words: str


def find_turns(text: str) -> list[Turn]:
    """Returns the turns of a text, in order. The text before the first turn has the speaker NO_SPEAKER.

    Example:
        find_turns("Ana: Hi.")       # [Turn("-", 0, 0), Turn("Ana", 5, 8)]
    """
    matches = list(_TURN.finditer(text))
    counts, tags = Counter(match["name"] for match in matches), set(_CLOSING_TAG.findall(text))
    turns, speaker, begin = [], NO_SPEAKER, 0
    for match in matches:
        if match["chat"] not in tags and _is_turn(match, counts):
            turns.append(Turn(speaker, begin, match.start()))
            speaker, begin = match["name"] or match["chat"], match.end()
    return [*turns, Turn(speaker, begin, len(text))]


def _is_turn(match: re.Match, counts: Counter) -> bool:
    return bool(match["chat"] or match["time"]) or is_speaker(match["name"], counts[match["name"]])


def is_speaker(name: str, count: int) -> bool:
    """Returns whether the words before a colon name a speaker, given the number of lines that begin with them."""
    words = name.split()
    if not _CAPITAL.match(words[0]):
        return False
    is_name = all(_CAPITAL.match(word) or word[0].isdigit() for word in words) and words[0] not in _LABELS
    return is_name or count > 1


class DialogueCount:
    """Counts turns and speakers, and collects the formats of the texts."""

    def __init__(self) -> None:
        self.turns, self.speakers = 0, 0
        self.forms: set[str] = set()

    def __call__(self, dialogue: Dialogue) -> None:
        """Counts the turns of one text."""
        spoken = [turn.speaker for turn in dialogue.turns if turn.speaker != NO_SPEAKER]
        self.turns += len(spoken)
        self.speakers += len(set(spoken))
        self.forms |= {dialogue.form} - {""}

    @property
    def is_conversation(self) -> bool:
        """Whether there are enough turns for a conversation: one `Name: words` may be something else."""
        return self.turns > 1

    def __str__(self) -> str:
        if not self.turns:
            return (
                "no turns found; expected lines such as `Ana: words`, `[10:02] ana: words` or `<ana> words`"
            )
        turns = "1 turn" if self.turns == 1 else f"{self.turns:,} turns"
        speakers = "1 speaker" if self.speakers == 1 else f"{self.speakers:,} speakers"
        forms = f" ({', '.join(sorted(self.forms))})" if self.forms else ""
        return f"{turns} of {speakers}{forms}"
