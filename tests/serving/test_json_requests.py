"""Bodies of requests in, bodies of responses out; no server and no model."""

import base64
import json

import numpy as np
import pytest
from request_cases import LIMITS, SIGNATURES, decode, document

from coref_tf.serving.predict_request import Form, decode_request
from coref_tf.serving.predict_response import encode_response
from coref_tf.serving.request_error import RequestError


def test_columns_map_straight():
    request = decode(inputs=document([["Ana", "left"], ["She", ""]]), unknown="ignored")
    assert (request.signature.name, request.form) == ("serving_default", Form.COLUMNS)
    (run,) = request.runs
    assert run["tokens"].tolist() == [[b"Ana", b"left"], [b"She", b""]]
    assert run["speakers"].shape == (2, 2) and run["genre"].shape == () and run["genre"].item() == b"nw"


def test_a_single_input_needs_no_name():
    for inputs in (
        "Zoë left.",
        {"text": "Zoë left."},
        {"b64": base64.b64encode("Zoë left.".encode()).decode()},
    ):
        request = decode(signature_name="text", inputs=inputs)
        assert request.runs[0]["text"].item() == "Zoë left.".encode()


def test_an_empty_signature_name_is_the_default_one():
    assert decode(signature_name="", inputs=document([["a"]])).signature.name == "serving_default"


def test_instances_are_stacked_where_the_signature_has_a_dimension_for_them():
    request = decode(signature_name="rows", instances=[[1, 2.5], [3, 4], [5, 6]])
    assert request.form is Form.ROWS
    assert request.runs[0]["x"].tolist() == [[1, 2.5], [3, 4], [5, 6]]
    request = decode(
        signature_name="named_rows",
        instances=[{"x": [1, 2], "y": 3, "z": True}, {"x": [4, 5], "y": 6, "z": False}],
    )
    assert {name: value.tolist() for name, value in request.runs[0].items()} == {
        "x": [[1, 2], [4, 5]],
        "y": [3, 6],
        "z": [True, False],
    }


def test_instances_are_documents_where_it_has_none():
    """Documents of different shapes, which nothing could stack."""
    request = decode(instances=[document([["a", "b"]]), document([["c"], ["d"]], genre="bc")])
    assert request.form is Form.DOCUMENTS
    assert [run["tokens"].tolist() for run in request.runs] == [[[b"a", b"b"]], [[b"c"], [b"d"]]]
    request = decode(signature_name="text", instances=["Ana left.", {"text": "She did."}])
    assert [run["text"].item() for run in request.runs] == [b"Ana left.", b"She did."]


def test_an_empty_list_is_an_empty_tensor_of_any_rank():
    assert decode(inputs=document([])).runs[0]["tokens"].shape == (0, 0)
    assert decode(inputs=document([[], []])).runs[0]["tokens"].shape == (2, 0)
    assert decode(instances=[document([])]).form is Form.DOCUMENTS


