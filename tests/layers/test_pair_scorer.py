"""The C++ op that scores pairs has the same scores and gradients as TensorFlow's ops, with dropout, too."""

import numpy as np
import pytest
import tensorflow as tf

from coref_tf import ops
from coref_tf.layers import pair_scorer
from coref_tf.layers.feed_forward import FeedForward
from coref_tf.layers.pair_features import PairFeatures, SpanFacts
from coref_tf.layers.pair_scorer import PairScorer
from coref_tf.layers.span_representation import SpanPart
from coref_tf.ops import library

SEED = np.array([3, -4], np.int32)


PAPER = ("speaker", "genre", "distance")


def random_case(num_spans, max_antecedents=10, depth=2, units=7, names=PAPER, seed=0):
    """Two scorers with the same weights, one fused and one not; a function that scores; and the variables."""
    generator = np.random.default_rng(seed)
    features = PairFeatures(names, 3, 2, dropout_rate=0.3) if names else None
    size = 5 + 5 + 4
    sizes = {
        "target": size,
        "antecedent": size,
        "product": size,
        "features": features.size if features else 0,
    }
    ffnn = FeedForward(sizes, depth, units, dropout_rate=0.2)
    variables = ffnn.variables + (features.variables if features else [])
    for variable in variables:
        variable.assign(generator.normal(size=variable.shape) / np.sqrt(variable.shape[0]))
    words = tf.Variable(generator.normal(size=[max(1, num_spans // 2), 5]).astype(np.float32))
    own = tf.Variable(generator.normal(size=[num_spans, 4]).astype(np.float32))
    starts, ends = (generator.integers(words.shape[0], size=num_spans, dtype=np.int32) for _ in range(2))
    speakers = generator.integers(3, size=2 * num_spans).astype(np.int32)
    first_words = np.sort(generator.integers(2 * num_spans, size=num_spans)).astype(np.int32)
    spans = SpanFacts(first_words, first_words, speakers, np.full(2 * num_spans, 2, np.int32), np.int32(1))
    scorers = [PairScorer(ffnn, features, max_antecedents, fused) for fused in (True, False)]

    def run(scorer, seed):
        parts = [SpanPart(words, starts), SpanPart(words, ends), SpanPart(own, tf.range(num_spans))]
        parts = [SpanPart(tf.convert_to_tensor(part.values), part.rows) for part in parts]
        indices, lengths = ops.nearest_antecedents(num_spans, max_antecedents)
        scores = scorer.nearest(parts, indices, spans, seed)
        return tf.where(tf.sequence_mask(lengths, tf.shape(indices)[1]), scores, 0.0)

    return scorers, run, [*variables, words, own]


def check_equality(num_spans, seed, graph=False, **kinds):
    scorers, run, variables = random_case(num_spans, **kinds)
    results = []
    for scorer in scorers:

        def score_and_differentiate(scorer=scorer):
            with tf.GradientTape() as tape:
                scores = run(scorer, seed)
                loss = tf.reduce_sum(tf.sin(scores))
            gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
            return scores, *map(tf.convert_to_tensor, gradients)

        work = score_and_differentiate
        results.append((tf.function(work, autograph=False) if graph else work)())
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4 * max(1, np.abs(theirs).max(initial=0)))


# Numbers of spans around multiples of 8, the op's tile size, and of 16, its twin's, and around K.
@pytest.mark.parametrize("num_spans", [0, 1, 2, 7, 8, 9, 10, 11, 12, 16, 17, 18, 24, 25, 33])
@pytest.mark.parametrize("seed", [None, SEED], ids=["predict", "train"])
def test_the_op_equals_its_twin(num_spans, seed):
    check_equality(num_spans, seed)


FEATURES = [
    (),
    ("genre",),
    ("distance",),
    ("speaker", "genre"),
    PAPER,
    ("sentence_distance", "speaker", "genre", "distance"),
]


@pytest.mark.parametrize("seed", [None, SEED], ids=["predict", "train"])
@pytest.mark.parametrize("names", FEATURES, ids=lambda names: "-".join(names) or "none")
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_every_shape_of_the_network(depth, names, seed):
    check_equality(21, seed, depth=depth, names=names)


@pytest.mark.parametrize("units", [1, 16, 65, 150])
@pytest.mark.parametrize("max_antecedents", [1, 40])
def test_sizes_that_do_and_do_not_fill_whole_vectors(units, max_antecedents):
    check_equality(20, SEED, graph=units == 16, units=units, max_antecedents=max_antecedents)


def test_results_are_deterministic():
    (fused, _), run, variables = random_case(50)
    results = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            scores = run(fused, SEED)
        results.append([scores, *tape.gradient(scores, variables, unconnected_gradients="zero")])
    for again in results[1:]:
        for first, second in zip(results[0], again, strict=True):
            np.testing.assert_array_equal(tf.convert_to_tensor(first), tf.convert_to_tensor(second))


@pytest.mark.parametrize("keep_bytes", [0, 10 * 10 * 7 * 4, 10**9])
def test_gradients_do_not_depend_on_how_much_is_kept(keep_bytes, monkeypatch):
    monkeypatch.setattr(pair_scorer, "KEPT_BYTES", keep_bytes)
    check_equality(27, SEED)


def test_keep_bytes_limits_what_is_kept():
    for keep_bytes, spans in [(0, 0), (2 * 3 * 4 - 1, 0), (2 * 3 * 4, 1), (10**6, 4)]:
        kept = library.custom_ops().pair_scores(**arguments(keep_bytes=keep_bytes)).kept
        assert kept.shape == (spans, 2, 3)


def arguments(**changes):
    """The op's arguments for 4 spans, K = 2 and 3 units, with two kinds of pairs for each of two numbers."""
    values = {
        "part_values": [np.ones([4, 5], np.float32)],
        "part_rows": [np.arange(4, dtype=np.int32)],
        "product_kernel": np.ones([5, 3], np.float32),
        "targets": np.ones([4, 3], np.float32),
        "antecedents": np.ones([4, 3], np.float32),
        "numbers": [np.arange(4, dtype=np.int32), np.zeros(4, np.int32)],
        "difference_kinds": [np.array([0, 1, 1], np.int32), np.array([2, 0], np.int32)],
        "features": np.ones([4, 2], np.float32),
        "feature_kernel": np.ones([2, 3], np.float32),
        "hidden": [np.ones([3, 3], np.float32), np.ones(3, np.float32)],
        "output": [np.ones([3, 1], np.float32), np.ones(1, np.float32)],
        "seed": np.zeros(0, np.int32),
        "max_antecedents": 2,
        "feature_dropout": 0.2,
        "hidden_dropout": 0.2,
        "keep_bytes": 0,
    }
    return values | changes


FAULTS = {
    "part_rows must be at least 0 and less than 4. Received: 4 at 2": {
        "part_rows": [np.array([0, 1, 4, 0], np.int32)]
    },
    "part_rows must have shape \\[4\\]. Received: shape \\[3\\]": {
        "part_rows": [np.arange(3, dtype=np.int32)]
    },
    "part_values must have rank 2": {"part_values": [np.ones(4, np.float32)]},
    "product_kernel must have shape \\[5,3\\]": {"product_kernel": np.ones([6, 3], np.float32)},
    "antecedents must have shape \\[4,3\\]": {"antecedents": np.ones([4, 2], np.float32)},
    "numbers must have shape \\[4\\]": {"numbers": [np.zeros(4, np.int32), np.zeros(5, np.int32)]},
    "difference_kinds must have rank 1": {"difference_kinds": [np.zeros([2, 2], np.int32)] * 2},
    "difference_kinds must have 1 or more elements. Received: none at 1": {
        "difference_kinds": [np.zeros(2, np.int32), np.zeros(0, np.int32)]
    },
    "difference_kinds must be at least 0 and less than 4. Received: -1 at 0": {
        "difference_kinds": [np.array([-1, 0], np.int32)] * 2
    },
    "difference_kinds must be at least 0 and less than 2. Received: 2 at 1": {
        "difference_kinds": [np.array([0, 2], np.int32)] * 2
    },
    "feature_kernel must have shape \\[2,3\\]": {"feature_kernel": np.ones([4, 3], np.float32)},
    "features must have shape \\[4,3\\]": {"feature_kernel": np.ones([0, 3], np.float32)},
    "kernels and biases by turns. Received: 1": {"hidden": [np.ones([3, 3], np.float32)]},
    "hidden must have shape \\[3,3\\]": {"hidden": [np.ones([3, 2], np.float32), np.ones(3, np.float32)]},
    "without output the first layer must have 1 unit": {"output": []},
    "output must have shape \\[3,1\\]": {"output": [np.ones(3, np.float32), np.ones(1, np.float32)]},
    "seed must have shape \\[2\\]": {"seed": np.zeros(3, np.int32)},
    "hidden_dropout must be at least 0 and less than 1. Received: 1": {"hidden_dropout": 1.0},
}


@pytest.mark.parametrize(("message", "changes"), FAULTS.items(), ids=[name.split(".")[0] for name in FAULTS])
def test_bad_input_is_refused(message, changes):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        library.custom_ops().pair_scores(**arguments(**changes))


def test_missing_antecedents_have_a_score_of_minus_infinity():
    scores = library.custom_ops().pair_scores(**arguments()).scores.numpy()
    assert np.isneginf(scores).tolist() == [[True, True], [False, True], [False, False], [False, False]]
    assert len(set(scores[np.isfinite(scores)])) == 1


def test_shape_inference():
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec(None)], autograph=False)
    def run(targets, antecedents):
        scores, kept = library.custom_ops().pair_scores(**arguments(targets=targets, antecedents=antecedents))
        assert kept.shape.as_list() == [None, None, 3]
        assert scores.shape.as_list() == [None, None]
        gradient = tf.gradients(scores, [targets, antecedents])
        assert gradient[0].shape.as_list() == [None, 3] and gradient[1].shape.rank is None
        return scores

    ones = np.ones([4, 3], np.float32)
    assert run(ones, ones).shape == (4, 2)
