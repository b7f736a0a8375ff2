"""Creates documents in which women and men are swapped, including their names.

A model that is trained on them in addition to the originals sees every role filled by both, and so has no reason to
assume that a nurse is she (Zhao et al. 2018 swapped pronouns and nouns, and removed names; here, they are swapped).
"""

import dataclasses
import itertools
import random
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from coref_tf.documents.document import Document
from recipes.english.gendered_words import FEMININE, MASCULINE, NOT_NAMES, OBJECT_BEFORE, PRONOUNS, SWAPPED

HIM_OR_HIS = "her"  # which of the two it is depends on the next word
POSSESSIVE = "PRP$"


class GenderSwap:
    """Swaps documents; new first names come from the documents themselves.

    Args:
        documents: The documents to take first names from: those of people whose gold cluster contains he or she.
        seed: The seed for choosing names.

    Example:
        swap = GenderSwap(documents)
        [swapped for document in documents if (swapped := swap(document))]
    """

    def __init__(self, documents: Iterable[Document], seed: int = 0):
        found: dict[str, set[str]] = {MASCULINE: set(), FEMININE: set()}
        # A word that also occurs in lower case, or as a last name, is not used as a first name.
        other = set()
        for document in documents:
            other |= {word for word in document.words if word.islower()}
            other |= {words[-1].lower() for words in _whole_names(document)}
            for name, gender in names_of(document).items():
                found[gender].add(name)
        both = found[MASCULINE] & found[FEMININE]
        self.seed = seed
        self.names = {
            gender: sorted(name for name in names - both if name.lower() not in other)
            for gender, names in found.items()
        }

    def __call__(self, document: Document) -> Document | None:
        """Returns the document with all gendered words swapped; None if there are none."""
        names = self._new_names(document)
        sentences, place = [], 0
        longer = {begin for cluster in document.clusters for begin, end in cluster if end > begin}
        for number, sentence in enumerate(document.sentences):
            tags = document.pos[number] if document.pos else [None] * len(sentence)
            swapped = [
                names.get(word)
                or swapped_word(word, tags[at], sentence[at + 1 : at + 2], place + at in longer)
                for at, word in enumerate(sentence)
            ]
            sentences.append(swapped)
            place += len(sentence)
        if tuple(map(tuple, sentences)) == document.sentences:
            return None
        return dataclasses.replace(
            document,
            doc_key=f"{document.doc_key}_swapped",
            key="",
            sentences=sentences,
            **without_word_layers(),
        )

    def _new_names(self, document: Document) -> dict[str, str]:
        """Maps each first name to one of the other gender that the document does not contain."""
        rng = random.Random(zlib.crc32(f"{self.seed} {document.key}".encode()))
        chosen: dict[str, str] = {}
        for name, gender in sorted(names_of(document).items()):
            other = FEMININE if gender == MASCULINE else MASCULINE
            taken = {*document.words, *chosen.values()}
            free = [each for each in self.names[other] if each not in taken]
            if free:
                chosen[name] = rng.choice(free)
        return chosen


def without_word_layers() -> dict[str, Any]:
    """Returns arguments of `dataclasses.replace` that drop the annotation layers that depend on the words."""
    return {"text": None, "offsets": None, "parse": None, "named_entities": None, "source": None, "extra": {}}


def names_of(document: Document) -> dict[str, str]:
    """Maps first names to genders, for people whose cluster has their full name and either he or she, not both."""
    found: dict[str, set[str]] = {}
    for cluster in document.clusters:
        mentions = [document.words[begin : end + 1] for begin, end in cluster]
        single_words = [words[0].lower() for words in mentions if len(words) == 1]
        genders = {PRONOUNS[word] for word in single_words if word in PRONOUNS}
        for words in mentions if len(genders) == 1 else ():
            if name := _whole_name(words):
                found.setdefault(name[0], set()).update(genders)
    return {name: genders.pop() for name, genders in found.items() if len(genders) == 1}


def _whole_names(document: Document) -> Iterator[tuple[str, ...]]:
    for cluster in document.clusters:
        for begin, end in cluster:
            if name := _whole_name(document.words[begin : end + 1]):
                yield name


def _whole_name(words: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the first name, the last name and the words between at the start of a mention, or ()."""
    name = tuple(itertools.takewhile(is_name, words))
    return name if 2 <= len(name) <= 4 else ()


def swapped_word(word: str, tag: str | None, following: tuple[str, ...], begins_mention: bool) -> str:
    """Returns the counterpart of a word, in the same case; the word itself if it has none.

    Args:
        word: The word to swap.
        tag: Its part of speech, if known.
        following: The next word of the sentence, if there is one.
        begins_mention: Whether a mention of several words begins with it, such as "her brother".
    """
    lower = word.lower()
    other = SWAPPED.get(lower)
    if other is None:
        return word
    if lower == HIM_OR_HIS:
        is_object = not following or not following[0][0].isalnum() or following[0].lower() in OBJECT_BEFORE
        is_possessive = begins_mention or (tag == POSSESSIVE if tag else not is_object)
        other = "his" if is_possessive else "him"
    elif lower == "his" and not (following and following[0][0].isalnum()):
        other = "hers"
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[0].upper() + other[1:] if word[0].isupper() else other


def is_name(word: str) -> bool:
    """Returns whether a word looks like a part of a person's name."""
    return word.istitle() and word.replace("-", "").isalpha() and len(word) > 1 and word not in NOT_NAMES