def test_any_rank_is_taken_where_the_signature_leaves_it_open():
    assert decode(signature_name="anything", inputs=[[[1]], [[2]]]).runs[0]["x"].shape == (2, 1, 1)
    assert decode(signature_name="anything", inputs={"x": 255}).runs[0]["x"].shape == ()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"inputs": {"tokens": [["a"]]}}, "inputs lacks speakers, genre; signature serving_default expects tokens,"),
        ({"inputs": document([["a", "b"], ["c"]])}, "tokens[1] has 1 item; expected 2, as the list before it; pad"),
        ({"inputs": document([["a", "b"], ["c", 5]])}, "inputs.tokens[1][1] is a number; expected a string or"),
        ({"inputs": document([["a", ["b"]]])}, "inputs.tokens[0][1] is a list; expected a string"),
        ({"inputs": document([["a"], "b"])}, "inputs.tokens[1] is a string; expected a list"),
        ({"inputs": document([["a"]]) | {"tokens": [["a"], None]}}, "inputs.tokens[1] is null; expected a list"),
        ({"inputs": document([["a"]]) | {"tokens": ["a"]}}, "inputs.tokens has 1 dimension; expected 2"),
        ({"inputs": document([["a"]]) | {"genre": ["nw"]}}, "inputs.genre has 1 dimension; expected 0"),
        ({"inputs": document([["a"]]) | {"genre": {"b64": "%"}}}, "inputs.genre is no base64"),
        ({"inputs": document([["a"]]) | {"genre": {"b64": 5}}}, "inputs.genre is an object; expected a string"),
        ({"inputs": [["a"]]}, "inputs is no object; signature serving_default expects one with tokens"),
        ({"instances": [["a"]]}, "instances[0] is no object"),
        ({"instances": [document([["a"]]), "x"]}, "instances[1] is no object"),
        ({"instances": [document([["a"]]) | {"more": 1}]}, "instances[0] has more; expected tokens, speakers, genre"),
        ({"instances": [document([["a"]]), document(["a"])]}, "instances[1].tokens has 1 dimension; expected 2"),
        ({"instances": []}, "instances is no list of at least one item"),
        ({"instances": "x"}, "instances is no list of at least one item"),
        ({"instances": [], "inputs": []}, "the request has inputs and instances; expected inputs or instances"),
        ({}, "the request has neither; expected inputs or instances"),
        ({"signature_name": 5}, "signature_name is no string; expected one of serving_default, text"),
        ({"signature_name": "x"}, "the model has no signature 'x'; expected one of serving_default, text"),
        ({"signature_name": "rows", "instances": [[1, 2], [3]]}, "instances.x[1] has 1 item; expected 2, as the"),
        ({"signature_name": "rows", "inputs": [[1, 2, 3]]}, "inputs.x has length 3 in dimension 1; expected 2"),
        ({"signature_name": "rows", "inputs": [[1, 2**24]]}, "[0][1] is 16777216; expected a number that float32"),
        ({"signature_name": "rows", "inputs": [[1, 1e39]]}, "[0][1] is 1e+39; expected a number that float32"),
        ({"signature_name": "rows", "inputs": [[1, True]]}, "[0][1] is true or false; expected a number"),
        ({"signature_name": "anything", "inputs": 256}, "is 256; expected a whole number from 0 to 255"),
        ({"signature_name": "anything", "inputs": 1.0}, "is 1.0; expected a whole number from 0 to 255"),
        ({"signature_name": "anything", "inputs": "1"}, "inputs.x is a string; expected a number"),
        ({"signature_name": "named_rows", "inputs": {"x": [], "y": [], "z": [0]}}, "z[0] is a number; expected true"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(request_, message):
    with pytest.raises(RequestError) as error:
        decode(**request_)
    assert error.value.status == 400
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is no JSON: Expecting value"),
        (b'{"inputs": ', "the body is no JSON: Expecting value"),
        (b'{"inputs": 1} 2', "the body is no JSON: Extra data"),
        (b'{"inputs": "\xff"}', "the body is no UTF-8: invalid start byte at byte 12"),
        (b"[1]", "the body is no JSON object"),
        (b"[" * 100_000, "more than 100 levels of lists and objects"),
        (b'{"inputs": %s1%s}' % (b"[" * 985, b"]" * 985), "more than 100 levels of lists and objects"),
        (b'{"inputs": %s}' % (b"9" * 5000), "the body is no JSON: a number of more than 4,300 digits"),
        (b'{"inputs": "a", "inputs": "b"}', "the key 'inputs' stands twice in one object"),
        (b'{"signature_name": "text", "inputs": "\\ud83d"}', "half a surrogate pair among the \\u escapes"),
        (b'{"signature_name": "%s", "inputs": 1}' % (b"x" * 5000), "the model has no signature 'xxx"),
    ],
)
def test_what_is_no_json(body, message):
    with pytest.raises(RequestError) as error:
        decode_request(body, SIGNATURES, LIMITS)
    assert error.value.status == 400
    assert message in str(error.value)
    assert len(str(error.value)) <= 500


def test_a_byte_order_mark_and_special_floats_are_taken():
    request = decode_request(
        b'\xef\xbb\xbf{"signature_name": "rows", "inputs": [[NaN, -Infinity]]}', SIGNATURES, LIMITS
    )
    assert str(request.runs[0]["x"].tolist()) == "[[nan, -inf]]"


