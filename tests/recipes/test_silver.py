"""`python -m recipes.english silver`: selects the documents that a model has annotated with confidence."""

import json

import pytest
from command import call

from coref_tf.documents import read_documents
from recipes.english.__main__ import main

WORDS = ["Ana", "said", "she", "met", "Bo", "and", "he", "left", "."]
TWO = [[[0, 0], [2, 2]], [[4, 4], [6, 6]]]


def line(key, clusters, probability):
    probabilities = [[probability] * len(cluster) for cluster in clusters]
    predicted = {"predicted_clusters": clusters, "predicted_probabilities": probabilities}
    return {"doc_key": key, "sentences": [WORDS], "speakers": [["-"] * 9], "clusters": []} | predicted


def written(path, *lines):
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


@pytest.fixture
def predicted(tmp_path):
    lines = line("nw/sure", TWO, 0.9), line("nw/unsure", TWO, 0.5), line("nw/nothing", [], 1.0)
    return written(tmp_path / "predicted.jsonlines", *lines)


def silver(capsys, *words):
    code = call("silver", *words, main=main)
    return code, capsys.readouterr()


def test_only_confident_documents_are_kept(tmp_path, predicted, capsys):
    output = tmp_path / "silver.jsonlines"
    code, captured = silver(capsys, predicted, output, "--min-probability", 0.8)
    assert code in (None, 0) and captured.out == f"{output}: 1 documents, 9 words\n"
    (document,) = read_documents(output)
    assert document.key == "nw/sure" and not document.extra
    assert [[list(span) for span in cluster] for cluster in document.clusters] == TWO
    # Documents without predicted clusters are always left out.
    silver(capsys, predicted, output)
    assert [document.key for document in read_documents(output)] == ["nw/sure", "nw/unsure"]


def test_errors_are_one_line(tmp_path, predicted, capsys):
    output = tmp_path / "silver.jsonlines"
    bare = written(tmp_path / "bare.jsonlines", {"doc_key": "nw/bare", "sentences": [WORDS]})
    for words, message in [
        ((bare,), "nw/bare: has no predicted_clusters; expected what `coref predict"),
        ((predicted, "--min-probability", 0.95), "no document is probable enough"),
        ((predicted, "--min-probability", 2), "expected a probability from 0 to 1"),
    ]:
        code, captured = silver(capsys, words[0], output, *words[1:])
        assert code == 1 and message in captured.err and captured.err.count("\n") == 1, captured.err
        assert not output.exists()
