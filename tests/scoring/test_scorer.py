"""The C++ scorer equals the oracle and hand-computed examples, and behaves as documented."""

import random

import pytest

from benchmarks.plain_metrics import coref_figures
from coref_tf.scoring import METRICS, MetricScore, Scorer, score
from coref_tf.support.errors import CorefError

FIGURES = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")


def figures(metric_score) -> list[float]:
    return [getattr(metric_score, name) for name in FIGURES]


def all_figures(scores) -> dict[str, list[float]]:
    by_metric = {name: figures(scores[name]) for name in (*METRICS, "mentions") if name != "blanc"}
    by_metric["coreference_links"] = figures(scores.blanc.coreference_links)
    by_metric["non_coreference_links"] = figures(scores.blanc.non_coreference_links)
    return by_metric


def random_clusters(rng: random.Random, mentions: int, clusters: int, repeats: int) -> list[list]:
    result = [[] for _ in range(clusters)]
    for mention in rng.sample(range(mentions), rng.randint(0, mentions)):
        rng.choice(result).append((mention, mention + mention % 3))
    placed = [mention for cluster in result for mention in cluster]
    for _ in range(repeats if placed else 0):
        rng.choice(result).append(rng.choice(placed))
    return result  # some clusters are empty


@pytest.mark.parametrize("repeats", [0, 3])
def test_equals_the_oracle_on_random_clusterings(repeats):
    rng = random.Random(repeats)
    for _ in range(1000):
        size = rng.choice([1, 3, 8, 20, 40])
        key, response = (random_clusters(rng, size, rng.randint(1, size), repeats) for _ in range(2))
        expected = coref_figures(key, response)
        actual = all_figures(score(key, response, allow_repeated=True))
        assert actual == {name: pytest.approx(expected[name], abs=1e-9) for name in actual}, (key, response)


@pytest.mark.parametrize(
    "as_mention",
    [
        lambda m: m,
        lambda m: (-m, m),
        lambda m: (float(m), m),
        lambda m: f"mention {m}",
        lambda m: frozenset([m]),
        lambda m: (2**40, m) if m % 2 else (m, m + 1),
    ],
)
def test_mentions_may_be_any_hashable_objects(as_mention):
    key, response = [[1, 2, 3], [4, 5]], [[1, 2], [3, 4, 5, 6]]
    plain = score([[(m, m) for m in c] for c in key], [[(m, m) for m in c] for c in response])
    assert (
        score([[as_mention(m) for m in c] for c in key], [[as_mention(m) for m in c] for c in response])
        == plain
    )


def test_equal_mentions_of_different_types_are_one_mention():
    assert score([[(1, 2), (3, 4)]], [[(1.0, 2.0), (True + 2, 4)]]).muc == MetricScore(1, 1, 1, 1)
    assert score([[(1.0, 2.0), "x"]], [[(1, 2), "x"]]).muc == MetricScore(1, 1, 1, 1)


def test_clusters_may_be_any_iterables():
    expected = score([["a", "b"], ["c"]], [["a", "b", "c"]])
    assert score(({"a", "b"}, frozenset("c")), (iter(cluster) for cluster in [["a", "b", "c"]])) == expected
    assert score([["a", "b"], [], ["c"]], [[], ["a", "b", "c"]]) == expected  # empty clusters don't count