def test_outputs_by_columns_and_by_documents():
    result = {
        "scores": np.array([0.1, 0.2, 1 / 3, 16777216, 1e-20], np.float32),
        "spans": np.array([[1, 2], [3, 4]], np.int32),
        "strings": np.array(["Zoë\x00".encode(), b"\xff", b""], object),
        "note_bytes": np.array(b"x", object),
        "flag": np.array(True),
    }
    expected = {
        "scores": [0.1, 0.2, 0.33333334, 16777216.0, 1e-20],
        "spans": [[1, 2], [3, 4]],
        "strings": ["Zoë\x00", {"b64": "/w=="}, ""],
        "note_bytes": {"b64": "eA=="},
        "flag": True,
    }
    assert json.loads(encode_response(Form.COLUMNS, [result])) == {"outputs": expected}
    assert json.loads(encode_response(Form.DOCUMENTS, [result, result])) == {"predictions": [expected] * 2}
    assert "Zoë".encode() in encode_response(Form.COLUMNS, [result])


def test_floats_come_back_the_same():
    values = np.random.default_rng(0).normal(size=2000).astype(np.float32) * 10.0 ** np.arange(-20, 20, 0.02)
    values = values.astype(np.float32).reshape(40, 50)
    read = json.loads(encode_response(Form.COLUMNS, [{"x": values}]))["outputs"]
    assert np.array_equal(np.array(read).astype(np.float32), values)


def test_special_floats_are_written_as_tensorflow_serving_does():
    values = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert encode_response(Form.COLUMNS, [{"x": values}]) == b'{"outputs":[NaN,Infinity,-Infinity]}'


def test_rows():
    result = {"a": np.array([1, 2]), "b": np.array([[3.5], [4.5]])}
    assert json.loads(encode_response(Form.ROWS, [result])) == {
        "predictions": [{"a": 1, "b": [3.5]}, {"a": 2, "b": [4.5]}]
    }
    assert json.loads(encode_response(Form.ROWS, [{"a": np.array([1, 2])}])) == {"predictions": [1, 2]}
    for other in (np.array([3]), np.array(3), np.zeros([0])):
        with pytest.raises(RequestError, match="don't have one row for each instance"):
            encode_response(Form.ROWS, [{"a": np.array([1, 2]), "b": other}])


def test_a_least_probability_beside_the_inputs():
    request = decode(signature_name="text", inputs="Ana left.", min_probability=0.25)
    assert (request.signature.name, request.form) == ("text_dial", Form.COLUMNS)
    assert request.runs[0]["min_probability"] == np.float32(0.25) and request.runs[0]["text"] == b"Ana left."
    request = decode(signature_name="text", instances=["Ana left.", {"text": "It rains."}], min_probability=1)
    assert request.form is Form.DOCUMENTS and [run["min_probability"] for run in request.runs] == [1, 1]


def test_an_input_with_a_default_may_be_left_out():
    assert decode(signature_name="text_dial", inputs="Ana.").runs == [{"text": np.array(b"Ana.", object)}]
    request = decode(signature_name="text_dial", instances=[{"text": "a", "min_probability": 0.5}, "b"])
    assert [sorted(run) for run in request.runs] == [["min_probability", "text"], ["text"]]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"min_probability": 1.5},
            "min_probability: expected a probability from 0 to 1, such as 0.5. Received: 1.5",
        ),
        ({"min_probability": None}, "min_probability: expected a probability from 0 to 1"),
        ({"min_probability": "0.5"}, "min_probability: expected a probability from 0 to 1"),
        (
            {"signature_name": "batch", "inputs": [1], "min_probability": 0.5},
            "signature batch of this model takes no min_probability; expected a newer export",
        ),
        (
            {"signature_name": "text_dial", "min_probability": 0.5},
            "signature text_dial takes min_probability among its inputs; expected it there",
        ),
    ],
)
def test_a_least_probability_that_is_none(request_, message):
    with pytest.raises(RequestError) as error:
        decode(**{"signature_name": "text", "inputs": "Ana."} | request_)
    assert error.value.status == 400 and message in str(error.value)
