"""Errors between predicted and gold clusters: examples of each kind, and random clusters against set arithmetic."""

import random

import pytest

from coref_tf.documents import Document
from coref_tf.evaluation.errors.corrections import (
    CONFLATED,
    DIVIDED,
    ERROR_KINDS,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    MISSING_ENTITY,
    MISSING_MENTION,
    SPAN,
    correct,
    distinct,
)
from coref_tf.evaluation.errors.measure import DocumentErrors, ErrorCounts
from coref_tf.evaluation.errors.mention_kinds import MentionKinds
from coref_tf.evaluation.errors.page import letters, marked_text
from coref_tf.evaluation.errors.tables import error_tables

#        0     1        2    3     4      5    6        7     8    9   10    11  12     13  14    15   16
WORDS = [
    "Maria",
    "Pereira",
    "told",
    "the",
    "young",
    "guard",
    "yesterday",
    "that",
    "she",
    "saw",
    "him",
    "while",
    "he",
    "slept",
    ".",
    "Both",
    "left",
]
MARIA, SHE, GUARD, YOUNG_GUARD, HIM, HE, BOTH = (0, 1), (8, 8), (5, 5), (3, 5), (10, 10), (12, 12), (15, 15)
GOLD = [[MARIA, SHE], [YOUNG_GUARD, HIM, HE]]


def document(gold=GOLD, key="nw/a"):
    return Document(key, [WORDS[:15], WORDS[15:]], clusters=gold, key=key)


def found(predicted, gold=GOLD):
    errors = correct(gold, predicted, MentionKinds(document(gold))).errors
    return [(error.kind, list(error.mentions), error.mention_kind, list(error.other)) for error in errors]


def test_each_kind_of_error():
    assert found(GOLD) == []
    assert found([GOLD[0], [GUARD, HIM, HE]]) == [(SPAN, [GUARD], "nominal", [YOUNG_GUARD])]
    assert found([GOLD[0] + GOLD[1]]) == [(CONFLATED, [MARIA, SHE], "name", [YOUNG_GUARD, HIM, HE])]
    assert found([[*GOLD[0], BOTH], GOLD[1]]) == [(EXTRA_MENTION, [BOTH], "nominal", [MARIA, SHE])]
    assert found([*GOLD, [BOTH, (16, 16)]]) == [(EXTRA_ENTITY, [BOTH, (16, 16)], "nominal", [])]
    # A gold entity that is predicted as two clusters.
    four = [[YOUNG_GUARD, HIM, HE, BOTH]]
    assert found([[YOUNG_GUARD, HIM], [HE, BOTH]], four) == [
        (DIVIDED, [HE, BOTH], "nominal", [YOUNG_GUARD, HIM])
    ]
    assert found([GOLD[0], [YOUNG_GUARD, HE]]) == [(MISSING_MENTION, [HIM], "pronoun", [YOUNG_GUARD, HE])]
    assert found([GOLD[0]]) == [(MISSING_ENTITY, [YOUNG_GUARD, HIM, HE], "nominal", [])]


def test_a_mention_of_the_wrong_entity_is_split_off_and_joined():
    assert found([[MARIA, SHE, HIM], [YOUNG_GUARD, HE]]) == [
        (CONFLATED, [HIM], "pronoun", [MARIA, SHE]),
        (DIVIDED, [HIM], "pronoun", [YOUNG_GUARD, HE]),
    ]


def test_nothing_predicted_and_nothing_to_find():
    assert [kind for kind, *_ in found([])] == [MISSING_ENTITY, MISSING_ENTITY]
    assert found([], []) == []
    assert found([[MARIA, SHE]], []) == [(EXTRA_ENTITY, [MARIA, SHE], "name", [])]


def random_clusters(generator, mentions):
    chosen = [mention for mention in mentions if generator.random() < 0.7]
    clusters = {}
    for mention in chosen:
        clusters.setdefault(generator.randrange(4), []).append(mention)
    return list(clusters.values())


def test_counts_equal_set_arithmetic_and_all_corrections_give_the_gold_clusters():
    generator = random.Random(3)
    # The heads of one-word mentions differ, so that there are no span errors.
    mentions = [(n, n) for n in range(12)]
    for _ in range(200):
        gold, predicted = random_clusters(generator, mentions), random_clusters(generator, mentions)
        errors, steps = correct(gold, predicted, MentionKinds(document()))
        assert {frozenset(c) for c in steps[-1]} == {frozenset(c) for c in gold}
        assert {frozenset(c) for c in steps[0]} == {frozenset(c) for c in predicted}
        kinds = [error.kind for error in errors]
        sets, entities = [set(c) for c in predicted], [set(c) for c in gold]
        right = set().union(*entities)
        seen = set().union(*sets)
        parts = [(s, e) for s in range(len(sets)) for e in range(len(entities)) if sets[s] & entities[e]]
        assert kinds.count(SPAN) == 0
        assert kinds.count(CONFLATED) == len(parts) - len({s for s, _ in parts})
        assert kinds.count(DIVIDED) == len(parts) - len({e for _, e in parts})
        assert kinds.count(EXTRA_ENTITY) == sum(not s & right for s in sets)
        assert kinds.count(EXTRA_MENTION) == sum(len(s - right) for s in sets if s & right)
        assert kinds.count(MISSING_ENTITY) == sum(not e & seen for e in entities)
        assert kinds.count(MISSING_MENTION) == sum(len(e - seen) for e in entities if e & seen)


