"""Singletons: the fitted threshold is the best one, and predictions include singletons on request."""

import json

import numpy as np
import pytest
from command import call, import_reference
from export_cases import random_document, train

from coref_tf.evaluation.singleton_fit import fit_singletons
from coref_tf.inference.prediction import are_singletons
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import read_checkpoint
from coref_tf.models.open_model import open_experiment
from coref_tf.models.trained_model import singleton_score
from coref_tf.support.errors import CorefError


def f1_at(threshold, scores, gold, clustered, mentions):
    found = [own for score, own in zip(scores, gold, strict=True) if score >= threshold]
    return 2 * (clustered[1] + sum(found)) / max(clustered[0] + len(found) + mentions, 1)


@pytest.mark.parametrize("seed", range(6))
def test_the_fitted_threshold_has_the_best_f1(seed):
    generator = np.random.default_rng(seed)
    scores = np.round(generator.normal(size=60), 1)  # rounded, so that there are ties
    gold = generator.random(60) < 1 / (1 + np.exp(-2 * scores + seed - 3))
    clustered, mentions = (20, 15), 30 + int(gold.sum())
    found = fit_singletons(scores, gold, clustered, mentions)
    every = {t: f1_at(t, scores, gold, clustered, mentions) for t in [*(scores - 0.01), 99.0]}
    assert found.f1 == pytest.approx(max(every.values()))
    assert f1_at(found.threshold, scores, gold, clustered, mentions) == pytest.approx(found.f1)
    assert found.f1_without == pytest.approx(every[99.0])


def test_fits_without_spans_without_singletons_and_with_singletons_only():
    assert fit_singletons(np.zeros(0), np.zeros(0, bool), (0, 0), 0) == (0.0, 0.0, 0.0)
    none = fit_singletons(np.array([1.0, 2.0]), np.array([False, False]), (5, 5), 5)
    assert none.threshold > 2 and none.f1 == none.f1_without == 1
    every = fit_singletons(np.array([1.0, 2.0]), np.array([True, True]), (0, 0), 2)
    assert every.threshold <= 1 and every.f1 == 1 and every.f1_without == 0


def test_spans_without_links_above_the_threshold_are_singletons():
    antecedents, scores = np.array([-1, 0, -1, -1, -1]), np.array([5.0, 1.0, 2.0, -3.0, 1.5])
    assert are_singletons(antecedents, scores, 2.0).tolist() == [False, False, True, False, False]
    assert are_singletons(antecedents, scores, -np.inf).tolist() == [False, False, True, True, True]
    assert are_singletons(np.zeros(0, int), np.zeros(0), 0.0).shape == (0,)


def test_predictions_include_singletons_on_request(tmp_path):
    loaded = Predictor.from_models(
        [open_experiment(train(tmp_path, state={"singletons": 0.5}))], singletons=True
    )
    assert loaded.singleton_score == 0.5
    parts = loaded.model, loaded.tensorizer
    generator = np.random.default_rng(5)
    documents = [random_document(generator) for _ in range(4)]
    for dial in (0.97, 1.0):
        plain = Predictor(*parts, min_probability=dial)
        before = [plain.predict(document) for document in documents]
        least = float(np.median(np.concatenate([prediction.mention_scores for prediction in before])))
        every = Predictor(*parts, min_probability=dial, singleton_score=least)
        alone = 0
        for prediction in before:
            linked = {span for cluster in prediction.clusters for span in cluster}
            scored = zip(prediction.top_spans, prediction.mention_scores, strict=True)
            single = [[span] for span, score in scored if score >= least and span not in linked]
            after = every.predict(prediction.document)
            assert after.clusters == sorted(prediction.clusters + single)
            values = after.summary()["predicted_probabilities"]
            assert list(map(len, values)) == list(map(len, after.clusters))
            assert all(0 <= value <= 1 for cluster in values for value in cluster)
            alone += len(single)
    assert alone > 3  # at 1.0, every link is removed


@pytest.mark.parametrize("kept", [None, "x", float("nan"), True])
def test_a_checkpoint_without_a_valid_threshold_is_a_one_line_error(tmp_path, kept):
    model = open_experiment(train(tmp_path, state={"singletons": kept}))
    message = (
        "has no fitted threshold for singletons; run" if kept is None else "expected a number; fit it again"
    )
    with pytest.raises(CorefError, match=message):
        singleton_score([model])
    with pytest.raises(
        CorefError, match="an ensemble has no fitted threshold for singletons; name one model"
    ):
        singleton_score([model, model])


def cluster_sizes(path):
    records = map(json.loads, path.read_text().splitlines())
    return [len(cluster) for record in records for cluster in record["predicted_clusters"]]


def test_the_command_fits_and_stores_the_threshold(tmp_path, capsys):
    import_reference(tmp_path)
    conf, corpus = ("--conf", tmp_path / "experiments.conf"), tmp_path / "docs.jsonlines"
    fit = "analyse", "singletons", *conf, "small", corpus
    evaluation = "evaluate", "small", "--data", corpus, *conf, "--singletons"
    assert call(*evaluation) == 1 and "has no fitted threshold for singletons" in capsys.readouterr().err
    documents = [json.loads(line) for line in corpus.read_text().splitlines()]
    for document in documents:
        document["clusters"] = [[[n, n]] for n in range(sum(map(len, document["sentences"])))]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    path = tmp_path / "logs" / "small" / "best.h5"
    before = path.read_bytes()
    assert (
        not call(*fit)
        and "the checkpoint was not changed; --keep" in capsys.readouterr().out
        and path.read_bytes() == before
    )
    assert not call(*fit, "--keep") and f"stored in {path}" in capsys.readouterr().out
    assert isinstance(read_checkpoint(path).state["singletons"], float)
    for option in ((), ("--singletons",)):
        words = "predict", "--model", "small", corpus, *conf, *option
        assert not call(*words, "-o", tmp_path / f"{len(option)}.jsonlines")
    sizes = [cluster_sizes(tmp_path / f"{number}.jsonlines") for number in (0, 1)]
    assert 1 not in sizes[0] and sizes[1].count(1) > 10
    assert sorted(size for size in sizes[1] if size > 1) == sorted(sizes[0])
    capsys.readouterr()
    corpus.write_text(json.dumps(documents[0] | {"clusters": [[[0, 0], [1, 1]]]}))
    assert call(*fit) == 1 and "has no singletons; expected" in capsys.readouterr().err
