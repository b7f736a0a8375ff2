"""The server's requests for the page: the page itself, resolving, files, and what is refused."""

import http.client
import json
import re
from urllib.parse import quote

import pytest
from running_server import running, until
from sample_files import make_docx, make_epub, make_pdf

from coref_tf.serving.files import FileHandler


def get_page(client):
    """Returns the status, headers and content of the page."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    connection.request("GET", "/")
    response = connection.getresponse()
    return response.status, response.headers, response.read().decode()


def test_the_page_and_its_security_headers(server):
    status, headers, page = get_page(server)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = headers["Content-Security-Policy"]
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+';"
        r" connect-src 'self'; frame-ancestors 'none'",
        policy,
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r"(src|href)=\"?(https?:)?//", page), "the page loads nothing from other hosts"


def test_the_answer_to_resolve(server):
    text = "Ana: I saw Ben.\nBen: I saw Ana."
    content = server.resolve(text=text, dialogue=True).content
    assert content.keys() == {"settings", "document", "dialogue", "result", "resolved", "quotations"}
    assert content["dialogue"] == "2 turns of 2 speakers" and content["result"]["text"] == text
    assert server.resolve(text="Ana hurt her foot.").content["resolved"] == "Ana hurt Ana's foot."


def test_quotations_and_their_speakers(server):
    """Quotations are those of `result.quotations`, with the clusters that remain at the minimum probability."""
    text = '"I saw Ben," said Ana. Then she left.'
    (quotation,) = server.resolve(text=text).content["quotations"]
    assert (quotation["text"], quotation["speaker"], quotation["cluster"]) == ('"I saw Ben,"', "Ana", 0)
    assert text[quotation["begin_char"] : quotation["end_char"]] == quotation["text"]
    (quotation,) = server.resolve(text=text, min_probability=1).content["quotations"]
    assert (quotation["speaker"], quotation["cluster"]) == ("Ana", None)
    assert server.resolve(text="Ana left.").content["quotations"] == []


def test_a_model_of_another_language(model):
    """Without English there is no resolved text and no quotations, but there are clusters."""
    served = model.served()
    served.resolver.language = "de"
    with running(served) as client:
        content = client.resolve(text='"Yes," said Ana. she hurt her foot.').content
        assert content["resolved"] is None and len(content["result"]["clusters"]) == 1
        assert content["quotations"] == []


def test_a_model_without_details(model):
    """The page and `/resolve` say that details are missing; the REST API works."""
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
        (b'{"text": "a", "genre": "x"}', 400, "there is no genre 'x'; expected news, tc"),
        (b'{"text": "a", "model": "x"}', 400, "there is no model 'x'; expected coref"),
        (b'{"text": "a", "model": 1}', 400, "model is a number; expected a string"),
        (b'{"text": "a", "min_probability": 2}', 400, "min_probability: expected a probability from 0 to 1"),
        (
            b'{"text": "a", "words": 1}',
            400,
            "the request has words; expected text, dialogue, min_probability, genre, model",
        ),
        (b"[]", 400, "the body is not a JSON object; expected one with text"),
        (b"{", 400, "the body is not JSON"),
        (json.dumps({"text": "word " * 20_001}).encode(), 413, "the request has 20,001 words"),
        (json.dumps({"text": "x" * 6_000}).encode(), 413, "a word has 6,000 characters"),
    ],
)
def test_invalid_requests_are_refused(server, body, status, message):
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


def test_several_models(model):
    """Each model has its own paths, and requests of the page name one."""
    models = {"coref": model.served(), "other": model.served()._replace(genres=("bio",), name="second")}
    with running(models) as client:
        assert client.get("/v1/models/coref").status == client.get("/v1/models/other").status == 200
        assert client.resolve(text="Ana left.", model="other", genre="bio").status == 200
        assert (
            client.resolve(text="Ana left.", genre="bio").error
            == "there is no genre 'bio'; expected news, tc"
        )
        answer = client.send(
            "POST", "/v1/models/other:predict", b'{"signature_name": "text", "inputs": "Ana"}'
        )
        assert answer.status == 200
        assert '"name":"other","label":"second","genres":["bio"]' in get_page(client)[2]


def upload(client, name, content, **headers):
    return client.send(
        "POST", f"/text?name={quote(name)}", content, **{"Content-Type": "application/octet-stream"} | headers
    )


def test_the_text_of_a_file(server):
    assert upload(server, "my visit.DOCX", make_docx()).content["text"].startswith("A visit\n\nAna met Ben.")
    assert upload(server, "a.txt", "\ufeffZoë\r\nleft.".encode()).content == {"text": "Zoë\r\nleft."}
    assert upload(server, "a.pdf", make_pdf("Ana left.")).content == {"text": "Ana left."}


@pytest.mark.parametrize(
    ("name", "content", "status", "message"),
    [
        ("a.exe", b"x", 415, "a.exe cannot be read; expected a file that ends in .txt, .md, "),
        ("a.conll", b"x", 415, "a.conll cannot be read"),
        ("a.docx", b"x", 400, "a.docx: cannot be unpacked: File is not a zip file"),
        ("a.txt", b"\xff", 400, r"a.txt:1: byte 1, b'\xff', is not UTF-8"),
        ("a.epub", make_epub(two=b" " * (70 * 2**20)), 400, "a.epub: unpacks to more than 67,108,864 bytes"),
        ("a.txt", b"word " * 300_000, 413, "the file contains 1,500,000 characters; expected a shorter text"),
        ("a.txt", b"word " * 5_000_000, 413, "the body is longer than"),
    ],
)
def test_invalid_files_are_refused(server, name, content, status, message):
    answer = upload(server, name, content)
    assert answer.status == status and answer.error.startswith(message)


def test_the_number_of_files_read_at_a_time_is_limited(server, monkeypatch):
    until(lambda: FileHandler.files == 0)
    monkeypatch.setattr(FileHandler, "files", 2)
    answer = upload(server, "a.txt", b"x")
    assert (answer.status, answer.error) == (503, "2 files are already being read; try again")
    monkeypatch.setattr(FileHandler, "files", 0)
    assert upload(server, "a.txt", b"x", **{"Content-Type": "text/plain"}).status == 415
    assert upload(server, "a.txt", b"x").content == {"text": "x"}
    until(lambda: FileHandler.files == 0)


def test_a_file_that_takes_too_long(server, monkeypatch):
    monkeypatch.setattr("coref_tf.serving.files._SECONDS", 0.01)
    assert (
        upload(server, "a.txt", b"x").error
        == "a.txt: takes more than 0.01 seconds to read; expected a smaller file"
    )
