"""Corrections on the page of `coref serve --annotate` are saved, and a model is fine-tuned on them."""

import functools
import json

import pytest
from command import call
from fake_model import FakeModel
from running_server import running
from tiny_model import write_documents, write_packed_model

import coref_tf
from coref_tf.annotation.folder import AnnotationFolder
from coref_tf.annotation.routes import annotation_routes
from coref_tf.documents import read_documents
from coref_tf.models.open_model import open_model
from coref_tf.training import finetune as module

pytestmark = pytest.mark.usefixtures("eagerly")

TEXTS = {
    "keepers.txt": "The two keepers said the harbour open. She said the council.",
    "station.txt": "The council open the station. The council said June.",
    "later.txt": "She said the station open.",
}


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


def correct(client, name, clusters):
    """Opens a text, stores a draft of the clusters and saves it, as the page does."""

    def post(path, **content):
        answer = client.send("POST", f"/annotate/{path}", json.dumps(content).encode())
        assert answer.status == 200, answer.error
        return answer.content

    opened = post("open", name=name)
    change = {
        "name": name,
        "tokens": opened["tokens"],
        "version": opened["version"],
        "clusters": clusters,
    }
    assert post("draft", time=1, **change) == {"kept": True}
    assert post("save", **change)["version"]


def test_finetuning_on_corrections(texts, tmp_path, monkeypatch, capsys):
    corrections = {
        "keepers.txt": [[[0, 2], [8, 8]], [[4, 5], [10, 11]]],
        "station.txt": [[[0, 1], [6, 7]]],
    }
    routes = functools.partial(annotation_routes, AnnotationFolder(texts))
    with running(FakeModel(), more_routes=routes) as client:
        for name, clusters in corrections.items():
            correct(client, name, clusters)
    for name, clusters in corrections.items():
        (document,) = read_documents(texts / f"{name}.jsonlines")
        assert document.text == TEXTS[name]
        assert [[list(span) for span in cluster] for cluster in document.clusters] == clusters

    bundled = write_documents(tmp_path / "bundled.jsonlines", 1, "nw", seed=7)
    monkeypatch.setattr(module, "bundled_dev_set", lambda: bundled)
    start, tuned = write_packed_model(tmp_path / "tiny.h5", context=False), tmp_path / "tuned.h5"
    dev = write_documents(tmp_path / "dev.jsonlines", 1)
    words = [texts, "--dev", dev, "--from", start, "--epochs", 1, "-o", tuned]
    assert not call("finetune", *words), capsys.readouterr().err
    # The text without corrections is left out.
    assert "training: 2 documents, 24 words, 3 clusters" in capsys.readouterr().out
    about = open_model(tuned).checkpoint.state["about"]
    assert about["fine_tuned_on"] == "2 documents, 24 words, 3 clusters"
    assert coref_tf.load(str(tuned))(TEXTS["later.txt"]).document.num_words == 6
