"""What all layers promise: configurations that round-trip, and dropout where the paper puts it."""

import numpy as np
import pytest
import tensorflow as tf
from random_documents import random_inputs, small_model

from coref_tf.layers.antecedent_scorer import SPANS_PER_TILE
from coref_tf.layers.character_cnn import CharacterCNN
from coref_tf.layers.coupled_lstm_cell import CoupledLSTMCell
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import PairFeatures, distance_bins
from coref_tf.layers.sentence_encoder import SentenceEncoder
from coref_tf.layers.span_pruner import SpanPruner
from coref_tf.layers.span_representation import SpanRepresentation

LAYERS = [
    CharacterCNN(9, 4, [2, 3], 5),
    CoupledLSTMCell(4, directions=1),
    SentenceEncoder(6, 4, 0.3),
    FeedForward({"a": 3, "b": 2}, depth=2, units=4, dropout_rate=0.1),
    SpanRepresentation(4, 7, 8, feature_size=3, head_depth=1, head_units=5, dropout_rate=0.2),
    PairFeatures(3, num_genres=2, use_distance=False, dropout_rate=0.2),
    SpanPruner(0.4, "portable"),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_config_round_trips(layer):
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert [v.shape for v in again.variables] == [v.shape for v in layer.variables]


def test_distance_bins():
    distances = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 1000]
    expected = [0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
    assert distance_bins(tf.constant([distances])).numpy().tolist() == [expected]


@pytest.mark.parametrize("num_words", [0, 1, 2, 3, 5, 10, 15, 20, 25, 1000, 100_000])
def test_the_number_kept_is_floored(num_words):
    starts = np.arange(num_words, dtype=np.int32)
    kept = SpanPruner(0.4, "portable")(np.zeros(num_words, np.float32), starts, starts, num_words)
    assert len(kept) == num_words * 2 // 5


def test_candidates_stay_within_sentences_and_are_ordered_by_start_then_end():
    spans = SpanRepresentation(3, 2, 2, feature_size=0).candidates(tf.constant([2, 0, 4]))
    pairs = list(zip(spans.starts.numpy().tolist(), spans.ends.numpy().tolist(), strict=True))
    assert pairs == [
        (0, 0),
        (0, 1),
        (1, 1),
        (2, 2),
        (2, 3),
        (2, 4),
        (3, 3),
        (3, 4),
        (3, 5),
        (4, 4),
        (4, 5),
        (5, 5),
    ]


def zero_share(values):
    return float(np.mean(np.array(values) == 0))


def test_dropout_where_the_paper_puts_it(monkeypatch):
    """Each use of dropout, by its rate and the shape that it is applied to."""
    model = small_model(lexical_dropout_rate=0.5, dropout_rate=0.2, head_ffnn_depth=2)
    inputs = random_inputs(np.random.default_rng(0), [8, 5])
    applied = []
    seeds = []
    dropout = tf.nn.experimental.stateless_dropout

    def spy(values, rate, seed):
        applied.append((rate, tuple(values.shape)))
        seeds.append(tuple(seed.numpy()))
        return dropout(values, rate, seed)

    monkeypatch.setattr(tf.nn.experimental, "stateless_dropout", spy)
    output = model(inputs, training=True)
    assert len(set(seeds)) == len(seeds), "every use has a mask of its own"
    candidates, spans = len(output.candidate_starts), len(output.top_span_starts)
    pairs = (spans, spans)  # one tile: all of these spans with all of them, of which the band is then cut out
    assert spans < SPANS_PER_TILE
    assert sorted(applied) == sorted(
        [
            (0.5, (13, 18 + 12)),  # word embeddings and character features
            (0.2, (2, 2, 6)),  # the LSTM's hidden state: directions, sentences, units
            (0.2, (13, 12)),  # the LSTM's output
            (0.2, (13, 7)),  # FFNN_alpha's hidden layers
            (0.2, (13, 7)),
            (0.2, (candidates, 3)),  # the width's embedding
            (0.2, (candidates, 7)),  # FFNN_m's
            (0.2, (candidates, 7)),
            (0.2, (*pairs, 9)),  # the pair features' embeddings
            (0.2, (*pairs, 7)),  # FFNN_a's
            (0.2, (*pairs, 7)),
        ]
    )


def test_dropout_scales_what_it_keeps():
    features = PairFeatures(50, num_genres=2, dropout_rate=0.2)
    for variable in features.variables:
        variable.assign(tf.ones_like(variable))
    values = features(np.zeros([20, 5], np.int32), features.table(0), seed=np.array([1, 2], np.int32))
    assert set(np.unique(values)) == {0.0, np.float32(1.25)}
    assert 0.15 < zero_share(values) < 0.25
