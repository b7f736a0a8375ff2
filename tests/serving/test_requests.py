"""Parsing of request bodies into documents, without a server or a model."""

import json
import time
import tracemalloc

import pytest

from coref_tf.serving.limits import Limits, RequestError
from coref_tf.serving.requests import (
    Request,
    Source,
    count_words,
    read_page_request,
    read_predict_request,
)

LIMITS = Limits()


def read(limits=LIMITS, **request):
    return read_predict_request(json.dumps(request).encode(), limits)


def words(tokens, genre="nw"):
    return {"tokens": tokens, "speakers": [["" for _ in row] for row in tokens], "genre": genre}


def test_tokens_are_read_by_sentence():
    request = read(inputs=words([["Ana", "left"], ["She", ""]]), unknown="ignored")
    assert request == Request([Source([["Ana", "left"], ["She"]], None, "nw")], 20)
    inputs = words([["Ana", "left"], ["She", ""]]) | {"speakers": [["A", ""], ["B", ""]]}
    assert read(inputs=inputs).sources[0].speakers == [["A", "-"], ["B"]]
    # Rows needn't be padded. If all speakers are empty, there are none, whatever their shape.
    assert read(inputs=words([["a", "b"], ["c"]]) | {"speakers": [[""]]}).sources[0].speakers is None
    assert read(signature_name="", inputs=words([])).sources == [Source([], None, "nw")]


def test_a_text_needs_no_name():
    for inputs in ("Zoë left.", {"text": "Zoë left."}):
        assert read(signature_name="text", inputs=inputs) == Request([Source("Zoë left.")], 20)


def test_instances_are_documents():
    request = read(instances=[words([["a", "b"]]), words([["c"], ["d"]], genre="bc")])
    assert request.instances and [source.words for source in request.sources] == [
        [["a", "b"]],
        [["c"], ["d"]],
    ]
    request = read(signature_name="text", instances=["Ana left.", {"text": "She did."}])
    assert [source.words for source in request.sources] == ["Ana left.", "She did."]
    assert read(instances=[]) == Request([], 0, instances=True)


def test_a_minimum_probability_beside_the_inputs():
    assert read(signature_name="text", inputs="Ana.", min_probability=0.25).min_probability == 0.25
    assert read(signature_name="text", instances=["Ana."], min_probability=1).min_probability == 1


def test_a_request_of_the_page():
    request = read_page_request(b'{"text": "Ana: I left.", "dialogue": true, "min_probability": 0.5}', LIMITS)
    assert request == Request([Source("Ana: I left.", dialogue=True)], 20, 0.5)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"inputs": {"tokens": [["a"]]}}, "inputs has tokens; signature serving_default expects tokens, speakers"),
        ({"inputs": words(["a"])}, "inputs.tokens[0] is a string; expected a list"),
        ({"inputs": words("a") | {"speakers": []}}, "inputs.tokens is a string; expected a list"),
        ({"inputs": words([["a"], [5]])}, "inputs.tokens[1][0] is a number; expected a string"),
        ({"inputs": words([["a"], [{"b64": "YQ=="}]])}, "inputs.tokens[1][0] is an object; expected a string"),
        ({"inputs": words([["a", "", "b"]])},
         'inputs.tokens[0] is "" before a word; expected "" only after the last word'),
        ({"inputs": words([["a"]]) | {"speakers": [["A", "B"]]}}, "inputs.speakers has different lengths than tokens"),
        ({"inputs": words([["a"]]) | {"genre": 5}}, "inputs.genre is a number; expected a string"),
        ({"inputs": [["a"]]}, "inputs is not an object; signature serving_default expects tokens, speakers, genre"),
        ({"instances": [words([["a"]]), "x"]}, "instances[1] is not an object"),
        ({"instances": [words([["a"]]) | {"more": 1}]}, "instances[0] has genre, more, speakers, tokens; signature"),
        ({"instances": [words([["a"]]), words(["a"])]}, "instances[1].tokens[0] is a string"),
        ({"instances": "x"}, "instances is a string; expected a list"),
        ({"instances": [], "inputs": []}, "the request has both; expected inputs or instances"),
        ({}, "the request has neither; expected inputs or instances"),
        ({"signature_name": 5}, "there is no signature 5; expected text or serving_default"),
        ({"signature_name": "batch"}, "there is no signature 'batch'; expected text or serving_default"),
        ({"signature_name": "text", "inputs": 5}, "inputs.text is a number; expected a string"),
        ({"signature_name": "text", "instances": ["a", None]}, "instances[1].text is null; expected a string"),
        ({"signature_name": "text", "inputs": "a", "min_probability": 1.5}, "min_probability: expected a probability"),
        ({"signature_name": "text", "inputs": "a", "min_probability": "1"}, "min_probability: expected a probability"),
    ],
)  # fmt: skip
def test_errors_name_the_place(request_, message):
    with pytest.raises(RequestError) as error:
        read(**request_)
    assert error.value.status_code == 400
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON: Expecting value"),
        (b'{"inputs": ', "the body is not JSON: Expecting value at character 12"),
        (b'{"inputs": 1} 2', "the body is not JSON: Extra data"),
        (b'{"inputs": "\xff"}', "the body is not UTF-8: invalid start byte at byte 12"),
        (b"[1]", "the body is not a JSON object"),
        (b"[" * 100_000, "more than 100 levels of lists and objects"),
        (b'{"inputs": %s1%s}' % (b"[" * 985, b"]" * 985), "more than 100 levels of lists and objects"),
        (b'{"inputs": %s}' % (b"9" * 5000), "the body is not JSON: a number with more than 4,300 digits"),
        (b'{"inputs": "a", "inputs": "b"}', "the key 'inputs' occurs twice in one object"),
        (b'{"signature_name": "text", "inputs": "\\ud83d"}', "a lone surrogate among the \\u escapes"),
        (b'{"signature_name": "%s", "inputs": 1}' % (b"x" * 5000), "there is no signature 'xxx"),
    ],
)
def test_invalid_json_is_refused(body, message):
    with pytest.raises(RequestError) as error:
        read_predict_request(body, LIMITS)
    assert error.value.status_code == 400
    assert message in str(error.value)
    assert len(str(error.value)) <= 500


