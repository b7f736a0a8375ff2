"""The tokenizer's rules as RE2 patterns, the regular expressions of TensorFlow, which have no lookaround.

Where a rule looks at a character before or after its match, the pattern here includes that character, and the
replacement restores it.
"""

import re
from typing import NamedTuple

from spacy.lang import char_classes as spacy_classes

from coref_tf.documents.tokenizer import MOST_SIGNS, SIGNS, spacy_tokenizer

# Separators between the parts of a text. Unicode reserves these characters for such uses.
TOKEN, CHUNK, BREAK = "\ufdd0", "\ufdd1", "\ufdd2"

# The characters for which str.isspace() is true, with and without the newline.
_SPACE_IN_LINE = "\t\x0b-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPACE = "\n" + _SPACE_IN_LINE


class Replacement(NamedTuple):
    """A pattern and its replacement."""

    pattern: str
    rewrite: str


# Inserts separators: paragraphs end at blank lines and before list items; citation marks and `` become chunks.
MARKED_TEXT = [
    Replacement(f"[{TOKEN}{CHUNK}{BREAK}]", "\ue000"),  # which is just as unknown to every model
    Replacement(rf"(\n[{SPACE}]*\n|\r[{SPACE}]*\r|[\f\x{{2029}}])", rf"\1{CHUNK}{BREAK}{CHUNK}"),
    Replacement(
        rf"(\n)([{_SPACE_IN_LINE}]*(?:[-*•‣]|[0-9]{{1,2}}[.)])[{_SPACE_IN_LINE}])",
        rf"\1{CHUNK}{BREAK}{CHUNK}\2",
    ),
    Replacement(r"(\[)([0-9]{1,3})(\])", rf"{CHUNK}\1{CHUNK}\2{CHUNK}\3{CHUNK}"),
    Replacement("(``)", rf"{CHUNK}\1{CHUNK}"),
    Replacement(f"([{SPACE}]+)", rf"{CHUNK}\1{CHUNK}"),
    Replacement(f"([{SIGNS}]{{{MOST_SIGNS}}})", rf"\1{CHUNK}"),
]


def _characters(ranges: str) -> str:
    """Replaces the character codes in spaCy's character ranges with the characters themselves."""
    return re.sub(r"\\[uU]([0-9A-Fa-f]{8}|[0-9A-Fa-f]{4})", lambda code: chr(int(code[1], 16)), ranges)


def _any_of(patterns: list[str]) -> str:
    """Returns a pattern that matches any of the given ones; ignores empty patterns, which spaCy's lists contain."""
    return "|".join(filter(None, patterns))


_LETTERS = _characters(spacy_classes.ALPHA)
_LOWER = _characters(spacy_classes.ALPHA_LOWER)
_UPPER = _characters(spacy_classes.ALPHA_UPPER)
_ICONS = f"[{_characters(spacy_classes.CONCAT_ICONS)}]"
_QUOTES = spacy_classes.CONCAT_QUOTES
_ELLIPSES = r"\.\.+|…"
_SIGNS = _any_of([*spacy_classes.LIST_PUNCT, _ELLIPSES, *spacy_classes.LIST_QUOTES, _ICONS])
_CURRENCY = _any_of(spacy_classes.LIST_CURRENCY)
_UNITS = _any_of(spacy_classes.LIST_UNITS)
_BEFORE_STOP = rf"[0-9{_LOWER}%²\-+(?:){spacy_classes.PUNCT}{_QUOTES}]"

# Prefixes and suffixes of a chunk, which are removed one at a time.
PREFIX = Replacement(rf"^(?:§|%|=|—|–|{_SIGNS}|{_CURRENCY}|\+([^0-9])|\+$)", r"\1")
SUFFIX = Replacement(
    rf"(?:{_SIGNS}|'s|'S|’s|’S|—|–|([0-9])(?:\+|{_CURRENCY}|{_UNITS})|(°[FfCcKk]|{_BEFORE_STOP}|[{_UPPER}]{{2}})\.)$",
    r"\1\2",
)

# Infixes, which split a chunk. A match includes the letter after it, which the next may need, so each is applied twice.
INFIXES = [
    Replacement(f"({_ELLIPSES}|{_ICONS})", rf"{TOKEN}\1{TOKEN}"),
    *[
        Replacement(pattern, rf"\1{TOKEN}\2{TOKEN}\3")
        for pattern in (
            r"([0-9])([+\-*^])([0-9-])",
            f"([{_LOWER}{_QUOTES}])(\\.)([{_UPPER}{_QUOTES}])",
            f"([{_LETTERS}])(,)([{_LETTERS}])",
            f"([{_LETTERS}0-9])(-|–|—|--|---|——|~)([{_LETTERS}])",
            f"([{_LETTERS}0-9])([:<>=/])([{_LETTERS}])",
        )
        for _ in range(2)
    ],
]

# Finally, spaCy merges tokens that form a special case; these are the ones that occur in texts.
JOINED = [
    Replacement(f"(^|{TOKEN}){TOKEN.join(map(re.escape, special))}({TOKEN}|$)", rf"\1{special}\2")
    for special in ("''", "’’", "):")
]

_HOST = "A-Za-z0-9\u00a1-\uffff"
ADDRESS = (
    r"(?:[\w+\-.]{2,}://)?(?:\S+@)?"
    rf"(?:[1-9][0-9]{{0,2}}(?:\.[0-9]{{1,3}}){{3}}|(?:(?:[{_HOST}][{_HOST}_-]*)?[{_HOST}]\.)+[{_LOWER}][{_LOWER}]+)"
    r"(?::\d{2,5})?(?:[/?#]\S*)?"
)


def special_chunks() -> dict[str, str]:
    """Returns chunks with a special split, such as contractions, with separators between their tokens."""
    tokenizer = spacy_tokenizer()
    special = {
        chunk: TOKEN.join(token.text for token in tokenizer(chunk))
        for chunk in tokenizer.rules
        if not chunk.isspace()
    }
    return special | {"``": "``"}
