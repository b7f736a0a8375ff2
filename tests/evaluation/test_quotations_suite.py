"""The suite of quotations: figures for speakers and names, and errors for invalid files."""

import json

import pytest
from answers import FACTS, Answer

from coref_tf.evaluation.suites.registry import open_suite
from coref_tf.support.errors import CorefError

SENTENCES = [["“", "No", ",", "”", "she", "said", "."], ["“", "Yes", ",", "”", "said", "Ivo", "."]]
RECORD = {"doc_key": "fi/a", "sentences": [["Anna", "met", "Ivo", "."], *SENTENCES]}
RECORD["clusters"] = [[[0, 0], [8, 8]], [[2, 2], [16, 16]]]
GOLD = {
    "doc_key": "fi/a",
    "quotations": [
        {"first": 4, "last": 7, "speaker_mentions": [[0, 0], [8, 8]]},
        {"first": 11, "last": 14, "speaker_mentions": [[2, 2], [16, 16]]},
    ],
}


@pytest.fixture
def files(tmp_path):
    documents, quotations = tmp_path / "a.jsonlines", tmp_path / "quotations.jsonlines"
    documents.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    quotations.write_text(json.dumps(GOLD) + "\n", encoding="utf-8")
    return documents, quotations


def test_figures(files):
    suite = open_suite(f"quotations={files[0]},{files[1]}")
    (document,) = suite.documents
    wrong = [[(2, 2), (8, 8)]]  # links "she" to Ivo
    result = suite.score([Answer(document, wrong)], FACTS)
    assert result.figures["gold"] == {"quotations": 2, "found": 2, "right": 2, "named": 2, "nearest": 1}
    assert result.figures["model"]["named"] == 2
    assert "nearest name" in result.tables[0].as_text()


def test_invalid_files_are_refused(files, tmp_path):
    with pytest.raises(CorefError, match="expected quotations=DOCUMENTS"):
        open_suite(f"quotations={files[0]}")
    with pytest.raises(CorefError, match="not a record of quotations"):
        open_suite(f"quotations={files[0]},{files[0]}")
    other = tmp_path / "other.jsonlines"
    other.write_text(json.dumps(GOLD | {"doc_key": "fi/b"}) + "\n", encoding="utf-8")
    with pytest.raises(CorefError, match="has no quotations for any document"):
        open_suite(f"quotations={files[0]},{other}")
