"""`python -m recipes.english copies` and `excerpts`: the same documents with other people's names."""

import random

import pytest
from command import call

from coref_tf.documents import open_writer, read_documents
from coref_tf.documents.document import Document
from recipes.english.__main__ import main
from recipes.english.copies import copy_documents
from recipes.english.excerpts import renamed_excerpts
from recipes.english.gendered_words import FEMININE, MASCULINE
from recipes.english.people import People
from recipes.english.renaming import Renaming, name_parts

PEOPLE = People()
# Ana Ruiz is word 0-1, Ana 10, she 12 and Ruiz 17; Mr. Diaz is 3-4, him 8 and Diaz 14.
TEXT = "Ana Ruiz saw Mr. Diaz and waved at him . Ana says she knew Diaz , and Ruiz lied ."
WORDS = TEXT.split()
CLUSTERS = [[(0, 1), (10, 10), (12, 12), (17, 17)], [(3, 4), (8, 8), (14, 14)]]


def story(key="nw/ana"):
    return Document(key, [WORDS[:10], WORDS[10:]], [["Ana Ruiz"] * 10, ["-"] * 10], CLUSTERS)


def test_first_names_have_one_gender_and_come_from_many_cultures():
    assert len(PEOPLE.cultures) >= 40
    women = {name for culture in PEOPLE.cultures for name in culture.first[FEMININE]}
    men = {name for culture in PEOPLE.cultures for name in culture.first[MASCULINE]}
    assert not women & men and min(len(women), len(men)) > 3000
    assert all(culture.last and all(culture.first.values()) for culture in PEOPLE.cultures)
    rng = random.Random(0)
    drawn = [PEOPLE.draw_culture(rng).code for _ in range(2000)]
    assert 0.1 < drawn.count("en_US") / 2000 < 0.25 and len(set(drawn)) == len(PEOPLE.cultures)


def test_first_and_last_names_are_distinguished():
    parts = name_parts(story())
    assert {word: (part.place, part.gender) for word, part in parts.items()} == {
        "Ana": ("first", FEMININE),
        "Ruiz": ("last", FEMININE),
        "Diaz": ("last", MASCULINE),
    }


def test_names_change_everywhere_and_spans_do_not():
    renamed = Renaming(PEOPLE, seed=3)(story())
    assert renamed.clusters == story().clusters and len(renamed.words) == len(WORDS)
    changed = {old: new for old, new in zip(WORDS, renamed.words, strict=True) if old != new}
    assert set(changed) == {"Ana", "Ruiz", "Diaz"} and len(set(changed.values())) == 3
    assert renamed.words[10] == renamed.words[0] and renamed.words[14] == renamed.words[4]
    assert any(
        changed["Ana"] in culture.first[FEMININE] or changed["Ana"] in PEOPLE.common[FEMININE]
        for culture in PEOPLE.cultures
    )
    assert renamed.speakers[0][0] == f"{changed['Ana']} {changed['Ruiz']}"
    assert Renaming(PEOPLE, seed=3)(story()) == renamed != Renaming(PEOPLE, seed=4)(story())


@pytest.mark.parametrize(
    ("words", "clusters"),
    [
        ("Oslo grew . It is large .", [[(0, 0), (3, 3)]]),  # no person
        ("Rose saw a rose . She left .", [[(0, 0), (5, 5)]]),  # the name is also an ordinary word
        (
            "Kim met Kim . He knew she came .",
            [[(0, 0), (4, 4)], [(2, 2), (6, 6)]],
        ),  # a woman and a man with the same name
    ],
)
def test_names_that_cannot_be_changed(words, clusters):
    assert Renaming(PEOPLE)(Document("nw/x", [words.split()], clusters=clusters)) is None


def test_every_other_copy_is_swapped():
    first, second = copy_documents([story("nw/a"), story("nw/b")])
    assert "she" in first.words and "she" not in second.words
    assert "him" in first.words and "her" in second.words


def test_excerpts_are_short_linked_and_renamed():
    rain = [["It", "rained", "."]] * 30
    long = Document("nw/long", [WORDS[:10], WORDS[10:], *rain], clusters=CLUSTERS)
    excerpts = list(renamed_excerpts([long], count=20, seed=1))
    assert excerpts == list(renamed_excerpts([long], count=20, seed=1))
    for excerpt in excerpts:
        assert 1 <= len(excerpt.sentences) <= 5
        assert excerpt.clusters and all(len(cluster) > 1 for cluster in excerpt.clusters)
        assert "Ana" not in excerpt.words
    assert len({excerpt.words for excerpt in excerpts}) > 1


def test_the_commands(tmp_path, capsys):
    source, rest, aside, output = (tmp_path / f"{name}.jsonlines" for name in ("in", "rest", "aside", "out"))
    with open_writer(source) as write:
        for number in range(8):
            write(story(f"nw/{number}"))
    assert call("split", "4", source, "--to", rest, aside, main=main) in (None, 0)
    assert [document.doc_key for document in read_documents(aside)] == ["nw/2", "nw/6"]
    assert len(list(read_documents(rest))) == 6
    assert capsys.readouterr().out.startswith(f"{rest}: 6 documents, 120 words\n")
    assert call("copies", rest, output, main=main) in (None, 0)
    assert capsys.readouterr().out == f"{output}: 6 documents, {120 + _growth(output)} words\n"
    assert call("excerpts", rest, output, "--count", "2", main=main) in (None, 0)
    assert len(list(read_documents(output))) > 6
    assert call("split", "1", source, "--to", rest, aside, main=main) == 1
    assert "N must be 2 or more. Received: 1" in capsys.readouterr().err


def _growth(path):
    """The number of words added by the copies, because roles are longer than names."""
    return sum(document.num_words for document in read_documents(path)) - 120
