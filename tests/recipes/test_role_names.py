"""Names of people are replaced by roles, independently of their pronouns."""

import pytest

from coref_tf.documents.document import Document
from recipes.english.role_excerpts import RoleExcerpts
from recipes.english.role_names import ROLES, RoleNames, names_of_person

ANA = "Ana Ruiz 's brother saw Mr. Diaz . Ana , a teacher , laughed at him ; she knew Diaz ."
CLUSTERS = [[(0, 2), (8, 12), (17, 17)], [(5, 6), (15, 15), (19, 19)]]


def document(words=ANA, clusters=CLUSTERS, name="nw/ana"):
    row = words.split()
    middle = row.index(".") + 1
    return Document(name, [row[:middle], row[middle:]], clusters=clusters)


def texts(changed):
    return [[" ".join(changed.words[begin : end + 1]) for begin, end in each] for each in changed.clusters]


def test_names_become_roles_and_mentions_move_with_them():
    changed = RoleNames(share=1.0)(document())
    (ana, _, she), (diaz, him, again) = texts(changed)
    role = ana.removesuffix(" 's").removeprefix("The ")
    other = diaz.removeprefix("the ")
    assert tuple(role.split()) in ROLES and tuple(other.split()) in ROLES and role != other
    assert texts(changed) == [
        [f"The {role} 's", f"The {role} , a teacher ,", "she"],
        [f"the {other}", "him", f"the {other}"],
    ]
    assert " ".join(changed.words) == (
        f"The {role} 's brother saw the {other} . The {role} , a teacher , laughed at him ; she knew the {other} ."
    )
    assert changed.doc_key == "nw/ana_roles" and (she, him, again) == ("she", "him", f"the {other}")


def test_roles_depend_on_the_seed_and_the_document():
    first, second = (RoleNames(share=1.0, seed=seed)(document()).words for seed in (0, 1))
    assert first == RoleNames(share=1.0, seed=0)(document()).words != second
    assert RoleNames(share=1.0)(document(name="nw/other")).words != first


@pytest.mark.parametrize(
    ("words", "clusters"),
    [
        ("Oslo grew . It is large .", [[(0, 0), (3, 3)]]),  # no person
        ("A nurse came . She laughed .", [[(0, 1), (4, 4)]]),  # no name
        (
            "My sister Ana left . She and Ana ran .",
            [[(0, 2), (5, 5), (7, 7)]],
        ),  # a name inside a longer phrase, which would remain
        (
            "Ana Ruiz left . She met the Ruiz clan .",
            [[(0, 1), (4, 4)], [(1, 1), (7, 7)]],
        ),  # the name contains a mention
    ],
)
def test_names_that_cannot_become_roles(words, clusters):
    given = document(words, clusters)
    assert not names_of_person(given, given.clusters[0])
    assert RoleNames(share=1.0)(given) is None


def test_speakers_stay_with_what_they_say():
    words = document().sentences
    dialogue = Document("nw/talk", words, [["a"] * len(words[0]), ["b"] * len(words[1])], CLUSTERS)
    changed = RoleNames(share=1.0)(dialogue)
    assert [set(row) for row in changed.speakers] == [{"a"}, {"b"}]


def test_excerpts_have_two_people_with_random_pronouns():
    rain = ["It", "rained", "."]
    long = Document("nw/ana", [*document().sentences, rain, rain], clusters=CLUSTERS)
    found = [excerpt for seed in range(20) for excerpt in RoleExcerpts(2, seed)(long)]
    assert len(found) == 20 and all(len(excerpt.sentences) == 2 for excerpt in found)
    pronouns = {
        tuple(texts(excerpt)[number][place] for number, place in ((0, 2), (1, 1))) for excerpt in found
    }
    assert pronouns == {("she", "him"), ("he", "him"), ("she", "her"), ("he", "her")}
    assert texts(found[0])[0][1].endswith(" , a teacher ,"), "mentions move with the words before them"
    again = [excerpt for seed in range(20) for excerpt in RoleExcerpts(2, seed)(long)]
    assert again == found and len({excerpt.words for excerpt in found}) > 10
    assert not [
        *RoleExcerpts(1)(
            Document("nw/ben", [["Ben", "ran", "."], ["He", "fell", "."]], clusters=[[(0, 0), (3, 3)]])
        )
    ]


def test_people_with_gendered_nouns_keep_their_pronouns():
    words = "Ben Cole , an old man , met Ann Hill ; he knew her ."
    clusters = [[(0, 1), (3, 5), (11, 11)], [(8, 9), (13, 13)]]
    given = Document("nw/ben", [words.split()], clusters=clusters)
    found = [texts(excerpt) for seed in range(20) for excerpt in RoleExcerpts(1, seed)(given)]
    assert {(ben[2], ann[1]) for ben, ann in found} == {("he", "her"), ("he", "him")}
