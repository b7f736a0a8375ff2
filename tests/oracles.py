"""Slow, straightforward versions of the ops on spans, with which tests compare the fast ones."""

import numpy as np


def crosses(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """The paper's definition: start_i < start_j <= end_i < end_j, or the reverse."""
    (start_i, end_i), (start_j, end_j) = first, second
    return start_i < start_j <= end_i < end_j or start_j < start_i <= end_j < end_i


def extract_spans(scores, starts, ends, num_output_spans: int) -> np.ndarray:
    """Accepts spans in the order of decreasing score, if they cross no accepted span, up to a limit (section 5)."""
    spans = list(zip(starts, ends, strict=True))
    accepted = []
    for i in sorted(range(len(spans)), key=lambda i: (-scores[i], i)):
        if len(accepted) == num_output_spans:
            break
        if not any(crosses(spans[i], spans[j]) for j in accepted):
            accepted.append(i)
    return np.array(sorted(accepted, key=lambda i: (*spans[i], i)), np.int32)


def nearest_antecedents(num_spans: int, max_antecedents: int) -> tuple[np.ndarray, np.ndarray]:
    rows = [[j for j in range(i) if i - j <= max_antecedents] for i in range(num_spans)]
    return _padded(rows, min(num_spans, max_antecedents))


def top_antecedents(coarse_scores, max_antecedents: int) -> tuple[np.ndarray, np.ndarray]:
    rows = []
    num_rows, num_spans = np.shape(coarse_scores)
    for i, scores in enumerate(coarse_scores, start=num_spans - num_rows):
        best_first = sorted(range(i), key=lambda j: (-scores[j], i - j))
        rows.append(best_first[:max_antecedents])
    return _padded(rows, min(num_spans, max_antecedents))


def _padded(rows: list[list[int]], columns: int) -> tuple[np.ndarray, np.ndarray]:
    padded = [row + [0] * (columns - len(row)) for row in rows]
    return np.array(padded, np.int32).reshape(len(rows), columns), np.array(
        [len(row) for row in rows], np.int32
    )
