"""The page's part of the server: what it answers without a model's details, and what it refuses."""

import http.client
import json
import re

import pytest
from running_server import running


def page_of(client):
    """The page, its headers and status."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    connection.request("GET", "/")
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode()


def resolve(client, **request):
    return client.send("POST", "/resolve", json.dumps(request).encode())


def test_the_page_and_what_its_browser_is_told(server):
    status, headers, page = page_of(server)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = headers["Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+';"
        r" connect-src 'self'; frame-ancestors 'none'",
        policy,
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r"(src|href)=\"?(https?:)?//", page), "it needs nothing from outside"


def test_a_model_without_details(server):
    """The page says so at once, and again to whoever asks; the REST API answers as ever."""
    assert "exported without the details that the page shows" in page_of(server)[2]
    answer = resolve(server, text="Ana left.")
    assert answer.status == 501 and "Export it again with `coref export`" in answer.error
    assert server.text("Ana").status == 200


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{}", 400, "text is no string; expected the text to resolve"),
        (b'{"text": 3}', 400, "text is no string; expected the text to resolve"),
        (b'{"text": "a", "dialogue": 1}', 400, "dialogue is neither true nor false"),
        (b'{"text": "a", "min_probability": 2}', 400, "min_probability: expected a probability from 0 to 1"),
        (
            b'{"text": "a", "words": 1}',
            400,
            "the request has words; expected text, dialogue, min_probability",
        ),
        (b"[]", 400, "the body is no JSON object; expected one with text"),
        (b"{", 400, "the body is no JSON"),
        (json.dumps({"text": "word " * 20_001}).encode(), 413, "the request has 20,001 words"),
        (json.dumps({"text": "x" * 6_000}).encode(), 413, "a word has 6,000 characters"),
    ],
)
def test_requests_that_are_none(server, body, status, message):
    answer = server.send("POST", "/resolve", body)
    assert answer.status == status and answer.error.startswith(message)


def test_other_methods_and_limits(folder):
    with running(folder, max_body=1000) as client:
        answer = client.send("GET", "/resolve")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
        assert client.send("POST", "/").status == 405
        assert client.send("POST", "/resolve", b"x" * 2000).status == 413


def test_a_server_without_a_page(folder):
    with running(folder, page=False) as client:
        assert client.get("/").status == 404 == client.send("POST", "/resolve", b"{}").status
