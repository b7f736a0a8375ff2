"""Vector sets in text and in HDF5 give the same vectors for all forms of a word."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coref_tf.documents.running_text import plain_word
from coref_tf.features.embeddings import VectorSet, lookup_forms
from coref_tf.features.text_vectors import read_text_vectors
from coref_tf.features.vector_store import VectorStore, write_vectors
from coref_tf.support.errors import CorefError

ROOT = Path(__file__).resolve().parents[2]
BUNDLED = {"cased_300d": (300, 514092), "glove_6B_50d": (50, 100000)}
VECTORS = {"the": [3.0, 4.0], "The": [0.0, 2.0], "(": [1.0, 0.0], '"': [-1.0, 0.0], "nil": [0.0, 0.0]}


@pytest.fixture(params=["text", "hdf5"])
def path(request, tmp_path) -> Path:
    text = tmp_path / "vectors.txt"
    text.write_text("".join(f"{word} {' '.join(map(str, v))}\n" for word, v in VECTORS.items()))
    if request.param == "text":
        return text
    write_vectors(tmp_path / "vectors.h5", read_text_vectors(text), 2)
    return tmp_path / "vectors.h5"


def test_lookup_is_unit_normalised_and_zero_where_unknown(path):
    vectors = VectorSet.open(path, 2)
    words = ["the", "THE", "nil", "the", "", "a\nb", "\ud800", "zzz", " "]
    expected = np.zeros((9, 2), np.float32)
    expected[[0, 3]] = [0.6, 0.8]
    np.testing.assert_array_equal(vectors.lookup(words), expected)
    assert vectors.lookup(words).dtype == np.float32
    assert vectors.known(words).tolist() == [True, False, True, True] + [False] * 5
    assert (len(vectors), vectors.size) == (5, 2)
    assert vectors.lookup([]).shape == (0, 2)


@pytest.mark.parametrize(
    "settings, word, found",
    [
        ({}, "The", "The"),
        ({}, "THE", None),
        ({"lowercase": True}, "The", "the"),
        ({"fallback_lowercase": True}, "The", "The"),
        ({"fallback_lowercase": True}, "THE", "the"),
        ({}, "-LRB-", None),
        ({"plain_brackets": True}, "-LRB-", "("),
        ({"plain_brackets": True, "lowercase": True}, "-LRB-", "("),
        ({"plain_brackets": True}, "``", '"'),
        ({"plain_brackets": True}, "-RRB-", None),
    ],
)
def test_settings_choose_the_form_looked_up(path, settings, word, found):
    vectors = VectorSet.open(path, 2, **settings)
    expected = VectorSet.open(path, 2).lookup([found]) if found else np.zeros((1, 2))
    np.testing.assert_array_equal(vectors.lookup([word]), expected)
    assert vectors.known([word]) == [found is not None]
    assert found is None or found in lookup_forms([word])


def test_plain_word_undoes_treebank_escapes():
    written = [
        "-LRB-",
        "-RRB-",
        "-LSB-",
        "-RSB-",
        "-LCB-",
        "-RCB-",
        "``",
        "''",
        "/.",
        "/?",
        "1\\/2",
        "\\*",
        "it",
    ]
    assert list(map(plain_word, written)) == [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        '"',
        ".",
        "?",
        "1/2",
        "*",
        "it",
    ]


def test_vocabulary_limits_the_words_of_a_text_file(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("the 1 0\n( 0 1\ncat 1 1\nTHE 1 2\n")
    vectors = VectorSet.open(path, 2, vocabulary=["THE", "-LRB-"])
    assert vectors.known(["the", "(", "cat", "THE"]).tolist() == [True, True, False, True]


def test_the_first_vector_of_a_repeated_word_is_used(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("a 1 0\nb 1 1\na 0 1\n")
    write_vectors(tmp_path / "vectors.h5", read_text_vectors(path), 2)
    for file in (path, tmp_path / "vectors.h5"):
        assert VectorSet.open(file, 2).lookup(["a"]).tolist() == [[1, 0]]


def test_wrong_size_is_one_line_that_names_the_file(path):
    with pytest.raises(CorefError, match=r"vectors\.(txt|h5):.*(2 numbers|size 2); expected.* 3"):
        VectorSet.open(path, 3)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.h5"):
        VectorSet.open(tmp_path / "none.h5", 2)


@pytest.mark.parametrize("size, half", [(3, False), (50, True), (300, False)])
def test_store_has_many_blocks_and_shares_equal_rows(tmp_path, size, half):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(700, size)).astype(np.float32)
    words = [f"w{number}é" for number in range(9001)]
    rows = np.append(rng.integers(len(matrix), size=9000), 0)
    path = tmp_path / "vectors.h5"
    assert write_vectors(path, zip(words, matrix[rows], strict=True), size, half) == 9001
    expected = matrix[rows] / np.linalg.norm(matrix[rows], axis=1, keepdims=True)
    chosen = rng.permutation(9001)[:400]
    vectors = VectorSet.open(path, size)
    found = vectors.lookup([words[number] for number in chosen])
    np.testing.assert_allclose(found, expected[chosen], atol=5e-4 if half else 1e-7)
    assert VectorStore(path).shape[0] == len(set(rows.tolist()))
    again = tmp_path / "again.h5"
    write_vectors(again, zip(words, matrix[rows], strict=True), size, half)
    assert again.read_bytes() == path.read_bytes()


def test_store_reads_only_the_pages_asked_for(tmp_path):
    path = tmp_path / "vectors.h5"
    words = [str(number) for number in range(20000)]
    write_vectors(path, ((word, [int(word) + 1.0] * 50) for word in words), 50)
    store = VectorStore(path)
    store.take(np.array([store.index.find("19999")]))
    assert store._read.sum() == 1 < len(store._read)


def test_store_yields_its_words_from_all_pages(tmp_path):
    path = tmp_path / "vectors.h5"
    vectors = np.random.default_rng(0).normal(size=(200, 100)).astype(np.float32)
    write_vectors(path, ((str(number), vector) for number, vector in enumerate(vectors)), 100)
    store = VectorStore(path)
    # The row numbers fit into a byte, but the end of the last page does not.
    assert store.index.rows.dtype == np.uint8 and len(store._read) * store._page > 255
    words, found = zip(*store, strict=True)
    assert list(words) == [str(number) for number in range(200)]
    np.testing.assert_array_equal(found, vectors)


def test_nothing_to_write_is_an_error_and_leaves_no_file(tmp_path):
    with pytest.raises(CorefError, match=r"vectors\.h5: no words"):
        write_vectors(tmp_path / "vectors.h5", [], 4)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_vectors_are_complete(name):
    size, count = BUNDLED[name]
    vectors = VectorSet.open(ROOT / f"data/vectors/{name}.h5", size)
    assert len(vectors) == count
    found = vectors.lookup(["the", "council", "she", ",", "(", "zxqzxq"])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1, 1, 1, 1, 0], atol=1e-6)
    assert found[2] @ vectors.lookup(["he"])[0] > found[2] @ vectors.lookup(["lighthouse"])[0]


def test_bundled_vectors_are_small():
    assert sum(path.stat().st_size for path in (ROOT / "data/vectors").glob("*.h5")) < 25e6


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_vectors_equal_their_source(name, shared):
    size, count = BUNDLED[name]
    with np.load(shared / "embeddings" / f"{name}.npz") as source:
        words = source["words"].tobytes().decode().split("\n")
        matrix = source["matrix"]
        rows = source["rows"] if "rows" in source else np.arange(len(words))
    chosen = np.random.default_rng(0).choice(count, 5000, replace=False)
    expected = matrix[rows[chosen]].astype(np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    vectors = VectorSet.open(ROOT / f"data/vectors/{name}.h5", size)
    np.testing.assert_allclose(vectors.lookup([words[number] for number in chosen]), expected, atol=1e-6)
    assert not vectors.known(words[count:]).any()


SPEED = """
import sys, time, tracemalloc
from coref_tf.features.embeddings import VectorSet
words = sys.argv[2].split()
start = time.process_time()
VectorSet.open(sys.argv[1], 50).lookup(words)
seconds = time.process_time() - start
tracemalloc.start()
VectorSet.open(sys.argv[1], 50).lookup(words)
blocks = sum(s.count for s in tracemalloc.take_snapshot().statistics("filename"))
print(seconds, blocks)
"""


def test_a_large_store_opens_fast_without_an_object_per_word(tmp_path):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(100_000, 50)).astype(np.float16)
    path = tmp_path / "vectors.h5"
    write_vectors(path, ((f"word{row}", vector) for row, vector in enumerate(matrix)), 50, half=True)
    words = " ".join(f"word{row}" for row in rng.integers(100_000, size=500))
    command = [sys.executable, "-c", SPEED, path, words]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert float(output[0]) < 0.8
    assert int(output[1]) < 20_000
