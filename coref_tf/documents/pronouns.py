"""Words that reveal something about their referent: English *he* and *she*, and *I*, *you* and names in dialogue."""

import re
import unicodedata
from collections.abc import Iterable

from coref_tf.documents.document import NO_SPEAKER, Document

# The classes that `pronoun_classes` returns; 0 is any other word.
HE, SHE, ME, YOU = 1, 2, 3, 4
# `reference_classes` also returns the marks around a name that addresses somebody, SHARED for a word that occurs in the
# names of several speakers (*Ms.*), and NAMED + n for a word of the name of speaker n, in order of appearance.
COMMA, STOP, SHARED, NAMED = 5, 6, 7, 8

CLASSES: dict[str, int] = {
    **dict.fromkeys(("he", "him", "his", "himself"), HE),
    **dict.fromkeys(("she", "her", "hers", "herself"), SHE),
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), ME),
    **dict.fromkeys(("you", "your", "yours", "yourself"), YOU),
}
MARKS: dict[str, int] = {",": COMMA, **dict.fromkeys((".", "?", "!"), STOP)}


def pronoun_classes(document: Document) -> list[int]:
    """Returns the class of each word. I and you count only if the speaker is known."""
    speakers = (speaker for row in document.speakers for speaker in row)
    classes = (CLASSES.get(word.lower(), 0) for word in document.words)
    return [
        0 if found in (ME, YOU) and speaker == NO_SPEAKER else found
        for found, speaker in zip(classes, speakers, strict=True)
    ]


def reference_classes(document: Document) -> list[int]:
    """Returns the class of each word: that of a pronoun or mark, or of the speaker whose name the word is part of."""
    others = MARKS | speaker_names(speaker for row in document.speakers for speaker in row)
    classes = pronoun_classes(document)
    return [found or others.get(word, 0) for word, found in zip(document.words, classes, strict=True)]


def speaker_names(speakers: Iterable[str]) -> dict[str, int]:
    """Returns the class of each word of the speakers' names: NAMED + n, or SHARED.

    A word counts if it has two or more characters, starts with a capital, and is no pronoun.

    Example:
        speaker_names(["Dr. Ana Roy", "-", "Bo Roy"])   # {"Dr.": 8, "Ana": 8, "Roy": 7, "Bo": 10}
    """
    found: dict[str, set[int]] = {}
    for number, speaker in enumerate(dict.fromkeys(speakers)):
        for word in re.split("[ \t_]+", speaker):
            if len(word) > 1 and unicodedata.category(word[0]) == "Lu" and word.lower() not in CLASSES:
                found.setdefault(word, set()).add(NAMED + number)
    return {word: classes.pop() if len(classes) == 1 else SHARED for word, classes in found.items()}