def test_a_byte_order_mark_is_accepted():
    body = b'\xef\xbb\xbf{"signature_name": "text", "inputs": "Ana"}'
    assert read_predict_request(body, LIMITS).sources == [Source("Ana")]


def test_words_are_counted():
    assert count_words([["Ana", "blieb"], ["Zoë", ""]]) == (3, 5)
    assert count_words([["x" * 20, "x" * 21]]) == (3, 21)
    assert count_words("Zoë didn't leave!!!") == (8, 8)
    assert count_words("x" * 50) == (3, 50)
    assert count_words("a" + " " * 65 + "b\n\nc") == (6, 1)
    assert count_words("") == count_words([]) == (0, 0)


def test_whitespace_counts_as_words():
    """A body of whitespace is refused quickly; a plain search for words in it takes 47 seconds."""
    for text in (" " * (8 * 2**20), "\n" * (8 * 2**20), "Ana left. " + "\u2003" * 2**20):
        body = json.dumps({"text": text}, ensure_ascii=False).encode()
        began = time.process_time()
        with pytest.raises(
            RequestError,
            match=r"the request has [0-9,]+ words, each of at most 20 characters or as much whitespace",
        ):
            read_page_request(body, LIMITS)
        assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"signature_name": "text", "instances": [""] * 6}, "the request has 120 words, "),
        ({"instances": [words([])] * 6}, "the request has 120 words, "),
        ({"signature_name": "text", "instances": ["a " * 50, "b " * 51]}, "the request has 101 words, "),
        ({"signature_name": "text", "inputs": "a " * 101}, "the request has 101 words, "),
        ({"inputs": words([["a"] * 101])}, "the request has 101 words, "),
        ({"inputs": words([["x" * 5001]])}, "the request has 251 words, "),
        ({"signature_name": "text", "inputs": ["", ""] * 2000}, "the request has 4,002 commas and brackets; expected"),
    ],
)  # fmt: skip
def test_requests_that_are_too_large_are_refused(request_, message):
    with pytest.raises(RequestError) as error:
        read(Limits(max_words=100), **request_)
    assert error.value.status_code == 413
    assert message in str(error.value)


def test_words_that_are_too_long_are_refused():
    read(signature_name="text", inputs="x" * 5000)
    for request in ({"signature_name": "text", "inputs": "x" * 5001}, {"inputs": words([["x" * 5001]])}):
        with pytest.raises(
            RequestError, match="a word has 5,001 characters; expected at most 5,000"
        ) as error:
            read(**request)
        assert error.value.status_code == 413


@pytest.mark.parametrize("item", [b'""', b"{}", b"[]", b'{"text":[]}', b"1.5"])
def test_memory_is_proportional_to_the_body(item):
    """Parsing takes at most 30 times the body's size; 8 MB of empty documents once took 1.8 GB."""
    limits = Limits(max_words=2_000, max_body=2**19)
    for count in (limits.max_body // (len(item) + 1), 25 * limits.max_words // (1 + item.count(b"{")) - 10):
        body = b'{"signature_name": "text", "instances": [%s]}' % b",".join([item] * count)
        tracemalloc.start()
        try:
            with pytest.raises(RequestError) as error:
                read_predict_request(body, limits)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert error.value.status_code in (400, 413)
        assert peak < 30 * limits.max_body
