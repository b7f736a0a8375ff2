"""Word vectors of size 2 that say which names and nouns are masculine or feminine.

Fixed word vectors reveal the gender of common names only. With these, the product of two spans in the pair scorer shows
directly whether their genders agree.
"""

from collections.abc import Iterator

from recipes.english.gendered_words import COMMON_GENDER, FEMININE, GENDER, MASCULINE
from recipes.english.people import People

SIZE = 2
_VECTORS = {MASCULINE: (1.0, 0.0), FEMININE: (0.0, 1.0)}


def gender_vectors() -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yields gendered words in lower case, then first names, each with its vector."""
    for word, gender in GENDER.items():
        if word not in COMMON_GENDER:
            yield word, _VECTORS[gender]
    people = People()
    for gender, vector in _VECTORS.items():
        names = {
            *people.common[gender],
            *(name for culture in people.cultures for name in culture.first[gender]),
        }
        for name in sorted(names):
            yield name, vector
