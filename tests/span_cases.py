"""Small random inputs for the ops on spans, with ties, nesting, duplicates and infinities."""

from collections.abc import Iterator

import numpy as np


def extraction_cases(count: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Yields (span_scores, candidate_starts, candidate_ends, num_output_spans), of each kind in turn."""
    rng = np.random.default_rng(seed)
    for case in range(count):
        scores, starts, ends = _KINDS[case % len(_KINDS)](rng)
        yield scores, starts, ends, int(rng.integers(0, len(scores) + 3))


def nearest_cases(count: int, seed: int = 0) -> Iterator[tuple[int, int]]:
    """Yields (num_spans, max_antecedents)."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield int(rng.integers(0, 40)), int(rng.choice([rng.integers(0, 45), 2**31 - 1], p=[0.95, 0.05]))


def top_cases(count: int, seed: int = 0) -> Iterator[tuple[np.ndarray, int]]:
    """Yields (coarse_scores, max_antecedents), with the scores of all spans or of the last ones."""
    rng = np.random.default_rng(seed)
    for num_spans, max_antecedents in nearest_cases(count, seed):
        scores = _scores(rng, num_spans * num_spans).reshape(num_spans, num_spans)
        yield scores[rng.integers(num_spans + 1) if rng.random() < 0.5 else 0 :], max_antecedents


def document(rng, words: int, sentence_length: int, max_width: int = 10):
    """All spans of up to `max_width` words inside the sentences of a document, as the model proposes them."""
    starts = np.repeat(np.arange(words), max_width)
    ends = starts + np.tile(np.arange(max_width), words)
    inside = (ends < words) & (starts // sentence_length == ends // sentence_length)
    return _scores(rng, inside.sum()), starts[inside].astype(np.int32), ends[inside].astype(np.int32)


def _scores(rng, count: int) -> np.ndarray:
    """Normally distributed scores, or few distinct ones, to get ties, sometimes with infinities and signed zeros."""
    scores = rng.normal(size=count)
    if rng.random() < 0.5:
        scores = rng.integers(-1, rng.integers(1, 6), count).astype(np.float32)
    if rng.random() < 0.3:
        odd = rng.random(count) < 0.3
        scores[odd] = rng.choice([-np.inf, np.inf, -0.0, 0.0], odd.sum())
    return scores.astype(np.float32)


def _some_document(rng):
    return document(rng, rng.integers(1, 25), rng.integers(1, 12), rng.integers(1, 8))


def _shuffled_document(rng):
    scores, starts, ends = _some_document(rng)
    order = rng.permutation(len(scores))
    return scores, starts[order], ends[order]


def _anywhere(rng):
    """Spans of any width in any order, with duplicates."""
    count, words = rng.integers(0, 40), rng.integers(1, 30)
    starts, ends = np.sort(rng.integers(0, words, [2, count]), axis=0).astype(np.int32)
    return _scores(rng, count), starts, ends


def _far_apart(rng):
    """Word indices that are too large for an array of words."""
    scores, starts, ends = _anywhere(rng)
    stretch = 2**31 // 40
    return scores, starts * stretch, ends * stretch + rng.integers(0, stretch, len(ends)).astype(np.int32)


def _one_word(rng):
    count = rng.integers(0, 6)
    return _scores(rng, count), np.zeros(count, np.int32), np.zeros(count, np.int32)


def _nested(rng):
    count = rng.integers(1, 20)
    return (
        _scores(rng, count),
        np.arange(count, dtype=np.int32),
        np.arange(2 * count, count, -1, dtype=np.int32),
    )


def _chain(rng):
    """Each span crosses its neighbours, best first, which needs the largest number of rounds of suppression."""
    count = rng.integers(1, 30)
    starts = np.arange(count, dtype=np.int32)
    return -starts.astype(np.float32), starts, starts + rng.integers(1, 4, dtype=np.int32)


_KINDS = (_some_document, _shuffled_document, _anywhere, _far_apart, _one_word, _nested, _chain)

CASES = {
    "extract_spans": extraction_cases,
    "nearest_antecedents": nearest_cases,
    "top_antecedents": top_cases,
}
