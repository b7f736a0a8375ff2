"""Predictions written by hand or drawn at random, without a model, for tests of the page."""

from types import SimpleNamespace

import numpy as np

from coref_tf.decoding import best_antecedents, clusters_of
from coref_tf.documents import Document
from coref_tf.models.calibration import Calibration
from coref_tf.page.data import PageSettings

SETTINGS = PageSettings(
    max_mention_width=5, mention_ratio=0.4, max_antecedents=6, nearest=True, mentions="learned", heads=True
)


def predicted(document, spans, mention_scores, pair_score, candidates, settings=SETTINGS):
    """Returns a prediction that keeps the given spans.

    Args:
        document: the document.
        spans: the spans that survive pruning, in order.
        mention_scores: s_m of each of these spans.
        pair_score: a function from (i, j) to s_a.
        candidates: s_m of pruned spans, by (start, end).
        settings: the page's settings, with L and K.
    """
    mention_scores = np.asarray(mention_scores, np.float32)
    most = min(settings.max_antecedents, max(len(spans) - 1, 0))
    indices = np.zeros([len(spans), most], np.int32)
    scores = np.full([len(spans), 1 + most], -np.inf, np.float32)
    scores[:, 0] = 0
    lengths = np.minimum(np.arange(len(spans)), most)
    for i, length in enumerate(lengths):
        for place in range(length):
            j = i - 1 - place
            indices[i, place] = j
            scores[i, 1 + place] = mention_scores[i] + mention_scores[j] + pair_score(i, j)
    every = dict.fromkeys(all_candidates(document, settings.max_mention_width), -9.0)
    every |= candidates | dict(zip(spans, mention_scores.tolist(), strict=True))
    candidate_spans = np.array(sorted(every), np.int32).reshape(-1, 2)
    starts, ends = np.array(spans, np.int32).reshape(-1, 2).T
    output = SimpleNamespace(
        candidate_starts=candidate_spans[:, 0],
        candidate_ends=candidate_spans[:, 1],
        candidate_mention_scores=np.array([every[span] for span in sorted(every)], np.float32),
        head_scores=np.sin(np.arange(document.num_words) * 1.7).astype(np.float32) * 3,
        top_span_starts=starts,
        top_span_ends=ends,
        top_span_mention_scores=mention_scores,
        antecedents=SimpleNamespace(indices=indices, lengths=lengths, scores=scores),
    )
    clusters = clusters_of(starts, ends, best_antecedents(indices, scores))
    return SimpleNamespace(
        document=document,
        clusters=clusters,
        top_spans=list(spans),
        output=output,
        calibration=Calibration(),
        min_probability=0.0,
        singleton_score=None,
    )


def all_candidates(document, max_width):
    """Yields every span of up to `max_width` words that lies within one sentence."""
    first = 0
    for sentence in document.sentences:
        last = first + len(sentence) - 1
        for start in range(first, last + 1):
            for end in range(start, min(start + max_width - 1, last) + 1):
                yield start, end
        first = last + 1


FIRE = Document(
    "nw/fire",
    [
        ["A", "fire", "in", "a", "factory", "hurt", "people", "."],
        ["Workers", "fled", "the", "blaze", ",", "and", "it", "grew", "."],
        ["Ana", "saw", "it", "."],
    ],
    clusters=[
        [(0, 4), (10, 11), (14, 14), (19, 19)],
        [(6, 6), (8, 8)],
        [(4, 6), (17, 17)],
        [(8, 14), (18, 18)],
    ],
)
FIRE_SPANS = [(0, 4), (3, 4), (6, 6), (8, 8), (10, 11), (14, 14), (17, 17), (19, 19)]
FIRE_SCORES = [4.0, 1.0, 0.5, 0.2, 2.0, 3.0, 1.5, -2.5]
FIRE_PAIRS = {(4, 0): 0.5, (5, 4): 1.0, (5, 2): -3.0, (7, 5): -1.0, (3, 2): -3.0, (7, 1): -20.0}


def fire():
    """Returns the prediction of a small document that has every reason for which a link can be absent.

    "A fire in a factory", "the blaze" and "it" are a cluster; s(the blaze, A fire ...) = 2 + 4 + 0.5.
    """
    return predicted(
        FIRE,
        FIRE_SPANS,
        FIRE_SCORES,
        lambda i, j: FIRE_PAIRS.get((i, j), -8.0),
        {(4, 6): 3.5, (18, 18): -6.0},
    )


def random_prediction(num_words, seed=0, words=("she", "saw", "the", "man", "who", "left")):
    """Returns a random prediction with nested spans, most of which are linked, for a document of `num_words` words."""
    generator = np.random.default_rng(seed)
    sentences = [
        [str(generator.choice(words)) for _ in range(min(20, num_words - first))]
        for first in range(0, num_words, 20)
    ]
    document = Document(f"nw/random{seed}", sentences)
    spans = []
    for start in range(0, num_words - 5, 5):
        spans += [(start, start + 2), (start + 1, start + 1)]
    scores = generator.normal(0, 1, len(spans))
    settings = SETTINGS._replace(max_antecedents=250, max_mention_width=10)
    pairs = generator.normal(-6, 3, 1_000_003)
    prediction = predicted(
        document, spans, scores, lambda i, j: pairs[(i * 7919 + j) % len(pairs)], {}, settings
    )
    return prediction, settings
