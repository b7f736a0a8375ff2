"""Documents as running text: the display form of words, the gaps between them, and the offsets of mentions."""

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from coref_tf.documents.document import Document

# Treebank escapes of special characters, in both tables.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_STOPS = {"/.": ".", "/?": "?"}
# As in vocabularies, and as in running text.
PLAIN_TOKENS = {**_BRACKETS, "``": '"', "''": '"', "`": "'", **_STOPS}
_PLAIN = {**_BRACKETS, "``": "“", "''": "”", **_STOPS, "/-": "-"}

_NO_SPACE_BEFORE = re.compile(r"[.,;:!?)\]}%”’…]+|'|['’](?:s|m|d|re|ve|ll)|n['’]t", re.IGNORECASE)
_NO_SPACE_AFTER = re.compile(r"[(\[{$£€“‘]")
_JOINING = {"-", "/"}  # join words, as OntoNotes splits `four-story`
_IDEOGRAPHS = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH")  # beginnings of Unicode names


class RunningText(NamedTuple):
    """A text, and the offsets [begin, end) of each word in it."""

    text: str
    offsets: Sequence[tuple[int, int]]

    @classmethod
    def from_document(cls, document: Document) -> "RunningText":
        """Returns the text of the document or, if it has only words, prose with one line per sentence."""
        if document.text is not None and document.offsets is not None:
            return cls(document.text, document.offsets)
        words, gaps = words_and_gaps(document)
        firsts = itertools.accumulate((len(sentence) for sentence in document.sentences[:-1]), initial=0)
        for first in firsts:
            if 0 < first < len(words):
                gaps[first] = "\n"
        pieces, offsets, position = [], [], 0
        for gap, word in zip(gaps, words, strict=False):
            position += len(gap)
            offsets.append((position, position + len(word)))
            position += len(word)
            pieces += [gap, word]
        return cls("".join(pieces), tuple(offsets))

    def span_text(self, start: int, end: int) -> str:
        """Returns the text of words `start` to `end`, inclusive."""
        return self.text[self.offsets[start][0] : self.offsets[end][1]]


def mark_mentions(
    document: Document,
    clusters: Iterable[Iterable[Sequence[int]]],
    opening: Callable[[int], str],
    closing: str,
    escape: Callable[[str], str] = str,
) -> str:
    """Returns the running text with a mark before and after each mention.

    Args:
        document: The words, and the text, if there is one.
        clusters: Inclusive spans of word indices.
        opening: Returns the mark before a mention, given the number of its cluster, from 1.
        closing: The mark after a mention.
        escape: Applied to the text between marks.
    """
    text, offsets = RunningText.from_document(document)
    spans = [(*span, number) for number, cluster in enumerate(clusters, start=1) for span in cluster]
    opened: dict[int, str] = {}
    closed: dict[int, str] = {}
    for start, end, number in sorted(spans, key=lambda span: (span[0], -span[1], span[2])):
        begin, stop = offsets[start][0], offsets[end][1]
        opened[begin] = opened.get(begin, "") + opening(number)
        closed[stop] = closed.get(stop, "") + closing
    pieces, position = [], 0
    for place in sorted(opened.keys() | closed.keys()):
        pieces += [escape(text[position:place]), closed.get(place, ""), opened.get(place, "")]
        position = place
    return "".join([*pieces, escape(text[position:])])


def plain_word(word: str) -> str:
    r"""Returns the word as in ordinary text, without -LRB-, `` or \/."""
    return PLAIN_TOKENS.get(word) or word.replace("\\/", "/").replace("\\*", "*")


def words_and_gaps(document: Document) -> tuple[list[str], list[str]]:
    """Returns the display form of each word, and the gaps before each word and after the last.

    If the document has a text, this reproduces it; otherwise, words are joined as in prose.

    Example:
        words_and_gaps(Document("x", [["Ana", "did", "n't", "."]]))     # ..., ["", " ", "", "", ""]
    """
    if document.text is not None and document.offsets is not None:
        begins, ends = [b for b, _ in document.offsets], [e for _, e in document.offsets]
        between = zip([0, *ends], [*begins, len(document.text)], strict=True)
        words = [document.text[begin:end] for begin, end in document.offsets]
        return words, [document.text[end:begin] for end, begin in between]
    words, gaps = [], []
    for sentence in document.sentences:
        shown = [_PLAIN.get(word, word) for word in sentence]
        gaps += _gaps_in_sentence(shown)
        words += shown
    return words, [*gaps, ""]


def _gaps_in_sentence(words: list[str]) -> list[str]:
    """Returns the gap before each word of a sentence; "" before the first."""
    gaps: list[str] = []
    quoted = False
    for number, word in enumerate(words):
        before = words[number - 1] if number else ""
        after = words[number + 1] if number + 1 < len(words) else ""
        joined = (
            not before
            or (word == '"' and quoted)
            or (before == '"' and quoted)
            or bool(_NO_SPACE_BEFORE.fullmatch(word) or _NO_SPACE_AFTER.fullmatch(before))
            or (word in _JOINING and before[-1].isalnum() and after[:1].isalnum())
            or (before in _JOINING and gaps[-1] == "" and number > 1)
            or (_is_ideograph(before[-1]) and _is_ideograph(word[0]))
        )
        gaps.append("" if joined else " ")
        if word == '"':
            quoted = not quoted
    return gaps


def _is_ideograph(character: str) -> bool:
    """Returns whether a character belongs to a script without spaces between words."""
    return unicodedata.name(character, "").startswith(_IDEOGRAPHS)
