"""The signatures give the predictions of the Predictor for any document, and a clear error for invalid input."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from export_cases import TEXTS, as_request, check_result, clusters, random_document, train
from small_encoder import small_encoder

from coref_tf.documents import Document
from coref_tf.documents.text import document_from_text
from coref_tf.export.building import ExportOptions
from coref_tf.export.exported_model import ExportedModel, document_inputs
from coref_tf.export.writing import export
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError

FLAVOURS = ["fast", "portable"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_30_documents_equal_the_predictor(loaded, predictor, flavour):
    generator = np.random.default_rng(0)
    found = 0
    for number in range(30):
        document = random_document(generator, genre=["nw", "bc", "klingon"][number % 3])
        result = loaded[flavour]["serving_default"](**as_request(document))
        check_result(result, predictor.predict(document, details=True))
        found += len(clusters(result))
    assert found > 20


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_details_equal_those_of_the_predictor(loaded, exports, predictor, flavour):
    generator, exported = np.random.default_rng(2), ExportedModel(exports[flavour])
    for document in [*(random_document(generator) for _ in range(5)), Document("nw/x", [])]:
        expected = predictor.predict(document, details=True)
        inputs = {name: tf.constant(value, tf.string) for name, value in document_inputs(document).items()}
        result = loaded[flavour]["details"](**inputs)
        check_result(result, expected)
        found = exported.predict(document, details=True)
        assert (found.clusters, found.top_spans) == (expected.clusters, expected.top_spans)
        for name in ("antecedents", "antecedent_scores", "link_probabilities", "place_probabilities"):
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-5, rtol=1e-5)
        for mine, theirs in zip(tf.nest.flatten(found.output), tf.nest.flatten(expected.output), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_batch_equals_its_documents_one_by_one(loaded, flavour):
    generator = np.random.default_rng(1)
    documents = [random_document(generator, genre) for genre in ("nw", "bc", "zz")]
    documents.insert(1, Document("nw/x", []))
    sentences = [sentence for document in documents for sentence in document.sentences]
    result = loaded[flavour]["batch"](
        tokens=tf.constant([word for document in documents for word in document.words]),
        sentence_lengths=tf.constant([len(sentence) for sentence in sentences]),
        document_lengths=tf.constant([len(document.sentences) for document in documents]),
        speakers=tf.constant([name for document in documents for row in document.speakers for name in row]),
        genres=tf.constant([document.genre for document in documents]),
    )
    for number, document in enumerate(documents):
        alone = loaded[flavour]["serving_default"](**as_request(document))
        for name, expected in alone.items():
            kind = "top_span" if name.startswith("top_span") else "mention"
            mine = result[f"{kind}_documents"].numpy() == number
            np.testing.assert_allclose(result[name].numpy()[mine], expected, atol=1e-6)
    assert result["mention_documents"].dtype == result["top_span_documents"].dtype == tf.int32


def test_an_empty_batch(loaded):
    nothing, strings = tf.zeros([0], tf.int32), tf.zeros([0], tf.string)
    result = loaded["portable"]["batch"](
        tokens=strings, sentence_lengths=nothing, document_lengths=nothing, speakers=strings, genres=strings
    )
    assert {len(value) for value in result.values()} == {0}


@pytest.mark.parametrize("shape", [[0, 0], [0, 5], [3, 0]])
def test_no_words_no_mentions(loaded, shape):
    empty = tf.zeros(shape, tf.string)
    result = loaded["fast"]["serving_default"](tokens=empty, speakers=empty, genre=tf.constant(""))
    assert {len(value) for value in result.values()} == {0}


@pytest.mark.parametrize("shape", [[0, 0], [1, 1], [2, 9]])
def test_speakers_may_be_left_out(loaded, predictor, shape):
    document = random_document(np.random.default_rng(3))
    request = as_request(document) | {"speakers": tf.zeros(shape, tf.string)}
    result = loaded["fast"]["serving_default"](**request)
    silent = Document("nw/x", document.sentences)
    check_result(result, predictor.predict(silent, details=True))


def test_an_empty_sentence_and_one_word(loaded, predictor):
    for sentences in ([["She", "left"], [], ["Ana", "said", "she", "did"]], [["Hello"]], [[], []]):
        document = Document("nw/x", sentences)
        result = loaded["fast"]["serving_default"](**as_request(document))
        check_result(result, predictor.predict(document, details=True))


ONE = {"tokens": [["a", "b"], ["c", ""]], "speakers": [["", ""], ["", ""]], "genre": "nw"}
MANY = {"tokens": ["a", "b", "c"], "sentence_lengths": [1, 2], "document_lengths": [1, 1]}
MANY |= {"speakers": [""], "genres": ["nw", "bc"]}


@pytest.mark.parametrize(
    ("signature", "changed", "message"),
    [
        (
            "serving_default",
            {"tokens": [["a", "b"], ["", "c"]]},
            "a row of tokens must be words, then empty. Received: an empty string before a word in row [1]",
        ),
        (
            "serving_default",
            {"speakers": [["x", "y"]]},
            "speakers must be of the shape of tokens, [2 2], or all empty. Received: shape [1 2]",
        ),
        (
            "serving_default",
            {"tokens": [[b"a\xff", "b"], ["c", ""]]},
            "a word must be UTF-8 without NUL characters. Received: [",
        ),
        ("serving_default", {"tokens": [["a\0b", "b"], ["c", ""]]}, "a word must be UTF-8 without NUL"),
        ("batch", {"tokens": ["a", "", "c"]}, "tokens must be words. Received: an empty string"),
        (
            "batch",
            {"sentence_lengths": [1, 1]},
            "sentence_lengths must sum to the number of tokens, 3. Received: a sum of 2",
        ),
        (
            "batch",
            {"sentence_lengths": [2**31 - 1, 2**31 - 1, 5]},
            "sentence_lengths must sum to the number of tokens, 3. Received: a sum of 4294967299",
        ),
        (
            "batch",
            {"sentence_lengths": [4, -1]},
            "sentence_lengths must not be negative. Received: sentence_lengths[1] = -1",
        ),
        (
            "batch",
            {"document_lengths": [3]},
            "document_lengths must sum to the number of sentences, 2. Received: a sum of 3",
        ),
        ("batch", {"speakers": ["x"]}, "speakers must be of the shape of tokens, 3, or all empty."),
        ("batch", {"genres": ["nw"]}, "genres must be one per document, 2, or all empty. Received: shape 1"),
    ],
)
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_invalid_documents_are_refused(loaded, flavour, signature, changed, message):
    request = (ONE if signature == "serving_default" else MANY) | changed
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        loaded[flavour][signature](**{name: tf.constant(value) for name, value in request.items()})
    assert message in str(error.value)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_shapes_and_types_of_the_signatures(loaded, flavour):
    integers = ["mention_starts", "mention_ends", "mention_clusters"]
    integers += ["top_span_starts", "top_span_ends", "top_span_antecedents"]
    floats = ["mention_scores", "mention_probability", "antecedent_probability"]
    floats += ["top_span_mention_scores", "top_span_antecedent_scores"]
    floats += ["top_span_antecedent_probability", "top_span_probability"]
    expected = {name: tf.TensorSpec([None], tf.int32, name) for name in integers}
    expected |= {name: tf.TensorSpec([None], tf.float32, name) for name in floats}
    expected["head_attention"] = tf.TensorSpec([None, 4], tf.float32, "head_attention")
    places = ["mention_begin_char", "mention_end_char", "mention_documents", "top_span_documents"]
    begin, end, *documents = (tf.TensorSpec([None], tf.int32, name) for name in places)
    text = tf.TensorSpec([None], tf.string, "mention_text")
    signatures = loaded[flavour]
    assert signatures["serving_default"].structured_outputs == expected
    assert signatures["text"].structured_outputs == expected | {x.name: x for x in (begin, end, text)}
    assert signatures["batch"].structured_outputs == expected | {x.name: x for x in documents}
    for name in ("serving_default", "text", "batch"):
        dial = signatures[f"{name}_dial"]
        assert dial.structured_outputs == signatures[name].structured_outputs
        inputs = signatures[name].structured_input_signature[1]
        least = {"min_probability": tf.TensorSpec([], tf.float32, "min_probability")}
        assert dial.structured_input_signature[1] == inputs | least


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    "text", [*TEXTS, "The harbour council — Ana’s — met 😀. It voted, and Ana said she agreed."]
)
def test_the_signature_resolves_text(loaded, predictor, flavour, text):
    result = loaded[flavour]["text"](text=tf.constant(text))
    prediction = predictor.predict(document_from_text(text, "x"), details=True)
    check_result(result, prediction)
    mentions = zip(
        result["mention_begin_char"].numpy(),
        result["mention_end_char"].numpy(),
        result["mention_text"].numpy(),
        strict=True,
    )
    mentions = [(begin, end, mention.decode()) for begin, end, mention in mentions]
    assert all(text[begin:end] == mention for begin, end, mention in mentions)
    assert sorted(mention for *_, mention in mentions) == sorted(
        mention for cluster in prediction.summary()["predicted_mentions"] for mention in cluster
    )


@pytest.mark.parametrize("text", [b"caf\xe9", b"a\0b", b"\xed\xa0\x80"])
def test_invalid_texts_are_refused(loaded, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match="text must be UTF-8 without NUL characters"):
        loaded["portable"]["text"](text=tf.constant(text))


@pytest.mark.parametrize(
    ("portable", "kept"), [(True, "int8"), pytest.param(False, "float16", marks=pytest.mark.slow)]
)
def test_a_contextual_model_splits_words_into_pieces_in_the_graph(tmp_path, portable, kept):
    # Portable exports have no int8 products, which are the Predictor's default.
    context = dataclasses.replace(small_encoder(tmp_path / "small.h5", dtype=kept), products="float32")
    experiment = train(tmp_path, context=context)
    options = ExportOptions(portable=portable, encoder_weights=kept)
    folder = export([open_experiment(experiment)], tmp_path / "exported", options)
    signatures, predictor = (
        tf.saved_model.load(str(folder)).signatures,
        Predictor.from_models([open_experiment(experiment)]),
    )
    generator = np.random.default_rng(0)
    for document in [*(random_document(generator) for _ in range(5)), Document("nw/x", [])]:
        result = signatures["serving_default"](**as_request(document))
        # Contextual vectors are rounded to float16, which can turn a difference in the last bit into one of 0.0005.
        check_result(result, predictor.predict(document, details=True), tolerance=1e-3)
    reader = tf.train.load_checkpoint(str(folder / "variables" / "variables"))
    shape = list(predictor.model.context_words.encoder.tensors["embeddings/words"].shape)
    tables = [name for name, found in reader.get_variable_to_shape_map().items() if found == shape]
    assert {reader.get_variable_to_dtype_map()[name].name for name in tables} == {kept}


def test_encoder_weights_without_an_encoder_are_refused(experiment, tmp_path):
    with pytest.raises(CorefError, match="has no contextual encoder; omit --encoder-weights"):
        export([open_experiment(experiment)], tmp_path / "exported", ExportOptions(encoder_weights="int8"))
