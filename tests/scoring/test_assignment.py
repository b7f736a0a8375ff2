"""CEAF's assignment equals scipy's on clusters with given overlaps."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

from coref_tf.scoring import score

ROOT = Path(__file__).resolve().parents[2]


def clusters_with(overlaps: np.ndarray) -> tuple[list[list], list[list]]:
    """Returns key and response clusters that share as many mentions as the matrix says."""
    key, response = ([[] for _ in range(size)] for size in overlaps.shape)
    for row, column in np.argwhere(overlaps):
        for _ in range(overlaps[row, column]):
            mention = (int(row), len(key[row]))
            key[row].append(mention)
            response[column].append(mention)
    return key, response


def best(similarity: np.ndarray) -> float:
    return similarity[scipy.optimize.linear_sum_assignment(similarity, maximize=True)].sum()


def check(overlaps: np.ndarray) -> None:
    sizes = overlaps.sum(axis=1, keepdims=True) + overlaps.sum(axis=0, keepdims=True)
    scores = score(*clusters_with(overlaps), metrics=["ceafm", "ceafe"])
    assert scores.ceafm.recall_numerator == best(overlaps)
    assert scores.ceafe.recall_numerator == pytest.approx(best(2 * overlaps / np.maximum(sizes, 1)), abs=1e-9)


@pytest.mark.parametrize("most", [1, 3, 30])
@pytest.mark.parametrize("density", [0.1, 0.4, 1.0])
def test_equals_scipy_on_random_overlaps(most, density):
    rng = np.random.default_rng(int(100 * density) + most)
    for _ in range(60):
        shape = rng.integers(1, 15, size=2)
        check(rng.integers(0, most + 1, size=shape) * (rng.random(shape) < density))


def sparse_overlaps(rng, size: int) -> np.ndarray:
    """Clusters of about five mentions, a fifth of which are in a wrong cluster."""
    overlaps = np.zeros((size, size), int)
    rows = rng.integers(size, size=5 * size)
    columns = np.where(rng.random(5 * size) < 0.8, rows, rng.integers(size, size=5 * size))
    np.add.at(overlaps, (rows, columns), 1)
    return overlaps


def scattered_overlaps(rng, size: int) -> np.ndarray:
    """Randomly assigned mentions: no cluster is nearly right, and the graph is connected."""
    overlaps = np.zeros((size, size), int)
    np.add.at(overlaps, (rng.integers(size, size=50 * size), rng.integers(size, size=50 * size)), 1)
    return overlaps


def band_overlaps(rng, size: int) -> np.ndarray:
    """Every cluster shares one mention with each of 50 neighbours, so all assignments within the band are tied."""
    return sum(np.roll(np.eye(size, dtype=int), shift, axis=1) for shift in range(50))


@pytest.mark.parametrize("make", [sparse_overlaps, scattered_overlaps, band_overlaps])
def test_two_thousand_clusters_take_seconds(make):
    overlaps = make(np.random.default_rng(7), 2000)
    clusters = clusters_with(overlaps)
    start = time.process_time()
    scores = score(*clusters, metrics=["ceafm", "ceafe"])
    assert time.process_time() - start < 5
    sizes = overlaps.sum(axis=1, keepdims=True) + overlaps.sum(axis=0, keepdims=True)
    assert scores.ceafm.recall_numerator == best(overlaps)
    assert scores.ceafe.recall_numerator == pytest.approx(best(2 * overlaps / np.maximum(sizes, 1)))


def test_two_thousand_clusters_take_little_memory():
    # A full matrix of 2,000 x 2,000 similarities would take 32 MB.
    script = """
import random
from coref_tf.inference.memory import peak_bytes
from coref_tf.scoring import score
rng = random.Random(3)
key, response = ([[] for _ in range(2000)] for _ in range(2))
for mention in range(20000):
    rng.choice(key).append((mention, mention))
    rng.choice(response).append((mention, mention))
score(key[:9], response[:9])
before = peak_bytes()
score(key, response)
print(peak_bytes() - before)
"""
    grown = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(grown.stdout) < 10_000_000
