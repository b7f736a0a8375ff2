"""The page's part of the server: the page itself, what it asks for, and what is refused."""

import http.client
import json
import re

import pytest
from running_server import running


def get_page(client):
    """The page, its headers and status."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    connection.request("GET", "/")
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode()


def test_the_page_and_what_its_browser_is_told(server):
    status, headers, page = get_page(server)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = headers["Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+';"
        r" connect-src 'self'; frame-ancestors 'none'",
        policy,
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r"(src|href)=\"?(https?:)?//", page), "it needs nothing from outside"


def test_what_the_page_shows(server):
    text = "Ana: I saw Ben.\nBen: I saw Ana."
    content = server.resolve(text=text, dialogue=True).content
    assert content.keys() == {"settings", "document", "dialogue", "result", "resolved"}
    assert content["dialogue"] == "2 turns of 2 speakers" and content["result"]["text"] == text
    assert server.resolve(text="Ana hurt her foot.").content["resolved"] == "Ana hurt Ana's foot."


def test_a_model_of_another_language(model):
    """Its pronouns stay; all else is there."""
    served = model.served()
    served.resolver.language = "de"
    with running(served) as client:
        content = client.resolve(text="Ana hurt her foot.").content
        assert content["resolved"] is None and len(content["result"]["clusters"]) == 1


def test_a_model_without_details(model):
    """The page says so at once, and again to whoever asks; the REST API answers as ever."""
    with running(model.served()._replace(settings=None)) as client:
        assert "exported without the details that the page shows" in get_page(client)[2]
        answer = client.resolve(text="Ana left.")
        assert answer.status == 501 and "Export it again with `coref export`" in answer.error
        assert client.text("Ana").status == 200


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{}", 400, "text is null; expected a string"),
        (b'{"text": 3}', 400, "text is a number; expected a string"),
        (b'{"text": "a", "dialogue": 1}', 400, "dialogue is neither true nor false"),
        (b'{"text": "a", "min_probability": 2}', 400, "min_probability: expected a probability from 0 to 1"),
        (
            b'{"text": "a", "words": 1}',
            400,
            "the request has words; expected text, dialogue, min_probability",
        ),
        (b"[]", 400, "the body is not a JSON object; expected one with text"),
        (b"{", 400, "the body is not JSON"),
        (json.dumps({"text": "word " * 20_001}).encode(), 413, "the request has 20,001 words"),
        (json.dumps({"text": "x" * 6_000}).encode(), 413, "a word has 6,000 characters"),
    ],
)
def test_requests_that_are_refused(server, body, status, message):
    answer = server.send("POST", "/resolve", body)
    assert answer.status == status and answer.error.startswith(message)


def test_other_methods_and_limits(model):
    with running(model, max_body=1000) as client:
        answer = client.send("GET", "/resolve")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
        assert client.send("POST", "/").status == 405
        assert client.send("POST", "/resolve", b"x" * 2000).status == 413


def test_a_server_without_a_page(model):
    with running(model, page=False) as client:
        assert client.get("/").status == 404 == client.send("POST", "/resolve", b"{}").status
