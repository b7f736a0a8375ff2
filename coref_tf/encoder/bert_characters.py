"""Normalises characters like BERT's tokenizer, before words are split into pieces."""

import unicodedata
from collections.abc import Iterator

# CJK ideographs, each of which is a word by itself.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_FIRST_IDEOGRAPH = min(_IDEOGRAPHS)[0]
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

# The usual tokenizers of encoders use the tables of Unicode 8, for which later marks, controls and punctuation are
# ordinary letters; a few characters have changed since. This lists the later ones of all supported Python versions, up
# to Unicode 15.1 of Python 3.13: each version has its own tables, and a model must get the same pieces from all.
_LATER = """
61d 7fd 890-891 898-89f 8ca-8e2 9fd-9fe a76 afa-aff b55 c04 c3c c77 c84 d00 d3b-d3c d81 eba ece 180f 1885-1886
1abf-1ace 1b7d-1b7e 1df6-1dfb 2e43-2e4f 2e52-2e5d a82c a8c5 a8ff a9bd 10d24-10d27 10eab-10ead 10efd-10eff
10f46-10f50 10f55-10f59 10f82-10f89 11070 11073-11074 110c2 110cd 111c9 111cf 1123e 11241 1133b 11438-1143f
11442-11444 11446 1144b-1144f 1145a-1145b 1145d-1145e 11660-1166c 116b9 1182f-11837 11839-1183b 1193b-1193c
1193e 11943-11946 119d4-119d7 119da-119db 119e0 119e2 11a01-11a0a 11a33-11a38 11a3b-11a47 11a51-11a56
11a59-11a5b 11a8a-11a96 11a98-11a9c 11a9e-11aa2 11b00-11b09 11c30-11c36 11c38-11c3d 11c3f 11c41-11c45
11c70-11c71 11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a 11d3c-11d3d 11d3f-11d45 11d47
11d90-11d91 11d95 11d97 11ef3-11ef4 11ef7-11ef8 11f00-11f01 11f36-11f3a 11f40 11f42-11f4f 11fff 12ff1-12ff2
13430-13440 13447-13455 16e97-16e9a 16f4f 16fe2 16fe4 1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018
1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e944-1e94a 1e95e-1e95f
"""
_MARK_THEN, _PUNCTUATION_THEN = "\u1734", "\u166d\U000111c9"
# Lower case, however, follows Unicode 17 there: Python 3.10 lacks all of these capitals, and 3.13 most of them.
_LATER_CAPITALS = """
1c89 2c2f a7c0 a7cb a7cc a7ce a7d0 a7d2 a7d4 a7d6 a7d8 a7da a7dc
10570-1057a 1057c-1058a 1058c-10592 10594-10595 10d50-10d65 16ea0-16eb8
"""
_THEIR_SMALL_LETTERS = """
1c8a 2c5f a7c1 264 a7cd a7cf a7d1 a7d3 a7d5 a7d7 a7d9 a7db 19b
10597-105a1 105a3-105b1 105b3-105b9 105bb-105bc 10d70-10d85 16ebb-16ed3
"""
# Decomposable since Unicode 13, which those tables do not know.
_WHOLE_THEN = "\U00011938"


def _ranges(table: str) -> Iterator[int]:
    for entry in table.split():
        first, _, last = entry.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


_LATER_CHARACTERS = frozenset(map(chr, _ranges(_LATER)))
_LATER_SMALL = dict(
    zip(map(chr, _ranges(_LATER_CAPITALS)), map(chr, _ranges(_THEIR_SMALL_LETTERS)), strict=True)
)


def spaced(character: str, lowercase: bool) -> str:
    """Returns the replacement of a character: nothing, itself, or other characters, with spaces around separate words.

    Controls are removed, whitespace becomes a space, and ideographs and punctuation become separate words. If
    lowercased, accents are removed, too. Characters are replaced independently of their neighbours.

    Args:
        character: A single character.
        lowercase: Whether to lowercase it, for an uncased encoder.

    Example:
        [spaced(c, lowercase=True) for c in "\u00c9-\t\u200b"]     # ["e", " - ", " ", ""]
    """
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or _category(character).startswith("C"):
        return ""
    if character.isspace():
        return " "
    alone = _is_ideograph(character)
    text = character
    if lowercase:
        parts = character if character == _WHOLE_THEN else unicodedata.normalize("NFD", character)
        # Character by character, so that a final sigma is not treated specially.
        text = "".join(_LATER_SMALL.get(part) or part.lower() for part in parts if _category(part) != "Mn")
    return f" {text} " if alone else "".join(f" {c} " if _is_punctuation(c) else c for c in text)


def _category(character: str) -> str:
    if character in _LATER_CHARACTERS:
        return "Lo"
    if character == _MARK_THEN:
        return "Mn"
    # Characters unknown to all versions are not controls.
    category = unicodedata.category(character)
    return "Lo" if category == "Cn" else category


def _is_punctuation(character: str) -> bool:
    if character in _ASCII_PUNCTUATION or character in _PUNCTUATION_THEN:
        return True
    return _category(character).startswith("P")


def _is_ideograph(character: str) -> bool:
    code = ord(character)
    return code >= _FIRST_IDEOGRAPH and any(first <= code <= last for first, last in _IDEOGRAPHS)
