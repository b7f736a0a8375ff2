"""Antecedents chosen by a coarse score equal those from a table of all pairs, gradients included, in less memory."""

import numpy as np
import oracles
import pytest
import tensorflow as tf
from oracles_model import refine_spans

from coref_tf.inference import memory
from coref_tf.layers import antecedent_scorer, span_refinement
from coref_tf.layers.antecedent_scorer import Antecedents, AntecedentScorer
from coref_tf.layers.pair_features import PairFeatures, SpanFacts
from coref_tf.layers.span_representation import SpanPart

SIZE = 6
PAPER = ("speaker", "genre", "distance")


def coarse_scorer(max_antecedents, backend="custom", rounds=1):
    features, options = PairFeatures(PAPER, 2, 1), {"backend": backend, "rounds": rounds}
    scorer = AntecedentScorer(SIZE, features, max_antecedents, 1, units=4, strategy="coarse", **options)
    generator = np.random.default_rng(0)
    for variable in scorer.variables:
        variable.assign(generator.normal(size=variable.shape) / np.sqrt(variable.shape[0]))
    return scorer


def score_whole(scorer, g, mention_scores, spans):
    """The oracle: scores the antecedents chosen from a table of all pairs."""
    bilinear = g @ scorer.coarse_kernel @ tf.transpose(g)
    coarse = bilinear + mention_scores[:, tf.newaxis] + mention_scores
    indices, lengths = oracles.top_antecedents(coarse.numpy(), scorer.max_antecedents)

    def score(g):
        parts = [SpanPart(g, tf.range(tf.shape(g)[0]))]
        scores = scorer.pairs.chosen(parts, indices, spans) + tf.gather(coarse, indices, batch_dims=1)
        scores = tf.where(tf.sequence_mask(lengths, indices.shape[1]), scores, -float("inf"))
        return Antecedents(indices, lengths, tf.pad(scores, [[0, 0], [1, 0]]))

    antecedents = score(g)
    for _ in range(1, scorer.rounds):
        g = refine_spans(scorer.refinement, g, antecedents)
        antecedents = score(g)
    return antecedents


def random_spans(num_spans):
    generator = np.random.default_rng(num_spans)
    g = tf.Variable(generator.normal(size=[num_spans, SIZE]).astype(np.float32))
    mention_scores = tf.Variable(generator.normal(size=[num_spans]).astype(np.float32))
    speakers = generator.integers(2, size=num_spans).astype(np.int32)
    words = np.arange(num_spans, dtype=np.int32)
    return g, mention_scores, SpanFacts(words, words, speakers, np.ones(num_spans, np.int32), np.int32(0))


# Numbers of spans around multiples of the tile size, 5, and around K; the last two cases refine the spans.
@pytest.mark.parametrize(
    ("num_spans", "backend", "rounds"),
    [
        *((n, backend, 1) for n in (1, 4, 5, 6, 7, 10, 11, 23) for backend in ("custom", "portable")),
        (11, "portable", 2),
        (23, "custom", 2),
    ],
)
def test_equals_the_best_of_all_pairs_with_gradients(num_spans, backend, rounds, monkeypatch):
    monkeypatch.setattr(antecedent_scorer, "SPANS_PER_CHOICE", 5)
    monkeypatch.setattr(antecedent_scorer, "SPANS_PER_TILE", 5)
    monkeypatch.setattr(span_refinement, "SPANS_PER_TILE", 5)
    scorer = coarse_scorer(6, backend, rounds)
    g, mention_scores, spans = random_spans(num_spans)
    variables = [g, mention_scores, *scorer.trainable_variables]

    def score():
        parts = [SpanPart(tf.convert_to_tensor(g), tf.range(num_spans))]
        return scorer(parts, tf.convert_to_tensor(mention_scores), spans)

    results = []
    # Tracing is slow, so only cases with several tiles or rounds run as a graph.
    graph = tf.function(score, autograph=False) if num_spans == 23 or rounds == 2 else score
    for run in (lambda: score_whole(scorer, g, mention_scores, spans), graph):
        with tf.GradientTape() as tape:
            found = run()
            loss = tf.reduce_sum(tf.math.softplus(found[2]))
        gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
        results.append((*found, *map(tf.convert_to_tensor, gradients)))
    for expected, ours in zip(*results, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rounds", [1, 2])
def test_no_spans(rounds):
    g, mention_scores, spans = random_spans(0)
    found = coarse_scorer(6, rounds=rounds)([SpanPart(g + 0, tf.range(0))], mention_scores + 0, spans)
    assert [tensor.shape.as_list() for tensor in found] == [[0, 0], [0], [0, 1]]


def test_no_table_of_all_pairs_is_stored():
    scorer = coarse_scorer(5)
    num_spans = 12_000  # a table of all pairs would take 576 MB
    g, mention_scores, spans = random_spans(num_spans)
    score = tf.function(
        lambda: scorer([SpanPart(g + 0, tf.range(num_spans))], mention_scores + 0, spans), autograph=False
    )
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # resets the peak
    before = memory.peak_bytes()
    assert score().indices.shape == [num_spans, 5]
    assert memory.peak_bytes() - before < 150 * 2**20
