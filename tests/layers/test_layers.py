"""Properties of all layers: configurations round-trip, and dropout is applied where the paper applies it."""

import numpy as np
import pytest
import tensorflow as tf
from random_documents import random_inputs, small_model

from coref_tf.layers import mention_scorer, pair_features, pair_scorer, span_representation
from coref_tf.layers.character_cnn import CharacterCNN
from coref_tf.layers.coupled_lstm_cell import CoupledLSTMCell
from coref_tf.layers.dropout import keyed_dropout
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import FEATURES, PairFeatures, SpanFacts, features_in_use
from coref_tf.layers.sentence_encoder import SentenceEncoder
from coref_tf.layers.span_pruner import SpanPruner
from coref_tf.layers.span_representation import SpanRepresentation, Spans, WordVectors, join
from coref_tf.support.errors import CorefError

LAYERS = [
    CharacterCNN(9, 4, [2, 3], 5),
    CoupledLSTMCell(4, directions=1),
    SentenceEncoder(6, 4, 0.3),
    FeedForward({"a": 3, "b": 2}, depth=2, units=4, dropout_rate=0.1),
    SpanRepresentation(4, 7, 8, feature_size=3, head_depth=1, head_units=5, dropout_rate=0.2),
    PairFeatures(["distance", "genre", "sentence_distance"], 3, num_genres=2, dropout_rate=0.2),
    SpanPruner(0.4, 3, "portable"),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_config_round_trips(layer):
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert [v.shape for v in again.variables] == [v.shape for v in layer.variables]


def test_distance_bins():
    distances = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 1000]
    expected = [0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
    for name in ("distance", "sentence_distance"):
        bins, size = FEATURES[name].bins, FEATURES[name].size
        assert [bins[min(distance, len(bins) - 1)] for distance in distances] == expected and size == 10


@pytest.mark.parametrize("num_words", [0, 1, 2, 3, 5, 10, 15, 20, 25, 1000, 100_000])
def test_the_number_kept_is_floored(num_words):
    starts = np.arange(num_words, dtype=np.int32)
    kept = SpanPruner(0.4, backend="portable")(np.zeros(num_words, np.float32), starts, starts, num_words)
    assert len(kept) == num_words * 2 // 5


@pytest.mark.parametrize("backend", ["custom", "portable"])
@pytest.mark.parametrize(("num_words", "expected"), [(0, 0), (2, 2), (8, 8), (10, 10), (25, 10), (30, 12)])
def test_short_documents_keep_at_least_min_spans(num_words, expected, backend):
    starts = np.arange(num_words, dtype=np.int32)
    pruner = SpanPruner(0.4, min_spans=10, backend=backend)
    assert len(pruner(np.zeros(num_words, np.float32), starts, starts, num_words)) == expected


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


@pytest.mark.parametrize("any_width", [False, True])
def test_one_word_spans_of_the_same_word_share_a_head_vector(any_width):
    layer = SpanRepresentation(4, 7, 8, feature_size=3, any_width=any_width)
    word_ids = np.array([0, 1, 0, 2, 1, 0], np.int32)
    rng = np.random.default_rng(0)
    x, x_star = (
        rng.normal(size=(3, 7))[word_ids].astype(np.float32),
        rng.normal(size=(6, 8)).astype(np.float32),
    )
    words = WordVectors(tf.constant(x), tf.constant(x_star), layer.head_scores(tf.constant(x_star)))
    spans = Spans(tf.constant([0, 0, 1, 2, 2, 4, 4, 5]), tf.constant([0, 2, 1, 2, 4, 4, 5, 5]))
    shared, own = layer(words, spans, word_ids=word_ids), layer(words, spans)
    assert shared[2].rows.numpy().tolist() == [0, 1, 2, 0, 4, 2, 6, 0]
    assert own[2].rows.numpy().tolist() == list(range(8))
    np.testing.assert_array_equal(join(shared), join(own))


def test_dropout_is_applied_where_the_paper_applies_it(monkeypatch):
    """Each use of dropout has the paper's rate and is applied to a tensor of the expected shape."""
    model = small_model(backend="portable", lexical_dropout_rate=0.5, dropout_rate=0.2, head_ffnn_depth=2)
    inputs = random_inputs(np.random.default_rng(0), [8, 5])
    applied, keyed, seeds = [], [], []
    stateless_dropout = tf.nn.experimental.stateless_dropout

    def spy(values, rate, seed):
        applied.append((rate, tuple(values.shape)))
        seeds.append(tuple(seed.numpy()))
        return stateless_dropout(values, rate, seed)

    def keyed_spy(values, rate, seed, salt, first, second):
        if seed is not None:
            keyed.append((rate, tuple(values.shape), salt))
            seeds.append((*seed.numpy(), salt))
        return keyed_dropout(values, rate, seed, salt, first, second)

    monkeypatch.setattr(tf.nn.experimental, "stateless_dropout", spy)
    for module in (span_representation, mention_scorer, pair_features, pair_scorer):
        monkeypatch.setattr(module, "keyed_dropout", keyed_spy)
    output = model(inputs, training=True)
    candidates, spans = len(output.candidate_starts), len(output.top_span_starts)
    assert sorted(applied) == sorted(
        [
            (0.5, (13, 18 + 12)),  # word embeddings and character features
            (0.2, (2, 2, 6)),  # the LSTM's hidden state: directions, sentences, units
            (0.2, (13, 12)),  # the LSTM's output
            (0.2, (13, 7)),  # FFNN_alpha's hidden layers
            (0.2, (13, 7)),
        ]
    )
    # There is a single tile, which pairs every span with every other; the antecedents are selected afterwards.
    assert spans < pair_scorer.SPANS_PER_TILE
    assert keyed == [
        (0.2, (candidates, 3), 0),  # the width's embedding, in the mention score
        (0.2, (candidates, 7), 1),  # FFNN_m's hidden layers
        (0.2, (candidates, 7), 2),
        (0.2, (spans, 3), 0),  # the width's embedding, in g
        (0.2, (spans, spans, 9), 0),  # the pair features' embeddings
        (0.2, (spans, spans, 7), 1),  # FFNN_a's hidden layers
        (0.2, (spans, spans, 7), 2),
    ]
    # Every use has its own mask, except that a span's width embedding has the same one in s_m and in g.
    assert len(set(seeds)) == len(seeds) - 1


def test_the_width_embedding_of_a_span_always_has_the_same_dropout_mask():
    layer = SpanRepresentation(4, 7, 8, feature_size=30, dropout_rate=0.5)
    seed = np.array([1, 2], np.int32)
    candidates = layer.candidates(tf.constant([5, 3]))
    widths = layer.widths(candidates, seed).numpy()
    kept = Spans(candidates.starts[4::3], candidates.ends[4::3])
    np.testing.assert_array_equal(layer.widths(kept, seed), widths[4::3])
    assert 0.4 < np.mean(widths == 0) < 0.6


def test_keyed_dropout_scales_and_gives_every_pair_and_use_its_own_mask():
    rows, columns, size = np.arange(40, dtype=np.int32)[:, None], np.arange(30, dtype=np.int32), 50

    def masks(seed, salt, shift=0):
        return keyed_dropout(
            tf.ones([40, 30, size]), 0.2, np.array(seed, np.int32), salt, rows + shift, columns
        ).numpy()

    first = masks([1, 2], 0)
    assert set(np.unique(first)) == {0.0, np.float32(1.25)}
    for axes in [(0, 1), (0, 2), (1, 2)]:
        shares = np.mean(first == 0, axis=axes)
        assert 0.15 < shares.min() < 0.2 < shares.max() < 0.25
    others = [masks([1, 2], 1), masks([2, 2], 0), masks([1, 3], 0), first.transpose(1, 0, 2)[:, :30]]
    for other in others:
        agreement = np.mean((first == 0)[: len(other)] == (other == 0)[:, : first.shape[1]])
        assert 0.66 < agreement < 0.7, "chance agreement is 0.2 * 0.2 + 0.8 * 0.8"
    np.testing.assert_array_equal(masks([1, 2], 0, shift=5)[:-5], first[5:])


def facts(starts, speakers=None, sentence_lengths=(1,), genre=0):
    """The SpanFacts of one-word spans, by default all of one speaker."""
    starts = np.array(starts, np.int32)
    speakers = np.zeros(starts.max(initial=0) + 1) if speakers is None else speakers
    lengths = np.array(sentence_lengths, np.int32)
    return SpanFacts(starts, starts, np.array(speakers, np.int32), lengths, np.int32(genre))


def test_pair_features_are_the_embeddings_of_their_bins():
    features = PairFeatures(["speaker", "genre", "distance"], 4, num_genres=2)
    targets, antecedents = np.array([[9], [3]], np.int32), np.array([[1, 2], [0, 2]], np.int32)
    spans = facts(range(10), speakers=[0, 1, 0, 0, 0, 0, 0, 0, 0, 0], genre=1)
    phi = features(targets, antecedents, features.numbers(spans), features.table(spans)).numpy()
    for row, column, same, distance_bin in [(0, 0, 0, 6), (0, 1, 1, 5), (1, 0, 1, 3), (1, 1, 1, 1)]:
        expected = np.concatenate(
            [
                features.embeddings["speaker"][same],
                features.embeddings["genre"][1],
                features.embeddings["distance"][distance_bin],
            ]
        )
        np.testing.assert_array_equal(phi[row, column], expected)


def test_a_span_is_in_the_sentence_of_its_first_word():
    numbers = PairFeatures(["sentence_distance"], 4, num_genres=1).numbers
    found = numbers(facts([0, 1, 2, 2, 5, 6], sentence_lengths=[2, 0, 4, 0, 1, 0]))
    assert np.array(found).tolist() == [[0, 0, 2, 2, 2, 4]]
    assert np.array(numbers(facts([], sentence_lengths=[]))).tolist() == [[]]


def test_switches_turn_features_off():
    names = ("sentence_distance", "genre", "distance", "speaker")
    assert features_in_use(names, use_features=True, use_metadata=True) == names
    assert features_in_use(names, use_features=False, use_metadata=True) == ("genre", "speaker")
    assert features_in_use(names, use_features=True, use_metadata=False) == names[::2]


@pytest.mark.parametrize("names", [["speaker", "distanse"], ["genre", "genre"]])
def test_unknown_and_repeated_features_are_one_line_errors(names):
    expected = (
        "pair_features must be distinct names from genre, speaker, distance, sentence_distance. Received: "
    )
    with pytest.raises(CorefError, match=expected + ", ".join(names)):
        small_model(pair_features=tuple(names))


def test_too_many_kinds_of_pairs_are_a_one_line_error(monkeypatch):
    monkeypatch.setattr(pair_features, "MAX_KINDS", 199)
    with pytest.raises(CorefError, match="make 200 kinds of pairs; expected at most 199"):
        small_model(pair_features=("speaker", "distance", "sentence_distance"))
