"""The layout that the rules for quotations use: words, sentences, paragraphs, and gaps between words."""

import re
from functools import cached_property

from coref_tf.documents.document import Document

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r]*\r|[\f\u2029]")
_ENDS_PARAGRAPH = frozenset(".!?:…\"'”’»)*")
# If at least this share of lines end like sentences, each line is a paragraph.
_SHARE_OF_WHOLE_LINES = 0.75


class Layout:
    """The words of a document and their layout.

    Without a text, paragraphs and the gaps between words are unknown; sentences are always known.

    Args:
        document: the document.

    Example:
        layout = Layout(document_from_text('"Yes," she said.', "x"))
        layout.words            # ('"', 'Yes', ',', '"', 'she', 'said', '.')
        layout.is_spaced(1)     # False: no gap before "Yes"
    """

    def __init__(self, document: Document):
        self.document = document
        self.words = document.words
        # Some tokenizers leave the full stop of a sentence at its last word, "I".
        self.lower = ["i" if word == "I." else word.lower() for word in self.words]
        self.speakers = [speaker for row in document.speakers for speaker in row]
        self.sentence_of = [n for n, sentence in enumerate(document.sentences) for _ in sentence]
        starts, place = [], 0
        for sentence in document.sentences:
            starts.append(place)
            place += len(sentence)
        self.sentence_starts = starts

    def __len__(self) -> int:
        return len(self.words)

    @property
    def has_text(self) -> bool:
        """Whether the gaps between words are known."""
        return self.document.text is not None and self.document.offsets is not None

    def gap(self, place: int) -> str:
        """Returns the text between a word and the previous one, or "" if it is unknown."""
        text, offsets = self.document.text, self.document.offsets
        if text is None or offsets is None or not 0 < place < len(self):
            return ""
        return text[offsets[place - 1][1] : offsets[place][0]]

    def is_spaced(self, place: int) -> bool:
        """Returns whether whitespace, or the beginning or end of the text, precedes a word."""
        return not 0 < place < len(self) or self.gap(place) != ""

    def begins_sentence(self, place: int) -> bool:
        """Returns whether a word is the first one of its sentence."""
        return place == 0 or self.sentence_of[place - 1] != self.sentence_of[place]

    def ends_sentence(self, place: int) -> bool:
        """Returns whether a word is the last one of its sentence."""
        return place + 1 == len(self) or self.begins_sentence(place + 1)

    def sentence_end(self, place: int) -> int:
        """Returns the last word of the sentence that contains a word."""
        following = self.sentence_of[place] + 1
        return (
            self.sentence_starts[following] if following < len(self.sentence_starts) else len(self.words)
        ) - 1

    @cached_property
    def paragraph_of(self) -> list[int] | None:
        """The number of the paragraph of each word; None if paragraphs are unknown, or there is only one."""
        if not self.has_text:
            return None
        gaps = [self.gap(place) for place in range(len(self))]
        blank = [bool(_BLANK_LINE.search(gap)) for gap in gaps]
        if not any(blank):
            blank = self._line_starts(gaps)
        paragraph, numbers = 0, []
        for begins in blank:
            paragraph += begins
            numbers.append(paragraph)
        return numbers if paragraph else None

    def begins_paragraph(self, place: int) -> bool | None:
        """Returns whether a word is the first one of its paragraph, or None if paragraphs are unknown."""
        paragraphs = self.paragraph_of
        if paragraphs is None:
            return None
        return place == 0 or paragraphs[place - 1] != paragraphs[place]

    def _line_starts(self, gaps: list[str]) -> list[bool]:
        """Returns which words begin a line, in a text whose lines are paragraphs and are not wrapped."""
        lines = [place for place, gap in enumerate(gaps) if "\n" in gap]
        whole = sum(self.words[place - 1][-1] in _ENDS_PARAGRAPH for place in lines)
        if not lines or whole < _SHARE_OF_WHOLE_LINES * len(lines):
            return [False] * len(gaps)
        return ["\n" in gap for gap in gaps]
