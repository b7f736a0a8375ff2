"""Mentions given by rules or by gold clusters: figures, training, prediction and errors."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from oracles_model import straightforward
from random_documents import random_inputs, small_experiment, small_model

from coref_tf.commands import predict
from coref_tf.commands.main import main
from coref_tf.documents import Document, read_documents
from coref_tf.documents.selection import window
from coref_tf.export.building import ExportOptions, build_serving_module
from coref_tf.features.characters import CharacterVocabulary
from coref_tf.features.given_mentions import given_mentions, require_mentions
from coref_tf.features.tensorize import Tensorizer
from coref_tf.inference.ensemble import check_experiments
from coref_tf.inference.predictor import Predictor
from coref_tf.layers import mention_scorer, span_representation
from coref_tf.models.checkpoint import Checkpoint, model_settings
from coref_tf.models.open_model import open_experiment
from coref_tf.models.saved_settings import check_settings
from coref_tf.support.errors import CorefError
from coref_tf.syntax.mention_detector import detect_mentions
from coref_tf.training.fit import fit

FERRY = Path(__file__).parents[1] / "fixtures" / "ferry.v4_gold_conll"


def with_given_spans(inputs, generator):
    """Returns the inputs with random given spans, some of them crossing, some as wide as their sentence."""
    spans, first = [], 0
    for length in map(int, inputs.sentence_lengths):
        chosen = generator.integers(length, size=[length, 2]) if length else np.zeros([0, 2], int)
        spans += [(first + min(pair), first + max(pair)) for pair in chosen.tolist()]
        spans += [(first, first + length - 1)] * (length > 0)
        first += length
    given = np.array(sorted(set(spans)), np.int32).reshape(-1, 2)
    return inputs._replace(given_starts=given[:, 0], given_ends=given[:, 1])


@pytest.mark.parametrize(
    "changes",
    [{}, {"model_heads": False}, {"use_features": False}, {"max_antecedents": 3}],
    ids=lambda changes: "-".join(changes) or "full",
)
def test_given_spans_equal_the_straightforward_form(changes, monkeypatch):
    # Small tiles, so that there is more than one.
    monkeypatch.setattr(mention_scorer, "SPANS_PER_TILE", 7)
    monkeypatch.setattr(span_representation, "SPANS_PER_TILE", 3)
    model = small_model(mentions="oracle", **changes)
    generator = np.random.default_rng(11)
    for sentence_lengths, some in (([9, 1, 6], True), ([5], False)):
        inputs = random_inputs(generator, sentence_lengths)
        inputs = with_given_spans(inputs, generator) if some else inputs
        with tf.GradientTape() as tape:
            output = model(inputs, words_per_block=4)
            loss = model.loss_of(inputs, output)
        with tf.GradientTape() as oracle_tape:
            expected = straightforward(model, inputs)
        spans = np.stack([output.top_span_starts, output.top_span_ends], axis=1)
        np.testing.assert_array_equal(spans, np.stack([inputs.given_starts, inputs.given_ends], axis=1))
        np.testing.assert_allclose(
            output.top_span_mention_scores, expected["candidate_mention_scores"], atol=1e-5
        )
        np.testing.assert_allclose(output.antecedents.scores, expected["antecedents"].scores, atol=2e-5)
        np.testing.assert_allclose(loss, expected["loss"], rtol=1e-5)
        ours = tape.gradient(loss, model.trainable_variables, unconnected_gradients="zero")
        theirs = oracle_tape.gradient(
            expected["loss"], model.trainable_variables, unconnected_gradients="zero"
        )
        for variable, mine, other in zip(model.trainable_variables, ours, theirs, strict=True):
            mine, other = (tf.convert_to_tensor(gradient).numpy() for gradient in (mine, other))
            limit = max(1e-4 * np.abs(other).max(), 1e-5)
            np.testing.assert_allclose(mine, other, rtol=0, atol=limit, err_msg=variable.name)


def test_attention_over_any_width_equals_attention_over_the_largest_width():
    narrow, wide = (
        span_representation.SpanRepresentation(5, 4, 6, feature_size=3, any_width=any_width)
        for any_width in (False, True)
    )
    generator = np.random.default_rng(0)
    values, scores = generator.normal(size=[9, 4]), 30 * generator.normal(size=[9])
    values, scores = (array.astype(np.float32) for array in (values, scores))
    spans = narrow.candidates(tf.constant([9]))
    np.testing.assert_allclose(
        wide.attend(values, scores, spans), narrow.attend(values, scores, spans), atol=1e-5
    )


def test_which_spans_are_given():
    document = next(read_documents(FERRY))
    gold = sorted({span for cluster in document.clusters for span in cluster})
    assert given_mentions(document, "learned") == []
    assert given_mentions(document, "oracle") == gold
    assert given_mentions(document, "rules") == detect_mentions(document) != gold
    twice = Document("nw/twice", [["a", "b", "c"]], clusters=[[(1, 2), (0, 0)], [(1, 2)]])
    assert given_mentions(twice, "oracle") == [(0, 0), (1, 2)]


@pytest.mark.parametrize("mentions", ["rules", "oracle"])
def test_a_window_gives_its_own_spans(mentions):
    document = next(read_documents(FERRY))
    tensorizer = Tensorizer([], CharacterVocabulary(["a"]), ["nw"], "nw", mentions, report=lambda line: None)
    first = len(document.sentences[0])
    inputs = tensorizer.tensorize(window(document, 1, 1))
    last = first + len(document.sentences[1]) - 1
    inside = [
        (s - first, e - first) for s, e in given_mentions(document, mentions) if first <= s and e <= last
    ]
    assert inside and list(zip(inputs.given_starts, inputs.given_ends, strict=True)) == inside


def ferry_experiment(tmp_path, mentions):
    corpus = dict.fromkeys(["eval_path", "conll_eval_path", "test_path"], FERRY)
    return small_experiment(
        name=mentions, mentions=mentions, log_root=tmp_path, train_path=(FERRY,), patience=2, **corpus
    )


@pytest.fixture(params=[("rules", True), ("oracle", False)], ids=lambda param: param[0])
def mentions(request):
    """Both kinds of mentions; one of them runs eagerly, since tracing the same graph twice takes long."""
    kind, eager = request.param
    tf.config.run_functions_eagerly(eager)
    yield kind
    tf.config.run_functions_eagerly(False)


@pytest.mark.filterwarnings("ignore:Even though the `tf.config.experimental_run_functions_eagerly`")
def test_training_and_prediction_keep_only_the_given_spans(tmp_path, mentions, monkeypatch):
    experiment = ferry_experiment(tmp_path, mentions)
    assert fit(experiment, max_steps=2).state.step == 2
    predictor = Predictor.from_models([open_experiment(experiment)])
    for prediction in predictor.predict_all(read_documents(FERRY)):
        assert prediction.top_spans == given_mentions(prediction.document, mentions)
    learned = dataclasses.replace(experiment, mentions="learned")
    with pytest.raises(CorefError, match=f'was trained with mentions = "{mentions}", experiment'):
        Predictor.from_models([open_experiment(learned)])
    with pytest.raises(CorefError, match=f"mentions = {mentions} needs more than words"):
        build_serving_module([open_experiment(experiment)], tmp_path, ExportOptions())
    if mentions == "oracle":
        (tmp_path / "text.txt").write_text("Ana left.\n")
        monkeypatch.setattr(predict, "open_models", lambda *_: [open_experiment(experiment)])
        with pytest.raises(CorefError, match="has no gold clusters, which mentions = oracle requires"):
            main(["predict", "--model", "oracle", str(tmp_path / "text.txt"), "-o", "-"])


def test_a_corpus_without_parses_is_refused_before_training(tmp_path):
    experiment = small_experiment(mentions="rules", log_root=tmp_path)
    with pytest.raises(
        CorefError, match=r"mentions = rules: document nw/harbour_0 has no parses; expected CoNLL-2012 files"
    ):
        fit(experiment, max_steps=1)


def test_older_checkpoints_have_learned_mentions():
    settings = model_settings(small_experiment())
    del settings["mentions"]
    checkpoint = Checkpoint(settings, [], {})
    check_settings(checkpoint, small_experiment(), "best.h5")
    with pytest.raises(
        CorefError, match='was trained with mentions = "learned", experiment small has "oracle"'
    ):
        check_settings(checkpoint, small_experiment(mentions="oracle"), "best.h5")


def test_ensemble_members_must_have_the_same_mentions():
    with pytest.raises(CorefError, match="mentions is learned in one and oracle in the other"):
        check_experiments([small_experiment(), small_experiment(mentions="oracle")])


def test_text_has_no_gold_mentions():
    text, annotated = Document("nw/text", [["Ana"]]), Document("nw/gold", [["Ana"]], clusters=[[(0, 0)]])
    assert list(require_mentions([text], "learned")) == list(require_mentions([text], "rules")) == [text]
    assert list(require_mentions([annotated], "oracle")) == [annotated]
    with pytest.raises(CorefError, match="document nw/text_0 has no gold clusters"):
        list(require_mentions([text], "oracle"))