def test_the_table_adds_up():
    wrong = [[MARIA, HIM, (9, 9)], [GUARD, HE]]
    counts = ErrorCounts(
        [DocumentErrors(document(key="nw/a"), wrong), DocumentErrors(document(key="bc/b"), GOLD)]
    )
    assert counts.f1(len(ERROR_KINDS)) == 1
    assert counts.f1() + sum(counts.gain(kind) for kind in ERROR_KINDS) == pytest.approx(1)
    assert counts.worst(5)[0].document.key == "nw/a" and len(counts.worst(5)) == 1
    genres = counts.per_genre()
    assert genres["bc"].f1() == 1 and genres["nw"].f1() < counts.f1() < 1
    steps, by_mention, by_genre = error_tables({"best": counts})
    assert steps.rows[0][2] == 100 * counts.f1() and steps.rows[-1][2] == 100
    assert steps.rows[-1][1] == sum(row[1] for row in steps.rows[1:-1]) == len(counts.worst(1)[0].errors)
    for row in by_mention.rows:
        assert sum(row[1:]) == counts.count(row[0])
    assert [row[0] for row in by_genre.rows] == ["all", "bc", "nw"]
    two = error_tables({"best": counts, "other": counts})
    assert two[0].columns[1] == "best: errors" and len(two[0].rows[0]) == len(two[0].columns) == 7


def test_a_gold_mention_in_two_clusters_counts_in_the_first():
    twice = document([[MARIA, SHE], [SHE, HE], [BOTH]])
    assert distinct(twice) == [[MARIA, SHE], [HE], [BOTH]]
    assert distinct(twice, remove_singletons=True) == [[MARIA, SHE]]
    assert ErrorCounts([DocumentErrors(twice, [])]).f1(len(ERROR_KINDS)) == 1


@pytest.mark.parametrize(
    ("words", "kind", "head"),
    [
        ("she", "pronoun", "she"),
        ("each other", "pronoun", "other"),
        ("Ana Ruiz", "name", "Ruiz"),
        ("Ana Ruiz 's", "name", "Ruiz"),
        ("the mother of Ana", "nominal", "mother"),
        ("Ana 's mother", "nominal", "mother"),
        ("the woman who called", "nominal", "woman"),
        ("Ana and her mother", "nominal", "and"),
        ("that guard", "nominal", "guard"),
        ("Peter , a guard", "name", "Peter"),
    ],
)
def test_kinds_and_heads_of_mentions(words, kind, head):
    words = words.split()
    text = Document("a", [["We", "saw", *words]])
    kinds, span = MentionKinds(text), (2, len(words) + 1)
    assert kinds.kind(span) == kind
    assert text.words[kinds.head(span)] == head


def test_capitals_and_tags():
    text = Document("a", [["Children", "play", "."], ["Rome", "likes", "children"]])
    assert MentionKinds(text).kind((0, 0)) == "nominal" and MentionKinds(text).kind((3, 3)) == "name"
    tagged = Document("a", [["Rome", "iPhone"]], pos=[["NN", "NNP"]])
    assert MentionKinds(tagged).kind((0, 0)) == "nominal" and MentionKinds(tagged).kind((1, 1)) == "name"
    untagged = Document("a", [["Rome"]], pos=[["-"]])
    assert MentionKinds(untagged).kind((0, 0)) == "name"


def test_marks_show_gold_and_predicted():
    text = Document("a", [["<Ana>", "met", "her"], ["She", "left"]], clusters=[[(0, 0), (2, 2)]])
    shown = marked_text(DocumentErrors(text, [[(0, 0), (3, 3)]]))
    assert shown.startswith('<b class="right">[</b>&lt;Ana&gt;<b class="right">]<sub>1a</sub></b> met ')
    assert '<b class="missing">‹</b>her<b class="missing">›<sub>1</sub></b><br>' in shown
    assert '<b class="extra">{</b>She<b class="extra">}<sub>a</sub></b> left' in shown
    assert [letters(n) for n in (0, 25, 26, 51, 52, 702)] == ["a", "z", "aa", "az", "ba", "aaa"]
