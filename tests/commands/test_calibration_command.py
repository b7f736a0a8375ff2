"""`coref analyse calibration` as a user runs it."""

import csv
import json

from command import call
from random_documents import REFERENCE

from coref_tf.documents import read_documents
from coref_tf.evaluation.calibration.report import choose_sets


def test_fit_and_reliability_are_written(trained_small, tmp_path, capsys):
    conf, corpus = trained_small
    folder = tmp_path / "out"
    words = ["calibration", "--conf", conf, "small", folder, "--fit", corpus]
    assert not call("analyse", *words, "--data", corpus, "mention_ratio=0.3")
    assert (
        "measured on 2 of" in capsys.readouterr().out
    )  # the documents of one file are split between fitting and measuring
    assert call("analyse", *words, "lstm_size=3") == 1
    assert "was trained with lstm_size" in capsys.readouterr().err
    figures = json.loads((folder / "calibration.json").read_text())
    assert figures["temperature"] > 0
    assert all(0 < chance < 0.5 for chance in figures["by_chance_alone"].values())
    rows = list(csv.DictReader((folder / "calibration.csv").open()))
    # The errors in the JSON file follow from the rows of the CSV file.
    for group, errors in figures["expected_calibration_error"].items():
        for when, error in errors.items():
            own = [row for row in rows if (row["group"], row["when"]) == (group, when)]
            total = sum(int(row["decisions"]) for row in own)
            gaps = [int(r["decisions"]) * abs(float(r["confidence %"]) - float(r["right %"])) for r in own]
            assert abs(sum(gaps) / max(total, 1) / 100 - error) < 1e-5
    assert (folder / "calibration.png").read_bytes().startswith(b"\x89PNG")


def test_one_file_is_split_and_two_are_not(tmp_path):
    corpus = REFERENCE / "docs.jsonlines"
    other = tmp_path / "other.jsonlines"
    other.write_bytes(corpus.read_bytes())
    keys = [document.key for document in read_documents(corpus)]
    fitting, measuring = choose_sets(corpus, corpus)
    assert [d.key for d in fitting] == keys[::2] and [d.key for d in measuring] == keys[1::2]
    fitting, measuring = choose_sets(corpus, other)
    assert [d.key for d in fitting] == [d.key for d in measuring] == keys
