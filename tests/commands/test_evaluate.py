"""evaluate.py as a user runs it."""

import json
import shutil

import pytest
from command import call, import_reference
from random_documents import REFERENCE, small_experiment

from coref_tf.documents import Document, read_documents
from coref_tf.evaluation.evaluate import evaluate
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.scoring import Scorer
from coref_tf.scoring.report import scorer_of


@pytest.fixture
def folder(tmp_path):
    return import_reference(tmp_path)


def test_table_json_and_conll_agree(folder, capsys):
    figures, predicted = folder / "scores.json", folder / "predicted.conll"
    options = ["--data", folder / "docs.jsonlines", "--json", figures, "--conll", predicted]
    assert not call("evaluate", "small", "--conf", folder / "experiments.conf", *options)
    output = capsys.readouterr().out
    scores = json.loads(figures.read_text())
    scorer = Scorer()
    gold, response = read_documents(folder / "docs.jsonlines"), read_documents(predicted)
    for key, answer in zip(gold, response, strict=True):
        scorer.add(key.clusters, answer.clusters, document=key.key)
    assert scores["average_f1"] == pytest.approx(scorer.result().average_f1)
    assert sorted(scores["genres"]) == ["bc", "nw", "tc", "wb"]
    assert scorer_of(scores).documents == scorer.documents, "bootstraps need the figures of each document"
    assert scorer_of(scores).result() == scorer.result()
    assert f"{100 * scores['average_f1']:.2f}" in output
    assert f"mention recall {100 * scores['mention_recall']:.1f}%" in output
    assert "of the words have no vector in" in output and "corpus" in output.splitlines()[0]


def test_documents_without_clusters_are_an_error(folder, capsys):
    text = folder / "text.txt"
    text.write_text("She left.")
    assert call("evaluate", "small", "--conf", folder / "experiments.conf", "--data", text) == 1
    assert (
        f"error: {text}: has no clusters; expected documents with gold clusters\n" in capsys.readouterr().err
    )


def test_official_scorer_is_run(folder, capsys):
    script = folder / "scorer.pl"
    script.write_text('print "Coreference: Recall: (1 / 2) 50%\\tPrecision: (1 / 2) 50%\\tF1: 50%\\n";')
    options = ["--data", folder / "docs.jsonlines", "--official", script]
    assert call("evaluate", "small", "--conf", folder / "experiments.conf", *options) == 1
    assert "scorer.pl" in capsys.readouterr().err


def test_mention_recall_counts_gold_mentions_among_the_kept_spans(folder):
    predictor = Predictor.from_models([open_experiment(small_experiment(log_root=folder / "logs"))])
    words = ["The", "council", "met", "it", "."]
    document = Document("nw/x", [words])
    kept = predictor.predict(document).top_spans
    others = [(s, e) for s in range(5) for e in range(s, 5) if (s, e) not in kept]
    evaluation = evaluate(predictor, [document.with_clusters([[*kept, others[0]], [others[1], others[2]]])])
    assert evaluation.mention_recall == len(kept) / (len(kept) + 3)
    assert evaluation.spans_per_word == len(kept) / 5


def test_a_missing_official_scorer_is_reported_before_the_model_is_opened(tmp_path, capsys):
    shutil.copytree(REFERENCE, tmp_path, dirs_exist_ok=True)
    options = ["--conf", tmp_path / "experiments.conf", "--official", tmp_path / "nowhere.pl"]
    assert call("evaluate", "small", *options) == 1
    assert "nowhere.pl: no such file; expected the official scorer" in capsys.readouterr().err
