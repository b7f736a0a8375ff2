"""Words that tell whom they refer to: English *he* and *she* and, where the speaker is known, *I*, *you* and names."""

import re
import unicodedata
from collections.abc import Iterable

from coref_tf.documents.document import NO_SPEAKER, Document

# The classes that `pronoun_classes` returns; 0 is any other word.
HE, SHE, ME, YOU = 1, 2, 3, 4
# `reference_classes` also returns NAMED + n, for a word of the name of speaker n, counted in order of appearance.
NAMED = 5

CLASSES: dict[str, int] = {
    **dict.fromkeys(("he", "him", "his", "himself"), HE),
    **dict.fromkeys(("she", "her", "hers", "herself"), SHE),
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), ME),
    **dict.fromkeys(("you", "your", "yours", "yourself"), YOU),
}


def pronoun_classes(document: Document) -> list[int]:
    """Returns the class of each word. I and you count only if the speaker is known."""
    speakers = (speaker for row in document.speakers for speaker in row)
    classes = (CLASSES.get(word.lower(), 0) for word in document.words)
    return [
        0 if found in (ME, YOU) and speaker == NO_SPEAKER else found
        for found, speaker in zip(classes, speakers, strict=True)
    ]


def reference_classes(document: Document) -> list[int]:
    """Returns the class of each word: that of a pronoun, or of the speaker whose name the word is part of."""
    names = speaker_names(speaker for row in document.speakers for speaker in row)
    classes = pronoun_classes(document)
    return [found or names.get(word, 0) for word, found in zip(document.words, classes, strict=True)]


def speaker_names(speakers: Iterable[str]) -> dict[str, int]:
    """Returns the class of each word that occurs in the name of one speaker only.

    A word counts if it has two or more characters, starts with a capital, and is no pronoun.

    Example:
        speaker_names(["Dr. Ana Roy", "-", "Bo Roy"])   # {"Dr.": 5, "Ana": 5, "Bo": 7}
    """
    found: dict[str, set[int]] = {}
    for number, speaker in enumerate(dict.fromkeys(speakers)):
        for word in re.split("[ \t_]+", speaker):
            if len(word) > 1 and unicodedata.category(word[0]) == "Lu" and word.lower() not in CLASSES:
                found.setdefault(word, set()).add(NAMED + number)
    return {word: classes.pop() for word, classes in found.items() if len(classes) == 1}
