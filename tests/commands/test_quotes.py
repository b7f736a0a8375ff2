"""`coref quotes` and `coref characters` as a user runs them, with given clusters."""

import csv
import json

import pytest
from command import call

RECORD = {
    "doc_key": "fi/late",
    "text": 'Anna came in.\n"I am late," she said.\n"Yes."',
    "sentences": [
        ["Anna", "came", "in", "."],
        ['"', "I", "am", "late", ",", '"', "she", "said", "."],
        ['"', "Yes", ".", '"'],
    ],
    "offsets": [
        [0, 4], [5, 9], [10, 12], [12, 13], [14, 15], [15, 16], [17, 19], [20, 24], [24, 25], [25, 26], [27, 30],
        [31, 35], [35, 36], [37, 38], [38, 41], [41, 42], [42, 43],
    ],
    "clusters": [[[0, 0], [5, 5], [10, 10]]],
}  # fmt: skip


@pytest.fixture
def late(tmp_path):
    path = tmp_path / "late.jsonlines"
    path.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    return path


def test_a_table(late, capfd):
    assert call("quotes", "--given", late) in (0, None)
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "fi/late: 2 quotations"
    assert lines[1].split(maxsplit=2) == ["2", "Anna", '"I am late,"']


@pytest.mark.parametrize(("words", "name"), [(["--csv"], None), ([], "out.csv")])
def test_csv(late, tmp_path, capfd, words, name):
    output = ["-o", tmp_path / name] if name else []
    assert call("quotes", "--given", late, *words, *output) in (0, None)
    text = (tmp_path / name).read_text(encoding="utf-8") if name else capfd.readouterr().out
    first, *_ = csv.DictReader(text.splitlines())
    assert (first["document"], first["speaker"], first["words"]) == ("fi/late", "Anna", '"I am late,"')
    assert first["line"] == "2"
    assert (first["begin"], first["end"], first["first_word"], first["last_word"]) == ("14", "26", "4", "9")


@pytest.mark.parametrize(("words", "name"), [(["--json"], None), ([], "out.jsonlines")])
def test_json(late, tmp_path, capfd, words, name):
    output = ["-o", tmp_path / name] if name else []
    assert call("quotes", "--given", late, *words, *output) in (0, None)
    text = (tmp_path / name).read_text(encoding="utf-8") if name else capfd.readouterr().out
    record = json.loads(text)
    assert record["doc_key"] == "fi/late"
    first = record["quotations"][0]
    assert (first["speaker"], first["tag"], first["cluster"]) == ("Anna", [10, 11], 0)


def test_characters(late, tmp_path, capfd):
    assert call("characters", "--given", late) in (0, None)
    lines = capfd.readouterr().out.splitlines()
    assert lines[1].startswith("  Anna: 3 times, speaks")
    assert call("characters", "--given", late, "-o", tmp_path / "out.csv") in (0, None)
    (row,) = csv.DictReader((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines())
    assert (row["name"], row["mentions"], row["names"], row["pronouns"]) == (
        "Anna",
        "3",
        "Anna 1",
        "I 1, she 1",
    )
    assert call("characters", "--given", late, "--json") in (0, None)
    assert json.loads(capfd.readouterr().out)["characters"][0]["name"] == "Anna"


def test_unknown_output_ending_is_refused(late, tmp_path, capfd):
    assert call("quotes", "--given", late, "-o", tmp_path / "out.conll")
    assert "whose name ends in .txt, .csv, .json, .jsonl or .jsonlines" in capfd.readouterr().err
