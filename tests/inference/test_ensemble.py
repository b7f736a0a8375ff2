"""Ensembles: the scores of several models are averaged."""

import json
import re
import shutil

import numpy as np
import oracles_model
import pytest
import tensorflow as tf
from command import call
from random_documents import NUM_CHARACTERS, REFERENCE, random_inputs, small_experiment, small_model

from coref_tf.config import VectorSetConfig, load_experiment
from coref_tf.documents import read_documents
from coref_tf.features.tensorize import input_specs
from coref_tf.inference.ensemble import Ensemble, check_experiments
from coref_tf.inference.predictor import Predictor
from coref_tf.models.checkpoint import Checkpoint, best_checkpoint_path, model_settings, write_checkpoint
from coref_tf.models.open_model import open_experiment, open_trained_model
from coref_tf.support.errors import CorefError


@pytest.mark.parametrize("graph", [False, True])
def test_scores_are_averaged_before_and_after_pruning(graph):
    generator = np.random.default_rng(1)
    models = [small_model(0), small_model(1), small_model(2, use_features=False)]
    run = Ensemble(models)
    if graph:
        run = tf.function(run, input_signature=[(input_specs(18),) * 3], autograph=False)
    for lengths in ([7, 1, 12, 5], [30], [3] * 15):
        inputs = random_inputs(generator, lengths)
        output = run((inputs,) * 3)
        mention_scores, top_spans, scores = oracles_model.ensemble(models, [inputs] * 3)
        np.testing.assert_allclose(output.candidate_mention_scores, mention_scores, rtol=1e-5, atol=1e-5)
        kept = np.stack([output.top_span_starts, output.top_span_ends], axis=1)
        assert kept.tolist() == [list(span) for span in top_spans]
        np.testing.assert_allclose(output.antecedents.scores, scores, rtol=1e-5, atol=1e-5)
        # The models differ so much that the ensemble keeps other spans than any single model.
        alone = [model(inputs).top_span_starts.numpy().tolist() for model in models]
        assert output.top_span_starts.numpy().tolist() not in alone or len(lengths) == 1


def test_no_words_and_one_word():
    ensemble = Ensemble([small_model(0), small_model(1)])
    for lengths in ([], [1]):
        inputs = random_inputs(np.random.default_rng(0), lengths)
        assert ensemble((inputs, inputs)).antecedents.scores.shape == (0, 1)


def trained(folder, name, seed, **changes):
    """An experiment whose checkpoint has random weights."""
    experiment = small_experiment(name=name, log_root=folder / "logs", **changes)
    model = small_model(seed, **changes)
    variables = {variable.name.removesuffix(":0"): variable.numpy() for variable in model.variables}
    characters = [chr(ord("a") + n) for n in range(NUM_CHARACTERS - 1)]
    checkpoint = Checkpoint(model_settings(experiment), characters, variables)
    write_checkpoint(best_checkpoint_path(experiment), checkpoint)
    return experiment


def test_a_predictor_of_several_experiments_with_different_vectors(tmp_path):
    both = small_experiment().embeddings
    experiments = [trained(tmp_path, "first", 0), trained(tmp_path, "second", 1, embeddings=both[:1])]
    predictor = Predictor.from_models([open_experiment(each) for each in (*experiments, experiments[0])])
    assert len(set(predictor.tensorizer.tensorizers)) == 2  # models with the same vectors share a tensorizer
    document = next(iter(read_documents(REFERENCE / "docs.jsonlines")))
    inputs = predictor.tensorizer.tensorize(document)
    _, top_spans, scores = oracles_model.ensemble(predictor.model.models, inputs)
    prediction = predictor.predict(document, details=True)
    assert prediction.top_spans == top_spans
    np.testing.assert_allclose(prediction.output.antecedents.scores, scores, rtol=1e-5, atol=1e-5)
    assert len(predictor.tensorizer.unknown_shares([document])) == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_mention_width": 5}, "max_mention_width is 4 in one and 5 in the other"),
        ({"genres": ("bc", "nw")}, "genres is bc, bn, mz, nw, pt, tc, wb in one and bc, nw in the other"),
        ({"mention_ratio": 0.3}, "mention_ratio is 0.4 in one and 0.3 in the other"),
        ({"max_antecedents": 9}, "max_antecedents is 8 in one and 9 in the other"),
    ],
)
def test_models_that_cannot_be_averaged_are_refused_in_one_line(changes, message):
    with pytest.raises(CorefError, match=re.escape(f"small and other can't be averaged: {message}")):
        check_experiments([small_experiment(), small_experiment(name="other", **changes)])


def test_models_that_choose_their_own_antecedents_are_refused():
    with pytest.raises(CorefError, match="each model chooses its own antecedents"):
        check_experiments([small_experiment(antecedents="coarse")] * 2)


def test_single_models_and_models_of_different_sizes_are_accepted():
    check_experiments([small_experiment(antecedents="coarse")])
    check_experiments(
        [small_experiment(), small_experiment(lstm_size=9, embeddings=(VectorSetConfig("x", 3),))]
    )


@pytest.fixture
def conf(tmp_path):
    """An experiments file with two trained experiments."""
    shutil.copytree(REFERENCE, tmp_path, dirs_exist_ok=True)
    conf = tmp_path / "experiments.conf"
    with conf.open("a") as file:
        file.write("\nfirst = ${small} {}\nsecond = ${small} { use_features = false }\n")
    for seed, name in enumerate(["first", "second"]):
        trained(load_experiment(name, conf).log_root.parent, name, seed, use_features=name == "first")
    return conf


def test_evaluate_and_predict_take_ensembles(conf, capsys):
    corpus, figures = conf.parent / "docs.jsonlines", conf.parent / "figures.json"
    options = ["--conf", conf, "--data", corpus, "--json", figures]
    assert not call("evaluate", "first", "second", "--ensemble", *options)
    assert "ensemble of first second, corpus" in capsys.readouterr().out
    assert 0 <= json.loads(figures.read_text())["average_f1"] <= 1
    out = conf.parent / "out.jsonlines"
    assert not call("predict", "first", "second", corpus, "-o", out, "--conf", conf)
    together = Predictor.from_models([open_trained_model(name, conf=conf) for name in ("first", "second")])
    for document in read_documents(out):
        clusters = [[tuple(span) for span in cluster] for cluster in document.extra["predicted_clusters"]]
        assert clusters == together.predict(document).clusters


def test_several_experiments_need_the_ensemble_option(conf, capsys):
    assert call("evaluate", "first", "second", "--conf", conf)
    assert "--ensemble to average their models" in capsys.readouterr().err


def test_a_checkpoint_option_with_two_experiments_is_refused(conf, capsys):
    arguments = ["first", "second", "--ensemble", "--conf", conf, "--checkpoint", "x.h5"]
    arguments += ["--data", conf.parent / "docs.jsonlines"]
    assert call("evaluate", *arguments)
    assert "x.h5: expected at most one experiment" in capsys.readouterr().err
