"""The requests that the page of `coref serve --annotate` sends to the server."""

import functools
import json

import pytest
from fake_model import FakeModel
from running_server import running, until

from coref_tf.annotation.folder import AnnotationFolder
from coref_tf.annotation.routes import annotation_routes
from coref_tf.annotation.suggestions import doubt_per_100_words
from coref_tf.documents import read_documents
from coref_tf.documents.text import document_from_text

# The more often *she* occurs in a text, the less certain the model is.
TEXTS = {
    "sure.txt": "Ana slept.",
    "unsure.txt": "Ana met Zoe. Then she left, and she slept, and she ate.",
    "between.txt": "Ana met Zoe. Then she left and nobody knew where to and nobody cared at all about it.",
}


@pytest.fixture
def texts(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.docx").write_bytes(b"x")
    return tmp_path


@pytest.fixture
def client(texts):
    routes = functools.partial(annotation_routes, AnnotationFolder(texts))
    with running(FakeModel(), more_routes=routes) as client:
        until(lambda: sum("doubt" in text for text in listed(client).values()) == 3)
        yield client


def listed(client):
    return {text["name"]: text for text in client.get("/annotate/documents").content["texts"]}


def post(client, path, **content):
    return client.send("POST", f"/annotate/{path}", json.dumps(content).encode())


def test_list_of_texts_and_next_text(client, texts):
    until(lambda: listed(client)["broken.docx"]["state"] == "unreadable")
    assert listed(client)["broken.docx"]["problem"].endswith(
        "expected a zip archive, which every .docx file is"
    )
    assert listed(client)["sure.txt"] == {
        "name": "sure.txt", "state": "new", "problem": None, "doubt": 0.0, "words": 3,
    }  # fmt: skip
    opened = post(client, "open", name=None).content
    assert opened["name"] == "unsure.txt" and opened["words"][:3] == ["Ana", "met", "Zoe"]
    assert opened["clusters"] == [[[2, 2], [5, 5], [9, 9], [13, 13]]]
    assert opened["draft"] is None and opened["version"] == ""
    saved = post(client, "save", name="unsure.txt", tokens=opened["tokens"], version="", clusters=[])
    assert saved.status == 200 and saved.content["version"]
    assert post(client, "open", name=None).content["name"] == "between.txt"
    assert post(client, "open", name=None, skipped=["between.txt", "sure.txt"]).content == {"name": None}
    (document,) = read_documents(texts / "unsure.txt.jsonlines")
    assert document.key == "news/unsure.txt" and document.clusters == ()


def test_drafts_are_restored(client):
    opened = post(client, "open", name="unsure.txt").content
    change = {"name": "unsure.txt", "tokens": opened["tokens"], "version": "", "clusters": [[[0, 0], [5, 5]]]}
    assert post(client, "draft", time=7, **change).content == {"kept": True}
    again = post(client, "open", name="unsure.txt").content
    assert again["draft"] == {"time": 7} | {name: change[name] for name in ("clusters", "tokens", "version")}
    assert listed(client)["unsure.txt"]["state"] == "draft"
    post(client, "save", **change)
    again = post(client, "open", name="unsure.txt").content
    assert again["draft"] is None and again["clusters"] == [[[0, 0], [5, 5]]]
    assert again["version"]


def test_conflicting_saves_are_refused(client, texts):
    opened = post(client, "open", name="unsure.txt").content
    change = {"name": "unsure.txt", "tokens": opened["tokens"], "clusters": []}
    assert post(client, "save", version="", **change).status == 200
    answer = post(client, "save", version="", **change)
    assert (answer.status, answer.error) == (409, "somebody else has saved unsure.txt since it was opened")
    assert post(client, "save", version="", overwrite=True, **change).status == 200
    opened = post(client, "open", name="sure.txt").content
    (texts / "sure.txt").write_text("Ana slept well.")
    change = {"name": "sure.txt", "tokens": opened["tokens"], "clusters": []}
    answer = post(client, "save", version="", **change)
    assert (answer.status, answer.error) == (409, "sure.txt has changed since it was opened; reload the page")


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("open", {"name": "../x"}, 400, "there is no text '../x' in this folder"),
        ("open", {"name": 3}, 400, "name is neither a string nor null"),
        ("open", {"name": "broken.docx"}, 400, "broken.docx: cannot be unpacked"),
        ("save", {"name": "sure.txt"}, 400, "name, tokens or version is not a string"),
        ("save", {"name": "sure.txt", "tokens": "x", "version": ""}, 400, "clusters are not lists"),
        (
            "save",
            {"name": "sure.txt", "tokens": "x", "version": "", "clusters": [[[0, "1"]]]},
            400,
            "clusters contain values other",
        ),
        (
            "draft",
            {"name": "sure.txt", "tokens": "x", "version": "", "clusters": []},
            400,
            "time is not an integer",
        ),
        (
            "draft",
            {"name": "../x", "tokens": "x", "version": "", "clusters": [], "time": 1},
            400,
            "there is no text",
        ),
    ],
)
def test_invalid_requests_are_refused(client, path, content, status, message):
    answer = post(client, path, **content)
    assert answer.status == status and message in answer.error


def test_doubt_counts_the_decisions_that_may_be_wrong():
    model = FakeModel()
    doubts = [doubt_per_100_words(model.predict(document_from_text(text, "x"))) for text in TEXTS.values()]
    assert 0 == doubts[0] < doubts[2] < doubts[1]
