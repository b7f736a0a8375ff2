"""Gender swapping: pronouns, nouns, titles and names of women and men are exchanged."""

import pytest

from coref_tf.documents.document import Document
from recipes.english.gender_swap import GenderSwap, swapped_word

ANA = "Ana Ruiz told Mr. Diaz that her brother saw her . Ana laughed ; the book was hers ."
BEN = "Ben Cole said he was proud of his wife ."


def documents():
    ana = Document(
        "nw/ana", [ANA.split()], clusters=[[(0, 1), (6, 6), (9, 9), (11, 11), (17, 17)], [(6, 7), (2, 2)]]
    )
    ben = Document("nw/ben", [BEN.split()], clusters=[[(0, 1), (3, 3), (7, 7)]])
    rain = Document("nw/rain", [["It", "rained", "and", "it", "poured", "."]], clusters=[[(0, 0), (3, 3)]])
    return [ana, ben, rain]


def test_pronouns_nouns_titles_and_names():
    swap = GenderSwap(documents(), seed=0)
    ana, ben, rain = map(swap, documents())
    assert rain is None
    assert (
        " ".join(ana.words)
        == "Ben Ruiz told Mrs. Diaz that his sister saw him . Ben laughed ; the book was his ."
    )
    assert " ".join(ben.words) == "Ana Cole said she was proud of her husband ."
    assert ana.clusters == documents()[0].clusters and ana.doc_key == "nw/ana_swapped"


@pytest.mark.parametrize(
    ("word", "tag", "following", "begins", "expected"),
    [
        ("her", None, ("house",), False, "his"),
        ("her", None, (".",), False, "him"),
        ("her", None, ("to",), False, "him"),
        ("her", None, (), False, "him"),
        ("her", "PRP", ("house",), False, "him"),
        ("Her", "PRP$", ("own",), False, "His"),
        ("her", None, ("all",), True, "his"),
        ("his", None, ("house",), False, "her"),
        ("HIS", None, (".",), False, "HERS"),
        ("Kings", None, (), False, "Queens"),
        ("nurse", None, (), False, "nurse"),
    ],
)
def test_swapped_word(word, tag, following, begins, expected):
    assert swapped_word(word, tag, following, begins) == expected