class TestHandComputed:
    """Figures for the key {a b c} {d e f g} and the response {a b} {c d} {f g h i}."""

    KEY = (list("abc"), list("defg"))
    RESPONSE = (list("ab"), list("cd"), list("fghi"))

    def test_lea(self):
        # Links found are 1 of 3 in {a b c} and 1 of 6 in {d e f g}; in the response, 1 of 1, 0 of 1 and 1 of 6.
        lea = score(self.KEY, self.RESPONSE).lea
        assert figures(lea) == pytest.approx([3 * 1 / 3 + 4 * 1 / 6, 7, 2 * 1 + 2 * 0 + 4 * 1 / 6, 8])
        assert lea.recall == pytest.approx(5 / 21)
        assert lea.precision == pytest.approx(1 / 3)
        assert lea.f1 == pytest.approx(5 / 18)

    def test_lea_of_singletons(self):
        # A singleton has one link, to itself, which is found if the other side has the same singleton.
        lea = score([["a"], ["b"], ["c", "d"]], [["a"], ["b", "c"], ["d"], ["x"]]).lea
        assert figures(lea) == [1, 4, 1, 5]

    def test_blanc(self):
        # The key has 3 + 6 coreference links and 12 non-coreference links, the response 1 + 1 + 6 and 4 + 8 + 8.
        # They share the coreference links ab fg and the non-coreference links ad af ag bd bf bg cf cg.
        blanc = score(self.KEY, self.RESPONSE).blanc
        assert figures(blanc.coreference_links) == [2, 9, 2, 8]
        assert figures(blanc.non_coreference_links) == [8, 12, 8, 20]
        assert blanc.recall == pytest.approx((2 / 9 + 8 / 12) / 2)
        assert blanc.precision == pytest.approx((2 / 8 + 8 / 20) / 2)
        assert blanc.f1 == pytest.approx((4 / 17 + 1 / 2) / 2)
        assert figures(blanc) == [blanc.recall, 1, blanc.precision, 1]

    def test_blanc_where_the_key_has_no_links_of_one_kind(self):
        one_cluster = score([["a", "b", "c"]], [["a", "b"], ["c"]]).blanc
        assert (one_cluster.recall, one_cluster.precision, one_cluster.f1) == (1 / 3, 1, 1 / 2)
        singletons = score([["a"], ["b"], ["c"]], [["a", "b"], ["c"]]).blanc
        assert (singletons.recall, singletons.precision, singletons.f1) == (2 / 3, 1, pytest.approx(4 / 5))
        one_mention = score([["a"]], [["a"]]).blanc
        assert (one_mention.recall, one_mention.precision, one_mention.f1) == (0, 0, 0)

    def test_blanc_where_the_response_has_no_links_of_one_kind(self):
        # Both kinds count, because the key has both: coreference 1 of 1 and 1 of 3, non-coreference 0 of 2 and 0 of 0.
        blanc = score([["a", "b"], ["c"]], [["a", "b", "c"]]).blanc
        assert (blanc.recall, blanc.precision, blanc.f1) == (1 / 2, 1 / 6, 1 / 4)

    def test_muc_b_cubed_ceaf_and_their_average(self):
        scores = score(self.KEY, self.RESPONSE)
        assert figures(scores.mentions) == [6, 7, 6, 8]
        assert figures(scores.muc) == [2, 5, 2, 5]
        assert figures(scores.bcub) == pytest.approx(
            [2 * 2 / 3 + 1 / 3 + 1 / 4 + 2 * 2 / 4, 7, 2 + 1 / 2 * 2 + 1, 8]
        )
        assert figures(scores.ceafm) == [4, 7, 4, 8]
        assert figures(scores.ceafe) == pytest.approx([4 / 5 + 4 / 8, 2, 4 / 5 + 4 / 8, 3])
        f1 = [2 * 2 / 10, scores.bcub.f1, 2 * 1.3 / 5]
        assert scores.average_f1 == pytest.approx(sum(f1) / 3)


class TestRepeatedMentions:
    def test_in_one_response_cluster_counts_once(self):
        assert score([["a", "b"]], [["a", "b", "a"]]) == score([["a", "b"]], [["a", "b"]])

    def test_spurious_mention_counts_every_time(self):
        scores = score([["a", "b"]], [["a", "b", "x", "x"]])
        assert figures(scores.bcub) == [2, 2, 1, 4]
        assert figures(scores.mentions) == [2, 2, 2, 3]

    def test_in_two_response_clusters_is_an_error(self):
        scorer = Scorer()
        message = (
            r"document nw/x: a mention must be in one response cluster. Received: \(1, 2\) in the clusters"
        )
        with pytest.raises(CorefError, match=f"{message} 0 and 2"):
            scorer.add([[(1, 2), (3, 4)]], [[(1, 2), (3, 4)], [], [(5, 6), (1, 2)]], document="nw/x")
        assert scorer.documents == []

    def test_in_two_response_clusters_counts_in_the_first_if_allowed(self):
        key = [["a", "b"], ["c", "d"]]
        scorer = Scorer(allow_repeated=True)
        scorer.add(key, [["a", "b"], ["a", "c", "d"]])
        assert scorer.result() == score(key, [["a", "b"], ["c", "d"]])
        assert scorer.repeats_dropped == 1

    def test_in_the_key_count_every_time(self):
        scores = score([["a", "b"], ["b", "c"]], [["a", "b"]])
        assert figures(scores.ceafm) == [2, 4, 2, 2]
        assert figures(scores.muc) == [0, 2, 0, 1]  # b belongs to the last cluster that contains it


