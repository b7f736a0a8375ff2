"""How the words of a document are set: what each looks like, and what stands between them."""

import re
import unicodedata

from coref_tf.documents.document import Document

# How treebanks write characters that mean something to them.
_PLAIN = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": "“", "''": "”", "/.": ".", "/?": "?", "/-": "-",
}  # fmt: skip

_NO_SPACE_BEFORE = re.compile(r"[.,;:!?)\]}%”’…]+|'|['’](?:s|m|d|re|ve|ll)|n['’]t", re.IGNORECASE)
_NO_SPACE_AFTER = re.compile(r"[(\[{$£€“‘]")
_JOINING = {"-", "/"}  # between words, as OntoNotes cuts `four-story`
_IDEOGRAPHS = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH")  # beginnings of Unicode names


def words_and_gaps(document: Document) -> tuple[list[str], list[str]]:
    """Each word as it is shown, and what stands before each and behind the last.

    A document with its text shows exactly that; the words of any other are joined as prose is.

    Example:
        words_and_gaps(Document("x", [["Ana", "did", "n't", "."]]))     # ..., ["", " ", "", "", ""]
    """
    if document.text is not None and document.offsets is not None:
        begins, ends = [b for b, _ in document.offsets], [e for _, e in document.offsets]
        gaps = zip([0, *ends], [*begins, len(document.text)], strict=True)
        words = [document.text[begin:end] for begin, end in document.offsets]
        return words, [document.text[end:begin] for end, begin in gaps]
    words, gaps = [], []
    for sentence in document.sentences:
        shown = [_PLAIN.get(word, word) for word in sentence]
        gaps += _gaps_in_sentence(shown)
        words += shown
    return words, [*gaps, ""]


def _gaps_in_sentence(words: list[str]) -> list[str]:
    """What stands before each word of a sentence; nothing before the first."""
    gaps, quoted = [], False
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
    """Whether it is of a script that is written without spaces."""
    return unicodedata.name(character, "").startswith(_IDEOGRAPHS)
