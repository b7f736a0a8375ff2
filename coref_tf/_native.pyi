"""The C++ algorithms of kernels/ for NumPy, built by `make kernels`."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Name, title, whether the CoNLL average has it, and the number of parts of each metric.
METRICS: tuple[tuple[str, str, bool, int], ...]

_Clusters = Sequence[Sequence[Hashable]]

def score_documents(
    documents: Iterable[tuple[Any, _Clusters, _Clusters]],
    metrics: int,
    allow_repeated: bool,
    threads: int | None = None,
) -> list[tuple[float, ...]]: ...
def extract_spans(
    span_scores: ArrayLike,
    candidate_starts: NDArray[np.int32],
    candidate_ends: NDArray[np.int32],
    num_output_spans: int,
    threads: int = 1,
) -> NDArray[np.int32]: ...
def extract_spans_sequential(
    span_scores: ArrayLike,
    candidate_starts: NDArray[np.int32],
    candidate_ends: NDArray[np.int32],
    num_output_spans: int,
) -> NDArray[np.int32]: ...
def nearest_antecedents(
    num_spans: int, max_antecedents: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def top_antecedents(
    coarse_scores: ArrayLike, max_antecedents: int, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def emulated_extract_spans(
    span_scores: ArrayLike,
    candidate_starts: NDArray[np.int32],
    candidate_ends: NDArray[np.int32],
    num_output_spans: int,
    seed: int,
) -> NDArray[np.int32]: ...
def emulated_nearest_antecedents(
    num_spans: int, max_antecedents: int, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def emulated_top_antecedents(
    coarse_scores: ArrayLike, max_antecedents: int, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def int8_instructions() -> list[tuple[str, int]]: ...
def int8_dense(
    values: ArrayLike,
    panels: NDArray[np.int8],
    scales: ArrayLike,
    sums: NDArray[np.int32],
    bias: ArrayLike,
    gelu: bool,
    instructions: str,
) -> NDArray[np.float32]: ...