class TestEmpty:
    @pytest.mark.parametrize(("key", "response"), [([], []), ([["a", "b"]], []), ([], [["a", "b"]])])
    def test_sides_score_zero(self, key, response):
        scores = score(key, response)
        assert scores.average_f1 == 0
        for name in METRICS:
            assert (scores[name].recall, scores[name].precision, scores[name].f1) == (0, 0, 0)
        assert figures(scores.mentions) == [0, 2 * len(key), 0, 2 * len(response)]

    def test_scorer_scores_zero(self):
        assert Scorer().result().average_f1 == 0


class TestManyDocuments:
    @pytest.fixture(scope="class")
    def documents(self):
        rng = random.Random(5)
        return [
            (f"{'nw' if i % 2 else 'bc'}/{i}", *(random_clusters(rng, 30, 9, 0) for _ in range(2)))
            for i in range(60)
        ]

    def test_figures_are_sums(self, documents):
        scorer = Scorer()
        scorer.add_all(documents)
        expected = [coref_figures(key, response) for _, key, response in documents]
        for name, actual in all_figures(scorer.result()).items():
            assert actual == pytest.approx(
                [sum(column) for column in zip(*(e[name] for e in expected), strict=True)]
            )

    def test_result_does_not_depend_on_threads_order_or_split(self, documents):
        alone = Scorer(threads=1)
        alone.add_all(documents)
        for threads in (2, 7):
            scorer = Scorer(threads=threads)
            scorer.add_all(documents)
            assert scorer.figures == alone.figures
        first, second = Scorer(), Scorer()
        for document, key, response in reversed(documents):
            (first if document.startswith("nw") else second).add(key, response, document=document)
        first.merge(second)
        assert first.result() == alone.result()
        assert first.per_document() == alone.per_document()

    def test_genres(self, documents):
        scorer, news = Scorer(), Scorer()
        scorer.add_all(documents)
        news.add_all(document for document in documents if document[0].startswith("nw/"))
        scorer.add([["a", "b"]], [["a", "b"]], document="no genre")
        scorer.add([["a", "b"]], [["a", "b"]])
        assert list(scorer.per_genre()) == ["bc", "nw"]
        assert scorer.per_genre()["nw"] == news.result()

    def test_document_twice_is_an_error(self):
        scorer, other = Scorer(), Scorer()
        scorer.add([], [], document="nw/x")
        other.add([], [], document="nw/x")
        for again in (lambda: scorer.add([], [], document="nw/x"), lambda: scorer.merge(other)):
            with pytest.raises(CorefError, match="document nw/x has already been scored"):
                again()


def test_only_the_requested_metrics():
    scores = score([["a", "b"]], [["a", "b"]], metrics=["lea", "muc"])
    assert scores.lea.f1 == scores.muc.f1 == 1
    assert scores.bcub is scores.blanc is scores.average_f1 is None
    assert list(scores.as_dict()) == ["muc", "lea", "mentions", "average_f1"]
    with pytest.raises(CorefError, match="scores by muc cannot be merged into scores by bcub"):
        Scorer(["bcub"]).merge(Scorer("muc"))
    with pytest.raises(CorefError, match="unknown metric 'b3'; expected some of muc, bcub"):
        Scorer(["b3"])
    with pytest.raises(CorefError, match="no metric; expected some of"):
        Scorer([])


def test_remove_singletons():
    key, response = [["a", "b"], ["c"]], [["a", "b"], ["d"], ["e", "e"]]
    assert score(key, response, remove_singletons=True) == score([["a", "b"]], [["a", "b"]])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([[[1, 2]]], r"mentions must be hashable, such as \(start, end\) tuples. Received: \[1, 2\]"),
        ([3], "a cluster of the key must be a list. Received: 3"),
        (["ab"], "a cluster of the key must be a list. Received: 'ab'"),
        (None, "the clusters of the key must be a list. Received: None"),
    ],
)
def test_invalid_clusters_are_refused(key, message):
    with pytest.raises(CorefError, match=message):
        score(key, [])


def test_exceptions_of_iterables_are_propagated():
    def clusters():
        yield ["a"]
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        score(clusters(), [])
