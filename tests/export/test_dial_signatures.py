"""Signatures with a minimum probability give the Predictor's links at that probability; the default changes nothing."""

import numpy as np
import pytest
import tensorflow as tf
from export_cases import TEXT, as_request, check_result, random_document
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

import coref_tf
from coref_tf.documents.text import document_from_text
from coref_tf.models.checkpoint import best_checkpoint_path
from coref_tf.support.errors import CorefError


@pytest.mark.parametrize("flavour", ["fast", pytest.param("portable", marks=pytest.mark.slow)])
def test_documents_text_and_batches(predictor, loaded, flavour, monkeypatch):
    signatures = loaded[flavour]
    generator = np.random.default_rng(4)
    documents = [random_document(generator) for _ in range(4)]
    sizes = set()
    for least in (0.0, 0.97, 0.999):
        monkeypatch.setattr(predictor, "min_probability", least)
        dial = tf.constant(least)
        for document in documents:
            expected = predictor.predict(document, details=True)
            found = signatures["serving_default_dial"](**as_request(document), min_probability=dial)
            check_result(found, expected)
            if not least:
                plain = signatures["serving_default"](**as_request(document))
                for name, values in plain.items():
                    np.testing.assert_array_equal(values, found[name])
        found = signatures["text_dial"](text=tf.constant(TEXT), min_probability=dial)
        check_result(found, predictor.predict(document_from_text(TEXT, "x"), details=True))
        batch = signatures["batch_dial"](
            tokens=tf.constant([word for document in documents for word in document.words]),
            sentence_lengths=tf.constant([len(row) for document in documents for row in document.sentences]),
            document_lengths=tf.constant([len(document.sentences) for document in documents]),
            speakers=tf.constant([who for document in documents for row in document.speakers for who in row]),
            genres=tf.constant([document.genre for document in documents]),
            min_probability=dial,
        )
        places = [predictor.predict(document).place_probabilities for document in documents]
        np.testing.assert_allclose(batch["top_span_probability"], np.concatenate(places), atol=1e-5)
        sizes.add(len(batch["mention_starts"]))
    assert len(sizes) == 3


def test_the_input_has_a_default(exports):
    """C and gRPC clients need not feed the input."""
    graph = SavedModel.FromString((exports["portable"] / "saved_model.pb").read_bytes()).meta_graphs[0]
    for name in ("serving_default", "text", "batch"):
        definition = graph.signature_def[f"{name}_dial"]
        assert definition.defaults["min_probability"].float_val[:] in ([0.0], [])
        node = definition.inputs["min_probability"].name.partition(":")[0]
        assert next(n.op for n in graph.graph_def.node if n.name == node) == "PlaceholderWithDefault"
        assert not graph.signature_def[name].defaults


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_invalid_probabilities_are_refused(loaded, least):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"min_probability must be from 0 to 1. Received: "
    ):
        loaded["fast"]["text_dial"](text=tf.constant("Ana left."), min_probability=tf.constant(least))


def test_load_sets_the_dial_of_an_export(experiment, exports):
    folder, checkpoint = exports["fast"], best_checkpoint_path(experiment)
    for options in ({"min_probability": 0.9}, {"precision": 0.85}):
        found, expected = (coref_tf.load(path, **options)(TEXT) for path in (folder, checkpoint))
        assert found.spans == expected.spans
        for ours, theirs in zip(found, expected, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                assert one.probability == pytest.approx(other.probability, abs=1e-5)
                assert one.antecedent_probability == pytest.approx(other.antecedent_probability, abs=1e-5)
    with pytest.raises(
        CorefError, match=r"its links do not reach a precision of 0.95 on the dev set; the highest is 0.900"
    ):
        coref_tf.load(folder, precision=0.95)
