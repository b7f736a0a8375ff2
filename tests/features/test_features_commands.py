"""`coref features convert` and `coref features characters` as a user runs them."""

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.embeddings import VectorSet
from coref_tf.features.vector_store import VectorStore

ROOT = Path(__file__).resolve().parents[2]
TEXT = "the 3 4\nThe 0 2\n( 1 0\nNew York 2 2\nzebra 1 2\nthe 9 9\n"
DOCUMENTS = [
    '{"doc_key": "nw/a", "sentences": [["The", "-LRB-", "ship"]], "clusters": []}\n',
    '{"doc_key": "nw/b", "sentences": [["THE", "New York", "é"]], "clusters": []}\n',
]


def run(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "coref_tf", "features", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def refusal(*arguments) -> str:
    result = run(*arguments)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def vectors(tmp_path) -> Path:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    return path


@pytest.fixture
def documents(tmp_path) -> list[Path]:
    paths = [tmp_path / f"{number}.jsonlines" for number in range(len(DOCUMENTS))]
    for path, text in zip(paths, DOCUMENTS, strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize("options, dtype", [([], np.float32), (["--half"], np.float16)])
def test_convert_keeps_every_word(vectors, tmp_path, options, dtype):
    output = tmp_path / "vectors.h5"
    result = run("convert", vectors, output, *options)
    assert result.stdout == f"{output}: 5 word vectors of size 2\n", result.stderr
    words = ["the", "The", "(", "New York", "zebra"]
    expected = VectorSet.open(vectors, 2).lookup(words)
    np.testing.assert_allclose(
        VectorSet.open(output, 2).lookup(words), expected, atol=5e-4 if options else 1e-7
    )
    assert VectorStore(output).take(np.array([0])).dtype == dtype


def test_convert_filters_to_documents(vectors, documents, tmp_path):
    output = tmp_path / "vectors.h5"
    result = run("convert", vectors, output, "--vocabulary", *documents)
    assert (
        result.stdout
        == f"{output}: 4 word vectors of size 2; 66.7% of the documents' 6 words have a vector\n"
    )
    known = VectorSet.open(output, 2).known(["the", "The", "(", "New York", "zebra"])
    assert known.tolist() == [True, True, True, True, False]
    smaller = tmp_path / "smaller.h5"
    assert run("convert", output, smaller, "--vocabulary", documents[0]).returncode == 0
    words = ["the", "The", "(", "New York"]
    assert VectorSet.open(smaller, 2).known(words).tolist() == [True, True, True, False]
    np.testing.assert_array_equal(
        VectorSet.open(smaller, 2).lookup(words[:3]), VectorSet.open(vectors, 2).lookup(words[:3])
    )


def test_characters(documents, tmp_path):
    output = tmp_path / "characters.txt"
    result = run("characters", output, *documents)
    expected = sorted(set("The-LRB-shipTHENew Yorké"))
    assert result.stdout == f"{output}: {len(expected)} characters\n", result.stderr
    assert CharacterVocabulary.read(output).characters == tuple(expected)


def test_errors_are_one_line_and_leave_no_file(vectors, documents, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("the 1 2\ncat 1\n")
    output = tmp_path / "out.h5"
    assert f"{bad}:2: 'cat 1' has 1 numbers" in refusal("convert", bad, output)
    assert f"{vectors}:1: a word and 2 numbers; expected 3" in refusal(
        "convert", vectors, output, "--size", 3
    )
    assert "--size must be 1 or more" in refusal("convert", vectors, output, "--size", 0)
    assert "none.txt: No such file" in refusal("convert", tmp_path / "none.txt", output)
    bad.write_text("xyzzy 1 2\n")
    message = refusal("convert", bad, output, "--vocabulary", *documents)
    assert f"{bad}: contains no vector for any word of the documents" in message
    documents[0].write_text("{")
    assert f"{documents[0]}:1: " in refusal("convert", vectors, output, "--vocabulary", *documents)
    assert f"{documents[0]}:1: " in refusal("characters", tmp_path / "characters.txt", *documents)
    assert not output.exists()
