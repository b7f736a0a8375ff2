"""Compares the scorer with a plain-Python implementation of the same metrics that uses scipy's assignment."""

import random
import time
from collections.abc import Callable

from benchmarks.plain_metrics import bcub, ceaf, coref_figures, muc, phi4, without_repeats
from coref_tf.scoring import METRICS, Scorer
from coref_tf.scoring.conll_pairs import read_pairs
from coref_tf.support.environment import ROOT

CORPUS = ROOT.parent / "shared" / "data" / "ontogum" / "dev.english.v4_gold_conll"
REPEATS = 5


def run() -> list[dict]:
    """Times both scorers on the same documents with damaged responses, for all metrics and for the CoNLL metrics."""
    corpus, keys = _corpus()
    rng = random.Random(0)
    documents = [(f"document {i}", key, damaged(key, rng)) for i, key in enumerate(keys)]
    mentions = sum(len(cluster) for _, *sides in documents for clusters in sides for cluster in clusters)
    rows = []
    for name, plain, metrics in (
        ("all metrics", coref_figures, METRICS),
        ("muc, bcub, ceafe", _conll_figures, ("muc", "bcub", "ceafe")),
    ):
        plain_seconds, seconds = _times(documents, plain, metrics)
        row = {"benchmark": f"scoring: {name}", "corpus": corpus, "documents": len(documents)}
        row |= {"mentions": mentions, "plain_python_seconds": plain_seconds, "seconds": seconds}
        rows.append(row | {"times_faster": plain_seconds / seconds})
    return rows


def damaged(key: list[list[tuple[int, int]]], rng: random.Random) -> list[list[tuple[int, int]]]:
    """Returns a response with mentions removed, moved to other clusters or given wrong ends, without repeats."""
    response, seen = [[] for _ in key], set()
    for number, cluster in enumerate(key):
        for start, end in cluster:
            chance = rng.random()
            mention = (start, end + 1) if chance < 0.1 else (start, end)
            if chance > 0.85 or mention in seen:
                continue
            seen.add(mention)
            response[rng.randrange(len(key)) if rng.random() < 0.15 else number].append(mention)
    return response


def _corpus() -> tuple[str, list[list[list[tuple[int, int]]]]]:
    """Returns the gold clusters of OntoGUM's 30 dev documents or, if they are missing, random ones."""
    if CORPUS.exists():
        return "OntoGUM dev", [key for _, key, _ in read_pairs(CORPUS, CORPUS, allow_repeated=True)]
    rng = random.Random(1)
    return "made up, like OntoGUM dev", [_made_up(rng) for _ in range(30)]


def _made_up(rng: random.Random) -> list[list[tuple[int, int]]]:
    """Returns about 130 mentions in 30 clusters; a few entities have most of them."""
    clusters = [[] for _ in range(rng.randint(20, 40))]
    starts = rng.sample(range(950), rng.randint(100, 160))
    for start in starts:
        clusters[int(len(clusters) * rng.random() ** 2)].append((start, start + rng.choice([0, 0, 1, 2, 5])))
    return [cluster for cluster in clusters if cluster]


def _conll_figures(key: list, response: list) -> list:
    response = without_repeats(key, response)
    ceafe = ceaf(key, response, phi4, weight=lambda cluster: 1)
    return [muc(key, response), bcub(key, response), ceafe]


def _times(documents: list[tuple], plain: Callable, metrics: tuple[str, ...]) -> tuple[float, float]:
    """Returns the shortest of several runs of each, alternating, so that other load on the machine affects both."""

    def score_plainly() -> None:
        for _, key, response in documents:
            plain(key, response)

    def score() -> None:
        scorer = Scorer(metrics)
        scorer.add_all(documents)
        scorer.result()

    turns = [(_time(score_plainly), *(_time(score) for _ in range(REPEATS))) for _ in range(REPEATS)]
    return min(turn[0] for turn in turns), min(min(turn[1:]) for turn in turns)


def _time(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
