"""Mentions that a user gives in a file, and the clusters that a model predicts for them."""

import json

import numpy as np
import pytest
from command import call, import_reference
from export_cases import random_document, train

from coref_tf.documents import Document, read_documents
from coref_tf.documents.text import document_from_text
from coref_tf.features.given_mentions import MentionFile
from coref_tf.inference.predictor import Predictor
from coref_tf.models.open_model import open_experiment
from coref_tf.support.errors import CorefError

DOCUMENT = Document("nw/a", [["Ana", "left", "."], ["She", "ran", "away", "."]])


def written(folder, *records):
    path = folder / "mentions.jsonlines"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


def test_words_and_characters_are_spans(tmp_path):
    text = "Ana Roy left. She ran away."
    path = written(
        tmp_path,
        {"doc_key": "nw/a", "mentions": [[3, 3], [0, 0], [3, 3], [4, 5]]},
        "",
        {"doc_key": "story", "characters": [[0, 7], [14, 17]], "mentions": [[2, 2]]},
        {"doc_key": "nw/none_0", "mentions": []},
    )
    given = MentionFile.read(path)
    assert given.mentions_in(DOCUMENT) == [(0, 0), (3, 3), (4, 5)]
    assert given.unused() == f"{path}: no input document for the mentions of nw/none_0, story"
    assert given.mentions_in(document_from_text(text, "story")) == [(0, 1), (2, 2), (4, 4)]
    assert given.mentions_in(Document("nw/none", [["Hello"]])) == [] and given.unused() is None


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], r"mentions.jsonlines:1: the file contains no mentions; expected lines such as \{"),
        (["{"], "mentions.jsonlines:1: not JSON"),
        ([[1]], r"has no doc_key; expected an object such as \{"),
        ([{"doc_key": 3, "mentions": []}], "has no doc_key"),
        ([{"doc_key": "nw/a"}], "has neither mentions nor characters"),
        (
            [{"doc_key": "nw/a", "mentions": [[1]]}],
            r"mentions has \[1\]; expected pairs of integers",
        ),
        ([{"doc_key": "nw/a", "mentions": [[0, True]]}], r"mentions has \[0, True\]; expected pairs"),
        ([{"doc_key": "nw/a", "mentions": 3}], "mentions has 3; expected pairs"),
        ([{"doc_key": "nw/a", "mentions": []}] * 2, ":2: document nw/a already has mentions in line 1"),
    ],
)
def test_invalid_files_give_one_line_errors(tmp_path, records, message):
    with pytest.raises(CorefError, match=message):
        MentionFile.read(written(tmp_path, *records))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"mentions": [[0, 7]]}, r":1: document nw/a_0: mention \(0, 7\) lies outside the document"),
        ({"mentions": [[-1, 0]]}, "lies outside the document; expected words 0 to 6"),
        ({"mentions": [[2, 1]]}, r"mention \(2, 1\) ends before it starts"),
        ({"mentions": [[1, 3]]}, "runs across a sentence end"),
        (
            {"characters": [[0, 3]]},
            "document nw/a_0 has no text, so characters cannot be located; expected mentions",
        ),
        ({"doc_key": "nw/b"}, "mentions.jsonlines: has no line for document nw/a_0; expected one"),
    ],
)
def test_mentions_outside_the_document_are_refused(tmp_path, record, message):
    given = MentionFile.read(written(tmp_path, {"doc_key": "nw/a", "mentions": []} | record))
    with pytest.raises(CorefError, match=message):
        given.mentions_in(DOCUMENT)


@pytest.mark.parametrize("characters", [[3, 3], [5, 2], [0, 99], [-1, 2], [3, 4]])
def test_character_ranges_without_a_word_are_refused(tmp_path, characters):
    given = MentionFile.read(written(tmp_path, {"doc_key": "t", "characters": [characters]}))
    with pytest.raises(
        CorefError, match=r":1: document t: characters .*; expected a range within its 9 characters"
    ):
        given.mentions_in(document_from_text("Ana left.", "t"))


def test_character_ranges_that_split_a_word_are_refused(tmp_path):
    given = MentionFile.read(written(tmp_path, {"doc_key": "t", "characters": [[0, 4], [5, 7]]}))
    message = r":1: document t: characters 5 to 7, 'ef', cut through a word; expected 4 to 8, 'left'"
    with pytest.raises(CorefError, match=message):
        given.mentions_in(document_from_text("Ana left.", "t"))


@pytest.mark.parametrize("mentions", ["learned", pytest.param("oracle", marks=pytest.mark.slow)])
def test_any_model_clusters_given_mentions(tmp_path, mentions):
    """With the spans that pruning keeps, the prediction is the same; with others, only they are clustered."""
    experiment = train(tmp_path, mentions=mentions)
    generator = np.random.default_rng(3)
    documents = [random_document(generator) for _ in range(4)]
    if mentions == "oracle":
        documents = [d.with_clusters([[(n, n)] for n in range(d.num_words)]) for d in documents]
    plain = Predictor.from_models([open_experiment(experiment)])
    kept = [plain.predict(document) for document in documents]
    given = {id(document): prediction.top_spans for document, prediction in zip(documents, kept, strict=True)}
    predictor = Predictor.from_models(
        [open_experiment(experiment)], given=lambda document: given[id(document)]
    )
    for document, expected in zip(documents, kept, strict=True):
        found = predictor.predict(document)
        assert found.top_spans == expected.top_spans and found.clusters == expected.clusters
        np.testing.assert_allclose(found.mention_scores, expected.mention_scores, atol=1e-5)
        np.testing.assert_allclose(found.place_probabilities, expected.place_probabilities, atol=1e-5)
    wide = Document("nw/wide", [["the", "council"] * 10])
    spans = [(0, 17), (1, 1), (3, 3), (19, 19)]
    given[id(wide)] = spans
    found = predictor.predict(wide)
    assert found.top_spans == spans and {s for c in found.clusters for s in c} <= set(spans)
    given[id(wide)] = []
    nothing = predictor.predict(wide)
    assert nothing.clusters == nothing.top_spans == []


def test_predict_with_a_mention_file(tmp_path, capsys):
    import_reference(tmp_path)
    conf, corpus, output = (
        ("--conf", tmp_path / "experiments.conf"),
        tmp_path / "docs.jsonlines",
        tmp_path / "o.jsonlines",
    )
    spans = {d.key: [[n, n] for n in range(0, d.num_words, 3)] for d in read_documents(corpus)}
    path = written(
        tmp_path,
        *({"doc_key": key, "mentions": s} for key, s in spans.items()),
        {"doc_key": "x", "mentions": []},
    )
    words = "predict", "--model", "small", corpus, *conf, "--mentions", path
    assert not call(*words, "-o", output)
    assert f"warning: {path}: no input document for the mentions of x" in capsys.readouterr().err
    found = [json.loads(line) for line in output.read_text().splitlines()]
    assert any(record["predicted_clusters"] for record in found)
    for record in found:
        assert all(
            span in spans[record["doc_key"]] for cluster in record["predicted_clusters"] for span in cluster
        )
    assert not call(*words, "-o", tmp_path / "page.html")
    assert '"mentions":"given"' in (tmp_path / "page.html").read_text()
    path.write_text(json.dumps({"doc_key": "x", "mentions": []}))
    capsys.readouterr()
    assert call(*words, "-o", output) == 1
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and "has no line for document" in lines[0]
