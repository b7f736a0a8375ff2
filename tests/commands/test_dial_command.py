"""`coref analyse dial` as a user runs it; its figures equal those of `coref evaluate`."""

import csv
import json

import numpy as np
import pytest
from command import call

from coref_tf.documents import Document
from coref_tf.evaluation.dial_curve import Linked, average_f1
from coref_tf.scoring import score


def test_clusters_at_a_threshold_by_hand():
    document = Document("a", [["w"] * 6], clusters=[[(0, 0), (1, 1), (2, 2)], [(3, 3), (4, 4)], [(5, 5)]])
    spans = np.arange(5)
    made = Linked(
        document, spans, spans, np.array([-1, 0, 1, -1, 3]), np.array([0, 0.9, 0.4, 0, 0.5], np.float32)
    )
    left = {
        0.0: [[(0, 0), (1, 1), (2, 2)], [(3, 3), (4, 4)]],
        0.45: [[(0, 0), (1, 1)], [(3, 3), (4, 4)]],
        0.6: [[(0, 0), (1, 1)]],
        1.0: [],
    }
    for least, clusters in left.items():
        for remove in (False, True):
            expected = score(document.clusters, clusters, remove_singletons=remove).average_f1
            assert average_f1([made], least, remove) == pytest.approx(100 * expected)


def test_the_curve_is_written(trained_small, tmp_path, capsys):
    conf, corpus = trained_small
    folder = tmp_path / "out"
    assert not call(
        "analyse", "dial", "--conf", conf, "small", corpus, corpus, "mention_ratio=0.3", "--out", folder
    )
    assert "dial.csv and .png" in capsys.readouterr().out
    assert (folder / "dial.png").read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader((folder / "dial.csv").open()))
    assert len(rows) == 101 and rows[-1]["minimum probability"] == "1.0000"
    links = [int(row["links"]) for row in rows]
    assert links == sorted(links, reverse=True) and links[0] > links[60]
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    gold = 2 * sum(len(cluster) - 1 for document in documents for cluster in document["clusters"])
    for row in rows:
        right = float(row["link precision %"] or 0) * int(row["links"])
        assert right == pytest.approx(float(row["link recall %"]) * gold, abs=0.1 * gold)
    for least in (0, 30):
        words = (
            "evaluate",
            "small",
            "mention_ratio=0.3",
            "--data",
            corpus,
            "--conf",
            conf,
            "--json",
            tmp_path / "f.json",
        )
        assert not call(*words, "--min-probability", least / 100, "--json", tmp_path / "f.json")
        expected = json.loads((tmp_path / "f.json").read_text())["average_f1"]
        assert float(rows[least]["CoNLL F1 %"]) == pytest.approx(100 * expected, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["best"], "no documents given; expected MODEL DATA"),
        (["best", "released", "dev.conll"], "best released: several models; expected one"),
        (["dev.conll"], "no model given"),
    ],
)
def test_errors_are_one_line(words, message, capsys):
    assert call("analyse", "dial", *words) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and message in lines[0]
