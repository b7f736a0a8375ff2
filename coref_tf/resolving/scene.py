"""The input of the rules (words, sentences, tags, quotations, speakers) and their edits."""

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from coref_tf.documents.document import NO_SPEAKER, Document
from coref_tf.documents.running_text import RunningText
from coref_tf.support.errors import CorefError

_OPENING, _CLOSING = {"``", "“", "„", "«"}, {"''", "”", "»"}
_STRAIGHT = '"'
_LONGEST_QUOTATION = 8  # in sentences; a mark that is open for longer was never closed
# Speakers that are numbered or lettered instead of named: "speaker1", "PER#2", "A".
_NO_NAME = re.compile(
    r"(?:speaker|spk|person|per|unknown|user|participant)?[\W_]*\d*|[^\W\d_]?\d*", re.IGNORECASE
)
# Names that corpora write without spaces: "LaurenFinch", "DrCellini".
_JOINED = re.compile(r"(?<=[a-z]{2})(?<!Mac)(?=[A-Z])|(?<=^[DM]r)(?=[A-Z])|(?<=^Ms)(?=[A-Z])")


def readable_speaker(speaker: str) -> str:
    """Returns the name of a speaker as people write it, or "" if it is only a number or a letter.

    Example:
        readable_speaker("LaurenFinch")     # "Lauren Finch"
    """
    if speaker == NO_SPEAKER or _NO_NAME.fullmatch(speaker):
        return ""
    parts = speaker.replace("_", " ").split()
    return " ".join(parts) if len(parts) > 1 else _JOINED.sub(" ", "".join(parts))


class Edit(NamedTuple):
    """Replaces text[begin:end] with `replacement`."""

    begin: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Returns the text with edits applied, which must be in order and disjoint.

    Example:
        apply_edits("She ran.", [Edit(0, 3, "Marta")])      # "Marta ran."
    """
    pieces, position = [], 0
    for begin, end, replacement in edits:
        pieces += [text[position:begin], replacement]
        position = end
    return "".join([*pieces, text[position:]])


class Scene:
    """A document, with the properties of its words that the rules need.

    Args:
        document: the document.
    """

    def __init__(self, document: Document):
        self.document = document
        self.text = RunningText.from_document(document)
        self.words = document.words
        self.lower = [word.lower() for word in self.words]
        self.tags = list(itertools.chain.from_iterable(document.pos)) if document.pos else None
        self.speakers = list(itertools.chain.from_iterable(document.speakers))
        self.sentence_of = [n for n, sentence in enumerate(document.sentences) for _ in sentence]
        self.quoted = self._quotations()  # the number of each word's quotation, or 0
        self.begins = self._beginnings()
        inside = (word for word, begins in zip(self.words, self.begins, strict=True) if not begins)
        self.counts = Counter(inside)  # of words inside a sentence, where capitals are significant

    def speaker_name(self, place: int) -> str:
        """Returns the name of the speaker of a word, or "" if it is unknown."""
        return readable_speaker(self.speakers[place])

    def find_phrases(self, phrases: Iterable[str]) -> set[int]:
        """Returns the words that belong to an occurrence of one of the phrases, ignoring case."""
        if isinstance(phrases, str):
            raise CorefError(f"expected a list of phrases to keep, such as [{phrases!r:.80}]")
        found: set[int] = set()
        begins = [begin for begin, _ in self.text.offsets]
        for phrase in phrases:
            if not phrase.split():
                raise CorefError("a phrase to keep is empty; expected words, such as the Tenant")
            spaced = r"\s+".join(map(re.escape, phrase.split()))
            for match in re.finditer(rf"(?<!\w){spaced}(?!\w)", self.text.text, re.IGNORECASE):
                last = bisect.bisect_left(begins, match.end())
                found |= set(range(bisect.bisect_right(begins, match.start()) - 1, last))
        return found

    def before(self, place: int) -> str:
        """Returns the previous word in the sentence, in lower case, or "" if there is none."""
        return self._neighbour(place, place - 1)

    def behind(self, place: int) -> str:
        """Returns the next word in the sentence, in lower case, or "" if there is none."""
        return self._neighbour(place, place + 1)

    def in_capitals(self, place: int) -> bool:
        """Returns whether a word is in a run of capitalised words, as in a heading, where capitals mean little."""
        here = range(max(0, place - 1), min(len(self.words), place + 2))
        shouted = [
            self.sentence_of[other] == self.sentence_of[place]
            and self.words[other].isupper()
            and len(self.words[other]) > 1
            for other in here
        ]
        return self.words[place].isupper() and sum(shouted) > 1

    def _neighbour(self, place: int, other: int) -> str:
        there = 0 <= other < len(self.words) and self.sentence_of[other] == self.sentence_of[place]
        return self.lower[other] if there else ""

    def _beginnings(self) -> list[bool]:
        """Returns whether each word begins a sentence or a quotation, where a capital is not significant."""
        begins, sentence, any_word, before = [], -1, False, ""
        for place, word in enumerate(self.words):
            if self.sentence_of[place] != sentence:
                sentence, any_word, before = self.sentence_of[place], False, ""
            opened = before in _OPENING or (before == _STRAIGHT and self.quoted[place] > 0)
            begins.append(opened or not any_word)
            any_word, before = any_word or any(map(str.isalnum, word)), word
        return begins

    def _quotations(self) -> list[int]:
        """Returns the number of the quotation of each word, counted from 1, or 0 outside quotations.

        A blank line ends a quotation without a closing mark.
        """
        quoted, number, opened, since = [], 0, False, 0
        for place, word in enumerate(self.words):
            sentence = self.sentence_of[place]
            if opened and (sentence - since > _LONGEST_QUOTATION or self._begins_paragraph(place)):
                opened = False
            if word in _OPENING or (word == _STRAIGHT and not opened):
                opened, since, number = True, sentence, number + 1
                quoted.append(number)
            elif word in _CLOSING or word == _STRAIGHT:
                quoted.append(number if opened else 0)
                opened = False
            else:
                quoted.append(number if opened else 0)
        return quoted

    def _begins_paragraph(self, place: int) -> bool:
        if place == 0:
            return False
        gap = self.text.text[self.text.offsets[place - 1][1] : self.text.offsets[place][0]]
        return gap.count("\n") > 1
