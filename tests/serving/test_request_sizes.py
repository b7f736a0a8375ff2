"""What a request may hold at most, seen before a tensor is made of it."""

import base64
import tracemalloc

import pytest
from request_cases import LIMITS, SIGNATURES, decode, document

from coref_tf.serving import predict_request
from coref_tf.serving.limits import Limits
from coref_tf.serving.predict_request import decode_request
from coref_tf.serving.request_error import RequestError
from coref_tf.serving.request_size import check_words, measure_words


def test_words_are_counted():
    tokens = [["Ana", "blieb"], ["Zoë", ""]]
    assert measure_words("tokens", tokens) == (3, 5)
    assert measure_words("tokens", ["x" * 20, "x" * 21]) == (3, 21)
    assert measure_words("text", "Zoë didn't leave!!!") == (8, 8)
    assert measure_words("text", "x" * 50) == (3, 50)
    assert measure_words("text", {"b64": base64.b64encode(b"\xff \xfe").decode()}) == (2, 1)
    assert measure_words("text", {"b64": "%"}) == (0, 0)  # which no tensor is made of
    assert measure_words("text", "") == (0, 0)
    assert measure_words("text", [1, None, {}]) == (0, 0)
    assert measure_words("speakers", tokens) == (0, 0)


def test_too_many_or_too_long_words_are_refused():
    tokens = [["Ana", "left"], ["She", ""]]
    check_words([{"tokens": tokens}] * 3, Limits(max_words=9))
    check_words([{}], LIMITS)
    with pytest.raises(RequestError, match=r"the request has 12 words, .* expected no more than 9") as error:
        check_words([{"tokens": tokens}] * 4, Limits(max_words=9))
    assert error.value.status == 413
    check_words([{"text": "x" * 5000}], LIMITS)
    for name in ("tokens", "text"):
        with pytest.raises(
            RequestError, match="a word has 5,001 characters; expected no more than 5,000"
        ) as error:
            check_words([{name: "x" * 5001}], LIMITS)
        assert error.value.status == 413


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"signature_name": "text", "instances": [""] * 4}, "the request has 4 documents; expected no more than 3"),
        ({"instances": [document([])] * 4}, "the request has 4 documents; expected no more than 3"),
        ({"signature_name": "batch", "inputs": {"document_lengths": [0] * 4}}, "the request has 4 documents;"),
        ({"signature_name": "batch", "instances": [{"document_lengths": 0}] * 4}, "the request has 4 documents;"),
        ({"signature_name": "text", "instances": ["a b", "c d", "e f"]}, "the request has 6 words, "),
        ({"signature_name": "text", "inputs": "a b c d e f"}, "the request has 6 words, "),
        ({"signature_name": "text", "inputs": ["", ""] * 99}, "the request has 200 commas and brackets; expected"),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused_before_a_tensor_is_made(request_, message, monkeypatch):
    def no_tensor(*_):
        raise AssertionError("a tensor is made")

    monkeypatch.setattr(predict_request, "tensor_of", no_tensor)
    with pytest.raises(RequestError) as error:
        decode(Limits(max_words=5, max_documents=3), **request_)
    assert error.value.status == 413
    assert message in str(error.value)


@pytest.mark.parametrize("item", [b'""', b"{}", b"[]", b'{"b64":""}', b'{"text":[]}', b"1.5"])
def test_memory_is_in_proportion_to_the_body(item):
    """8 MB of empty documents took 1.8 GB, 225 times as much."""
    limits = Limits(max_words=2_000, max_documents=1_000, max_body=2**19)
    for count in (limits.max_body // (len(item) + 1), limits.max_values // (1 + item.count(b"{")) - 10):
        body = b'{"signature_name": "text", "instances": [%s]}' % b",".join([item] * count)
        tracemalloc.start()
        try:
            with pytest.raises(RequestError) as error:
                decode_request(body, SIGNATURES, limits)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert error.value.status in (400, 413)
        assert peak < 30 * limits.max_body
