"""The suite of corpora from other domains reports figures for each file and genre."""

import pytest
from answers import FACTS, Answer

from coref_tf.documents import Document, open_writer
from coref_tf.evaluation.suites.domains import DomainsSuite, domain_figures, mention_recall, short_names
from coref_tf.evaluation.suites.registry import all_suites, open_suite
from coref_tf.support.errors import CorefError

WORDS = [["Ana", "Ruiz", "said", "she", "left", "xyz", "."]]


def document(key="nw/a", clusters=(((0, 1), (3, 3)),)):
    return Document(key, WORDS, clusters=clusters)


def write(folder, name, *documents):
    with open_writer(folder / name) as write_document:
        for one in documents:
            write_document(one)
    return str(folder / name)


def test_figures_of_a_domain():
    wide = (0, 4)
    gold = document(clusters=[[(0, 1), (3, 3)], [(4, 4)], [wide]])
    figures = domain_figures([Answer(gold, [[(0, 1), (3, 3)]], [(0, 1), (3, 3), (4, 4)])], FACTS)
    assert figures["average_f1_without_singletons"] == 1
    assert figures["average_f1"] == figures["scores"]["average_f1"] < 1
    assert figures["mention_recall"] == 3 / 4 and figures["mention_recall_without_singletons"] == 1
    assert figures["singletons"] == 2 / 3
    assert figures["unknown_words"] == 1 / 7
    assert figures["wide_mentions"] == 1 / 4  # the mention of five words; L is 3


def test_a_row_for_each_file_and_genre(tmp_path):
    one = write(tmp_path, "one.jsonlines", document("nw/a"), document("bc/a"))
    two = write(tmp_path, "two.conll", document("wb/a"))
    suite = open_suite(f"conll={one},{two}")
    answers = [
        Answer(d, [list(c) for c in d.clusters] if d.genre != "bc" else [], []) for d in suite.documents
    ]
    result = suite.score(answers, FACTS)
    assert result.figures[one]["genres"]["nw"]["average_f1"] == 1
    assert result.figures[one]["genres"]["bc"]["average_f1"] == 0
    assert result.figures[two]["average_f1"] == 1
    names = [row[0] for row in result.tables[0].rows]
    assert names == ["one.jsonlines", "  bc", "  nw", "two.conll"]
    assert not result.warnings


def test_intervals_need_enough_documents():
    def interval(found, missed):
        answers = [[[(0, 1), (3, 3)]]] * found + [[]] * missed
        figures = domain_figures([Answer(document(f"nw/{n}"), a) for n, a in enumerate(answers)], FACTS)
        return figures["interval_without_singletons"]

    within = interval(found=5, missed=5)
    assert (
        0.2 < within["low"] < 2 / 3 < within["high"] < 1
    )  # F1 is 2/3, since precision is 1 and recall is 1/2
    assert interval(found=10, missed=0) == {"low": 1.0, "high": 1.0}
    assert interval(found=9, missed=0) is None


def test_short_names_are_unique():
    paths = ["x/litbank/dev.conll", "x/ontogum/dev.conll", "x/test.conll"]
    assert list(short_names(paths).values()) == ["litbank/dev.conll", "ontogum/dev.conll", "test.conll"]
    assert short_names(["dev.conll", "./a/dev.conll"])["dev.conll"] == "dev.conll"


def test_singletons_and_unknown_words_give_warnings(tmp_path):
    strange = [Document(f"nw/{n}", [["xyz", "xyz", ".", ".", "left"]], clusters=[[(0, 0)]]) for n in range(5)]
    suite = DomainsSuite(write(tmp_path, "one.jsonlines", *strange))
    warnings = suite.score([Answer(d, []) for d in suite.documents], FACTS).warnings
    assert "100% of the gold clusters are singletons" in warnings[0]
    assert "document nw/0_0: 67% of its words are unknown" in warnings[1]
    assert "2 more documents" in warnings[-1] and len(warnings) == 5


def test_documents_without_clusters_or_words():
    figures = domain_figures([Answer(Document("a", []), [])], FACTS)
    assert figures["average_f1"] == figures["mention_recall"] == figures["unknown_words"] == 0
    assert mention_recall([]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "gpa=x.tsv",
            r"no suite gpa \(did you mean gap\?\); expected gap=FILE.tsv, winobias=.*, behaviour.* or quotations",
        ),
        ("gap", r"names no files; expected gap=FILE.tsv"),
        ("gap=", r"names no files; expected gap=FILE.tsv"),
        ("conll=a.conll,b", "b|a.conll"),
    ],
)
def test_errors_name_the_mistake(words, message):
    with pytest.raises((CorefError, FileNotFoundError), match=message):
        open_suite(words)


def test_a_repeated_file_is_refused(tmp_path):
    path = write(tmp_path, "one.jsonlines", document())
    with pytest.raises(CorefError, match="twice"):
        open_suite(f"conll={path},{path}")


def test_every_suite_has_a_description():
    assert list(all_suites()) == ["gap", "winobias", "conll", "behaviour", "quotations"]
    assert all(suite.argument and suite.summary for suite in all_suites().values())
