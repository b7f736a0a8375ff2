"""WinoBias: F1 of each set and gender, and the gaps between pro- and anti-stereotypical sets."""

import pytest
from answers import FACTS, Answer

from coref_tf.documents import Document, open_writer
from coref_tf.evaluation.suites.winobias import WinoBiasSuite, find_sets, pronoun_gender
from coref_tf.support.errors import CorefError

SENTENCE = "The cook called the guard because {} was late ."


def write_set(folder, of_type, kind, pronouns):
    documents = [
        Document(f"nw/{kind}{of_type}/{n}", [SENTENCE.format(pronoun).split()], clusters=[[(0, 1), (6, 6)]])
        for n, pronoun in enumerate(pronouns)
    ]
    with open_writer(folder / f"dev_type{of_type}_{kind}_stereotype.v4_auto_conll", "conll") as write:
        for document in documents:
            write(document)


@pytest.fixture
def folder(tmp_path):
    for of_type in "12":
        for kind in ("pro", "anti"):
            write_set(tmp_path, of_type, kind, ["he", "she"])
    return tmp_path


def test_gaps_between_the_sets(folder):
    suite = WinoBiasSuite(str(folder))
    assert len(suite.documents) == 8

    def answer(document):
        # All are correct except the feminine pronoun of the anti-stereotypical set of type 1, which is missed.
        missed = document.doc_key == "nw/anti1/1"
        return Answer(document, [] if missed else [list(cluster) for cluster in document.clusters])

    figures = suite.score([answer(document) for document in suite.documents], FACTS).figures["dev"]
    nothing_to_draw, all_of_it = {"low": 0.0, "high": 0.0}, {"low": 1.0, "high": 1.0}
    right = {"pro": 1.0, "anti": 1.0, "average": 1.0, "gap": 0.0, "gap_interval": nothing_to_draw}
    assert figures["type2"]["all"] == right
    missed = {"pro": 1.0, "anti": 0.0, "average": 0.5, "gap": 1.0, "gap_interval": all_of_it}
    assert figures["type1"]["feminine"] == missed
    assert figures["type1"]["masculine"]["gap"] == 0
    # With half of the mentions, MUC, B-cubed and CEAF-e all have precision 1 and recall 1/2.
    assert figures["type1"]["all"]["anti"] == pytest.approx(2 / 3)
    assert figures["type1"]["all"]["gap"] == pytest.approx(1 / 3)
    assert figures["mean"]["all"]["anti"] == pytest.approx(5 / 6)
    assert figures["mean"]["all"]["gap"] == pytest.approx(1 / 6)
    # A bootstrap sample contains the missed document never, once or twice: its gap is 0, 1/3 or 1.
    assert figures["type1"]["all"]["gap_interval"] == {"low": 0.0, "high": 1.0}
    assert figures["mean"]["all"]["gap_interval"] == {"low": 0.0, "high": 0.5}


def test_an_empty_group_has_no_figure(tmp_path):
    for of_type in "12":
        for kind in ("pro", "anti"):
            write_set(tmp_path, of_type, kind, ["he"])
    suite = WinoBiasSuite(str(tmp_path))
    result = suite.score([Answer(document, []) for document in suite.documents], FACTS)
    assert set(result.figures["dev"]["type1"]["feminine"].values()) == {None}
    assert result.tables[0].as_text().splitlines()[4] == "  feminine"


def test_gender_is_that_of_the_gold_pronoun():
    words = ["He", "told", "the", "cook", "that", "she", "was", "late"]
    assert pronoun_gender(Document("a", [words], clusters=[[(2, 3), (5, 5)]])) == "feminine"
    assert pronoun_gender(Document("a", [words], clusters=[[(2, 3)]])) is None


def test_all_four_sets_are_needed(folder):
    next(folder.glob("*type2_anti*")).unlink()
    with pytest.raises(CorefError, match=r"has no dev_type2_anti_stereotype.v4_auto_conll"):
        WinoBiasSuite(str(folder))
    with pytest.raises(CorefError, match="no such folder"):
        WinoBiasSuite(str(folder / "nowhere"))


def test_the_published_sets_are_read(shared):
    assert len(find_sets(str(shared / "data" / "winobias"))) == 4
    suite = WinoBiasSuite(str(shared / "data" / "winobias"))
    assert len(suite.documents) == 4 * 396
    assert all(pronoun_gender(document) for document in suite.documents)
