"""Creates documents in which people have other names of the same gender.

A model that reads the same story with many names learns that a name reveals who is he and who is she, and that nothing
else about a name matters.
"""

import dataclasses
import random
import zlib
from typing import NamedTuple

from coref_tf.documents.document import Document
from recipes.english.gender_swap import without_word_layers
from recipes.english.gendered_words import PRONOUNS
from recipes.english.people import Culture, People
from recipes.english.role_names import TITLES, leading_name

_FIRST, _LAST = "first", "last"
_TRIES = 20  # attempts to draw a name that the document does not contain yet


class _NamePart(NamedTuple):
    """A word of a person's name."""

    place: str  # first or last
    gender: str
    person: int  # the number of the cluster


class Renaming:
    """Gives people whose gender the gold clusters reveal other names, first and last.

    Args:
        people: The source of names.
        seed: The seed for choosing names.

    Example:
        renaming = Renaming(People())
        [renamed for document in documents if (renamed := renaming(document))]
    """

    def __init__(self, people: People, seed: int = 0):
        self.people = people
        self.seed = seed

    def __call__(self, document: Document) -> Document | None:
        """Returns the document with other names; None if it names nobody whose gender is known."""
        parts = name_parts(document)
        if not parts:
            return None
        rng = random.Random(zlib.crc32(f"{self.seed} {document.key}".encode()))
        cultures: dict[int, Culture] = {}
        names: dict[str, str] = {}
        taken = set(document.words)
        for word, part in sorted(parts.items(), key=lambda item: (item[1].person, item[0])):
            culture = cultures.setdefault(part.person, self.people.draw_culture(rng))
            for _ in range(_TRIES):
                if part.place == _LAST:
                    name = self.people.draw_last(rng, culture)
                else:
                    name = self.people.draw_first(rng, culture, part.gender)
                if name not in taken:
                    break
            taken.add(name)
            names[word] = name
        return _with_names(document, names)


def name_parts(document: Document) -> dict[str, _NamePart]:
    """Finds the words that are names of people who are either he or she in their cluster.

    Words that are also the name of someone else, or an ordinary word of the document, are left out.
    """
    found: dict[str, _NamePart] = {}
    excluded = {word for word in document.words if word.islower()}
    for person, cluster in enumerate(document.clusters):
        single_words = {document.words[begin].lower() for begin, end in cluster if begin == end}
        genders = {PRONOUNS[word] for word in single_words if word in PRONOUNS}
        if len(genders) != 1:
            continue
        gender = genders.pop()
        spans = [name for span in cluster if (name := leading_name(document, span))]
        names = [document.words[begin : end + 1] for begin, end in spans]
        for word, place in _places(names).items():
            part = _NamePart(place, gender, person)
            other = found.setdefault(word, part)
            if other.place != place or (place == _FIRST and other.gender != gender):
                excluded.add(word.lower())
    return {word: part for word, part in found.items() if word.lower() not in excluded}


def _places(names: list[tuple[str, ...]]) -> dict[str, str]:
    """Determines which words of a person's names are first names, and which are last names."""
    bare = [tuple(word for word in name if word not in TITLES) for name in names]
    last = {
        words[-1]
        for name, words in zip(names, bare, strict=True)
        if len(words) > 1 or len(name) > len(words) > 0
    }
    return {
        word: _LAST if word in last and at == len(words) - 1 else _FIRST
        for words in bare
        for at, word in enumerate(words)
    }


def _with_names(document: Document, names: dict[str, str]) -> Document:
    """Returns the document with some words replaced everywhere, including in the names of speakers."""
    return dataclasses.replace(
        document,
        doc_key=f"{document.doc_key}_renamed",
        key="",
        sentences=[[names.get(word, word) for word in sentence] for sentence in document.sentences],
        speakers=[
            [" ".join(names.get(part, part) for part in speaker.split(" ")) for speaker in sentence]
            for sentence in document.speakers
        ],
        **without_word_layers(),
    )
