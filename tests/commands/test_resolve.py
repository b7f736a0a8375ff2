"""coref resolve, as a user runs it, of documents whose clusters are there."""

import json

import pytest
from command import call

RECORD = {
    "doc_key": "nw/harbour",
    "text": "Ana left. She ran.",
    "sentences": [["Ana", "left", "."], ["She", "ran", "."]],
    "offsets": [[0, 3], [4, 8], [8, 9], [10, 13], [14, 17], [17, 18]],
    "clusters": [[[0, 0], [3, 3]]],
}


@pytest.fixture
def harbour(tmp_path):
    """A document with its text, and one of words alone whose clusters were predicted."""
    other = {"doc_key": "nw/b", "sentences": [["Ivo", "sat", "."], ["He", "slept", "."]]}
    other["predicted_clusters"] = [[[0, 0], [3, 3]]]
    path = tmp_path / "harbour.jsonlines"
    path.write_text(json.dumps(RECORD) + "\n" + json.dumps(other) + "\n")
    return path


def test_resolved_text_of_several_documents(harbour, tmp_path, capsys):
    assert call("resolve", "--given", harbour, "-o", tmp_path / "resolved.txt") in (0, None)
    assert (tmp_path / "resolved.txt").read_text() == "Ana left. Ana ran.\n\nIvo sat.\nIvo slept.\n"
    assert call("resolve", "--given", harbour) in (0, None)


def test_annotated_text(harbour, tmp_path):
    assert call("resolve", "--given", harbour, "--annotated", "-o", tmp_path / "out.txt") in (0, None)
    assert (tmp_path / "out.txt").read_text().startswith("[1 Ana] left. [1 She] ran.\n\n[1 Ivo] sat.\n")


def test_edits(harbour, tmp_path):
    assert call("resolve", "--edits", "--given", harbour, "-o", tmp_path / "out.jsonlines") in (0, None)
    first, second = map(json.loads, (tmp_path / "out.jsonlines").read_text().splitlines())
    assert first == {"doc_key": "nw/harbour", "text": RECORD["text"], "edits": [[10, 13, "Ana"]]}
    assert second == {"doc_key": "nw/b", "text": "Ivo sat.\nHe slept.", "edits": [[9, 11, "Ivo"]]}


def test_edits_go_to_json_and_to_standard_output(harbour, tmp_path, capfdbinary):
    assert call("resolve", "--edits", "--given", harbour, "-o", tmp_path / "out.json") in (0, None)
    assert call("resolve", "--edits", "--given", harbour, "-o", "-") in (0, None)
    assert capfdbinary.readouterr().out == (tmp_path / "out.json").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--given"], "nothing to resolve; expected files or folders"),
        (["--given", "no.txt"], "no.txt: no such file"),
        (["--given", "bare.txt"], "document bare: has no clusters; expected some for --given"),
        (
            ["--given", "bare.txt", "--model", "best"],
            "--given takes the clusters of documents; expected no --model",
        ),
        (["--given", "bare.txt", "-o", "bare.txt"], "is an input of this command"),
        (
            ["--given", "bare.txt", "-o", "out.jsonlines"],
            "out.jsonlines: expected an output whose name ends in .txt",
        ),
        (
            ["--given", "bare.txt", "--annotated", "-o", "out"],
            "out: expected an output whose name ends in .txt",
        ),
        (["--given", "bare.txt", "--edits", "-o", "out.txt"], "ends in .jsonlines, .jsonl or .json"),
        (["bare.txt", "-o", "out.html"], "out.html: expected an output whose name ends in .txt"),
        (
            ["bare.txt", "--edits", "-o", "out.conll"],
            "out.conll: expected an output whose name ends in .jsonlines",
        ),
    ],
)
def test_mistakes_are_one_line(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.txt").write_text("Ana left.")
    assert call("resolve", *words) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
